import { constants, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { createSecureContext, type SecureContextOptions, type Server as TlsServer } from 'node:tls'
import { HeadgateError } from '@headgate/gateway'
import type { TlsConfig } from '../config/listener.ts'

/** Interval between two looks at the files, in milliseconds. Mounted secrets change by symlinks, which events miss. */
const LOOK_MS = 10_000
/** Remaining validity of a certificate below which the log warns, in milliseconds. */
const SOON_MS = 14 * 86_400_000

export interface CertificatesParts {
  readonly tls: TlsConfig
  /** Folder that relative paths begin at. */
  readonly folder: string
  onWarning(message: string): void
  onReload(): void
}

/** Certificates of a listener. */
export interface Certificates {
  readonly options: SecureContextOptions
  /** Reads the files again, and gives the server what changed. Keeps the earlier content if the new one is invalid. */
  refresh(server: TlsServer): void
  /** Calls `refresh` now and then until the end that it returns. */
  watch(server: TlsServer): () => void
}

/** Reads the certificates of a listener. @throws HeadgateError if a file is missing or invalid */
export function openCertificates({ tls, folder, onWarning, onReload }: CertificatesParts): Certificates {
  const read = (): SecureContextOptions => contextOf(tls, folder)
  const options = read()
  let known = fingerprint(options)
  let refused: string | undefined
  warnOfEnd(options, onWarning)

  const refresh = (server: TlsServer): void => {
    try {
      const next = read()
      const found = fingerprint(next)
      refused = undefined
      if (found === known) return
      known = found
      server.setSecureContext(next)
      onReload()
      warnOfEnd(next, onWarning)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      // A file that stays invalid is one line of the log, not one in each interval.
      if (reason !== refused) onWarning(`The previous certificates stay in use: ${reason}`)
      refused = reason
    }
  }
  return {
    options,
    refresh,
    watch(server) {
      const timer = setInterval(() => refresh(server), LOOK_MS).unref()
      return () => clearInterval(timer)
    },
  }
}

function contextOf({ certificate, key, clients }: TlsConfig, folder: string): SecureContextOptions {
  const file = (field: string, path: string): Buffer => {
    try {
      return readFileSync(resolve(folder, path))
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
      throw invalid(field, `${path} cannot be read (${code})`)
    }
  }
  const options: SecureContextOptions = {
    cert: file('certificate', certificate),
    key: file('key', key),
    minVersion: 'TLSv1.2',
    ...(clients && {
      ca: file('clients.ca', clients.ca),
      ...(clients.crl !== undefined && { crl: file('clients.crl', clients.crl) }),
      // A resumed session would skip the check of a certificate that expired or was revoked meanwhile.
      secureOptions: constants.SSL_OP_NO_TICKET,
    }),
  }
  try {
    createSecureContext(options)
  } catch (error) {
    throw invalid('', error instanceof Error ? error.message : String(error))
  }
  return options
}

function invalid(field: string, reason: string): HeadgateError {
  const name = field === '' ? 'server.tls' : `server.tls.${field}`
  return new HeadgateError('invalid-request', `${name}: ${reason}`)
}

function fingerprint({ cert, key, ca, crl }: SecureContextOptions): string {
  return [cert, key, ca, crl].map((one) => (Buffer.isBuffer(one) ? one.toString('base64') : '')).join(' ')
}

function warnOfEnd({ cert }: SecureContextOptions, onWarning: (message: string) => void): void {
  if (!Buffer.isBuffer(cert)) return
  const { validTo } = new X509Certificate(cert)
  if (Date.parse(validTo) - Date.now() < SOON_MS)
    onWarning(`The certificate of server.tls is valid until ${validTo} only. Replace its file.`)
}
