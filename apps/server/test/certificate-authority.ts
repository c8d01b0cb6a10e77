import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Options of one certificate. */
export interface CertificateOptions {
  /** Days that it is valid for, from `start`. Default: 30. */
  readonly days?: number | undefined
  /** Beginning and end, as `20240101000000Z`. Default: now, and after `days`. */
  readonly dates?: readonly [string, string] | undefined
}

/** Files of a certificate and its private key, in PEM. */
export interface CertificateFiles {
  readonly certificate: string
  readonly key: string
}

/** Authority for tests, made of the `openssl` of this machine. */
export interface CertificateAuthority {
  readonly certificate: string
  issue(name: string, options?: CertificateOptions): CertificateFiles
  /** Revokes a certificate. `revocations` must be called again. */
  revoke(files: CertificateFiles): void
  /** Writes the revocation list, and returns its file. */
  revocations(): string
}

/** True if this machine has `openssl`. */
export const hasOpenssl = spawnSync('openssl', ['version']).status === 0

/** Creates an authority in a folder. */
export function createAuthority(folder: string, subject = 'Headgate test authority'): CertificateAuthority {
  mkdirSync(folder, { recursive: true })
  const at = (name: string): string => join(folder, name)
  const openssl = (...args: readonly string[]): void => {
    const { status, stderr } = spawnSync('openssl', args, { cwd: folder, encoding: 'utf8' })
    if (status !== 0) throw new Error(`openssl ${args[0]} failed: ${stderr}`)
  }
  writeFileSync(at('ca.cnf'), configurationOf(folder))
  writeFileSync(at('index.txt'), '')
  writeFileSync(at('serial'), '1000\n')
  writeFileSync(at('crlnumber'), '1000\n')
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  openssl(
    ...['req', '-x509', ...curve, '-config', 'ca.cnf', '-extensions', 'authority', '-days', '30'],
    ...['-subj', `/CN=${subject}`, '-keyout', 'ca.key', '-out', 'ca.pem'],
  )
  return {
    certificate: at('ca.pem'),
    issue(name, { days = 30, dates } = {}) {
      openssl(
        'req',
        ...curve,
        '-config',
        'ca.cnf',
        '-subj',
        `/CN=${name}`,
        '-keyout',
        `${name}.key`,
        '-out',
        `${name}.csr`,
      )
      const validity = dates ? ['-startdate', dates[0], '-enddate', dates[1]] : ['-days', String(days)]
      openssl('ca', '-batch', '-config', 'ca.cnf', ...validity, '-in', `${name}.csr`, '-out', `${name}.pem`)
      return { certificate: at(`${name}.pem`), key: at(`${name}.key`) }
    },
    revoke: ({ certificate }) => openssl('ca', '-config', 'ca.cnf', '-revoke', certificate),
    revocations() {
      openssl('ca', '-config', 'ca.cnf', '-gencrl', '-crldays', '1', '-out', 'ca.crl')
      return at('ca.crl')
    },
  }
}

function configurationOf(folder: string): string {
  return `[ca]
default_ca = own
[own]
dir = ${folder}
database = $dir/index.txt
serial = $dir/serial
crlnumber = $dir/crlnumber
new_certs_dir = $dir
certificate = $dir/ca.pem
private_key = $dir/ca.key
default_md = sha256
policy = names
x509_extensions = leaf
unique_subject = no
[names]
commonName = supplied
[req]
distinguished_name = names_of_request
[names_of_request]
[authority]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
[leaf]
subjectAltName = DNS:localhost, IP:127.0.0.1
`
}
