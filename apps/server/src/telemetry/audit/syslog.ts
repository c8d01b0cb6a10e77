import { hostname } from 'node:os'
import { connect } from 'node:tls'
import type { AuditEntry } from '@headgate/accounts'

/** Syslog server. */
export interface SyslogServer {
  readonly host: string
  readonly port: number
  /** PEM. Default: the authorities of the system, and no client certificate. */
  readonly ca?: Buffer | undefined
  readonly certificate?: Buffer | undefined
  readonly key?: Buffer | undefined
}

/** Facility "log audit" times 8. */
const FACILITY = 13 * 8
/** Severities "informational" and "warning". */
const SEVERITY = { done: 6, refused: 4 } as const
/** Maximum lengths of fields. */
const HOST = 255
const MESSAGE_ID = 32
/** Time for a server to reject a connection by closing it, in milliseconds. */
const GRACE = 100

/**
 * Message of an entry. Its text is JSON in ASCII, so that it needs no byte order mark.
 * @see https://www.rfc-editor.org/rfc/rfc5424#section-6
 */
export function syslogMessage(entry: AuditEntry, node = hostname()): string {
  const { at, action, result } = entry
  const priority = FACILITY + (result === 'refused' ? SEVERITY.refused : SEVERITY.done)
  const json = JSON.stringify(entry).replace(/[\u007f-\uffff]/g, escaped)
  return `<${priority}>1 ${new Date(at).toISOString()} ${printable(node, HOST)} headgate - ${printable(action, MESSAGE_ID)} - ${json}`
}

/** Messages with their lengths in bytes. @see https://www.rfc-editor.org/rfc/rfc5425#section-4.3 */
export function octetCounted(messages: readonly string[]): string {
  return messages.map((message) => `${Buffer.byteLength(message)} ${message}`).join('')
}

/**
 * Sends messages over one connection. Syslog has no receipts: a server that closes the connection after this side has
 * ended it, without an error, has received everything. Rejects otherwise.
 */
export function sendSyslog(
  { host, port, ca, certificate, key }: SyslogServer,
  messages: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, servername: host, ca, cert: certificate, key, minVersion: 'TLSv1.2' })
    const abort = (): void => void socket.destroy(new Error('it took too long'))
    let [isEnding, isReceived] = [false, false]
    const end = (): void => {
      isEnding = true
      socket.end()
    }
    signal.addEventListener('abort', abort, { once: true })
    socket.once('secureConnect', () => {
      socket.write(octetCounted(messages), () => setTimeout(end, GRACE))
    })
    socket.once('end', () => {
      isReceived = isEnding
    })
    socket.once('error', reject)
    socket.once('close', () => {
      signal.removeEventListener('abort', abort)
      if (isReceived) resolve()
      else reject(new Error('the server closed the connection early'))
    })
    socket.resume()
  })
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** Printable ASCII without spaces; `-` if nothing is left. */
function printable(text: string, most: number): string {
  return text.replace(/[^\x21-\x7e]/g, '').slice(0, most) || '-'
}
