import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Certificate authority and certificate of a server, for one test. */
export interface TestCertificates {
  /** Certificate of the authority, PEM. */
  readonly authority: string
  /** Arguments of a Redis server that uses the certificate. */
  readonly args: readonly string[]
}

/**
 * Creates certificates with openssl. Undefined if it is not installed.
 * @param name subject alternative name of the server, such as `IP:127.0.0.1`
 */
export function createCertificates(name: string): TestCertificates | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-certificates-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = (own: string): string => join(folder, own)
  const key = (own: string): string[] => [
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-keyout',
    file(own),
  ]
  const create = (...args: string[]): void =>
    void execFileSync('openssl', ['req', '-x509', '-days', '2', ...args], { stdio: 'ignore' })
  try {
    create(...key('authority.key'), '-out', file('authority.pem'), '-subj', '/CN=Test authority')
    const issuer = ['-CA', file('authority.pem'), '-CAkey', file('authority.key')]
    const extensions = ['-addext', `subjectAltName=${name}`, '-addext', 'basicConstraints=critical,CA:false']
    create(...key('server.key'), ...issuer, '-out', file('server.pem'), '-subj', '/CN=Test server', ...extensions)
  } catch (error) {
    if (Object(error).code === 'ENOENT') return undefined
    throw error
  }
  return {
    authority: readFileSync(file('authority.pem'), 'utf8'),
    args: [
      ...['--tls-cert-file', file('server.pem'), '--tls-key-file', file('server.key')],
      ...['--tls-ca-cert-file', file('authority.pem'), '--tls-auth-clients', 'no'],
    ],
  }
}
