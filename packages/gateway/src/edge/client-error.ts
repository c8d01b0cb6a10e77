import { ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { HeadgateError } from '@headgate/core/errors'
import type { ErrorWriter } from './error-writer.ts'

/** What can be known of a request that could not be read. */
interface Unread {
  /** Empty where nothing of it is known. */
  readonly method: string
  readonly path: string
  /** Absent = nobody is there to be told. */
  readonly refusal: HeadgateError | undefined
}

/** Beginning of the packet in which something was wrong; one that begins a request names its path. */
const REQUEST_LINE = /^([A-Z]{1,16}) (\/[\x21-\x7e]{0,512})/
const BEGINNING = 1_024

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : ''
}

function refusalOf(code: string): HeadgateError | undefined {
  switch (code) {
    case 'ECONNRESET':
    case 'EPIPE':
    // The caller has ended its side in the midst of a request.
    case 'HPE_INVALID_EOF_STATE':
      return undefined
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new HeadgateError('too-slow', 'The request did not arrive in time.')
    case 'HPE_HEADER_OVERFLOW':
      return new HeadgateError('too-large', 'Request line and headers are larger than this server takes.', {
        status: 431,
      })
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new HeadgateError('too-large', 'The extensions of a chunk are larger than this server takes.')
    default:
      return new HeadgateError('invalid-request', 'This is no valid HTTP/1.1 request.')
  }
}

/** Reads an error of `clientError`. */
export function readClientError(error: Error): Unread {
  const packet =
    'rawPacket' in error && Buffer.isBuffer(error.rawPacket) ? error.rawPacket.toString('latin1', 0, BEGINNING) : ''
  const [, method = '', target = ''] = REQUEST_LINE.exec(packet) ?? []
  return { method, path: target.replace(/[?#].*/, ''), refusal: refusalOf(codeOf(error)) }
}

/**
 * Whether nothing of an answer is on its way over a connection: another one in its midst would break both. Node keeps
 * the answer under way in `_httpMessage`, where its own handler of such errors looks as well.
 */
export function isUnanswered(socket: Duplex): boolean {
  const underWay: unknown = Reflect.get(socket, '_httpMessage')
  return socket.writable && !(underWay instanceof ServerResponse && underWay.headersSent)
}

/** How long a caller has to read such an answer, in milliseconds. */
const PATIENCE = 2_000

/** Answers with an error, past Node's response, and closes the connection. */
export function answerSocket(socket: Duplex, errorWriter: ErrorWriter, error: HeadgateError, requestId: string): void {
  const body = JSON.stringify(errorWriter.writeError(error, requestId))
  const head = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? ''}`,
    'connection: close',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    'x-should-retry: false',
  ]
  const timer = setTimeout(() => socket.destroy(), PATIENCE)
  socket.once('close', () => clearTimeout(timer))
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
