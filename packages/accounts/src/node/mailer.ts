import { HeadgateError } from '@headgate/gateway'
import type { Mail } from '../api/parts.ts'
import { textOf } from './mail-text.ts'

export interface Mailer {
  /**
   * Sends a mail. Resolves once the server has accepted it. @throws HeadgateError if the mail is rejected or given up.
   */
  send(mail: Mail): Promise<void>
  /** Drops waiting mails. */
  close(): void
}

/** Mail server. */
export interface SmtpConfig {
  readonly host: string
  /** Default: 587; 465 with `secure`. */
  readonly port?: number | undefined
  /** Default: no authentication. */
  readonly user?: string | undefined
  readonly password?: string | undefined
  /** Sender of every mail: `Headgate <headgate@example.com>`. */
  readonly from: string
  /** `true`: TLS from the first byte; `false`: TLS only if the server offers it. Default: STARTTLS must succeed. */
  readonly secure?: boolean | undefined
}

export interface MailerParts {
  readonly smtp: SmtpConfig
  /** Address of the gateway in mails. */
  readonly url: string
  /** Waits between tries in milliseconds; default {@link AGAIN}. */
  readonly again?: readonly number[]
  readonly now?: () => number
}

/** Waits before each further try after a temporary failure, in milliseconds. */
const AGAIN = [5_000, 60_000, 300_000]
/** Maximum number of waiting and running mails. */
const MOST = 200
/** Maximum number of mails per address within an hour. Strangers can cause some of them. */
const OF_ONE = 10
const HOUR = 3_600_000
/** Maximum number of counted addresses. The oldest are dropped. */
const COUNTED = 10_000
/** Time limits of one try in milliseconds. */
const TIMES = { connectionTimeout: 10_000, greetingTimeout: 10_000, dnsTimeout: 10_000, socketTimeout: 30_000 }

const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '::1']

/** Connection security: without TLS only if configured, or on loopback. */
function security({ host, port, secure }: SmtpConfig) {
  if (secure === true || (secure === undefined && port === 465)) return { secure: true }
  return { secure: false, requireTLS: secure === undefined && !LOOPBACK.includes(host) }
}

/** Creates the mailer. The client is loaded with the first mail. */
export function createMailer({ smtp, url, again = AGAIN, now = Date.now }: MailerParts): Mailer {
  const { host, port, user, password, from } = smtp
  const ending = new AbortController()
  const counts = new Map<string, { count: number; readonly until: number }>()
  let waiting = 0

  const open = async () => {
    const { createTransport } = await import('nodemailer')
    return createTransport({
      host,
      ...(port !== undefined && { port }),
      ...security(smtp),
      ...TIMES,
      ...(user !== undefined && { auth: { user, pass: password ?? '' } }),
      pool: true,
      maxConnections: 2,
      maxRequeues: 0,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
  }
  let transport: ReturnType<typeof open> | undefined

  const isTooMany = (address: string): boolean => {
    const known = counts.get(address)
    if (known && known.until > now()) return ++known.count > OF_ONE
    counts.delete(address)
    const [oldest] = counts.keys()
    if (oldest !== undefined && counts.size >= COUNTED) counts.delete(oldest)
    counts.set(address, { count: 1, until: now() + HOUR })
    return false
  }
  const deliver = async (mail: Mail): Promise<void> => {
    transport ??= open()
    const client = await transport
    for (let nth = 0; ; nth++) {
      try {
        const { file } = mail.statement ?? {}
        await client.sendMail({
          from,
          to: { name: '', address: mail.to },
          ...textOf(mail, url),
          ...(file && {
            attachments: [{ filename: file.name, content: file.content, contentType: 'text/csv; charset=utf-8' }],
          }),
        })
        return
      } catch (error) {
        const wait = again[nth]
        if (wait === undefined || !isPassing(error) || ending.signal.aborted) throw givenUp(mail, error)
        await waited(wait, ending.signal)
      }
    }
  }

  return {
    async send(mail) {
      if (waiting >= MOST || isTooMany(mail.to.toLowerCase()))
        throw new HeadgateError('over-limit', `A mail (${mail.kind}) was not sent because there are too many.`)
      waiting++
      try {
        await deliver(mail)
      } finally {
        waiting--
      }
    },
    close() {
      ending.abort()
      transport?.then(
        (client) => client.close(),
        () => {},
      )
    },
  }
}

/** True if a retry makes sense: a temporary error, or no response. */
function isPassing(error: unknown): boolean {
  const { code, responseCode } = factsOf(error)
  if (responseCode !== undefined) return responseCode >= 400 && responseCode < 500
  return code !== 'EAUTH' && code !== 'EENVELOPE' && code !== 'ETLS'
}

/** Error for a mail that was given up. The server's message may contain the mail address and is omitted. */
function givenUp({ kind }: Mail, error: unknown): HeadgateError {
  const { code = 'failed', responseCode } = factsOf(error)
  const said = [code, responseCode].filter((one) => one !== undefined).join(' ')
  return new HeadgateError(
    'upstream',
    `A mail (${kind}) was not sent: mail server error ${said}. Check accounts.smtp in the configuration.`,
  )
}

function factsOf(error: unknown): { readonly code?: string; readonly responseCode?: number } {
  if (typeof error !== 'object' || error === null) return {}
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {}
  return {
    ...code,
    ...('responseCode' in error && typeof error.responseCode === 'number' && { responseCode: error.responseCode }),
  }
}

function waited(ms: number, ended: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms).unref()
    ended.addEventListener(
      'abort',
      () => {
        clearTimeout(timer)
        resolve()
      },
      { once: true },
    )
  })
}
