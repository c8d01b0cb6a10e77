import { ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { HeadgateError } from '@headgate/core/errors'
import type { ErrorWriter } from './error-writer.ts'

/** Known facts about a request that could not be parsed. */
interface UnreadRequest {
  /** Empty if unknown. */
  readonly method: string
  readonly path: string
  /** Absent if the caller cannot receive a response. */
  readonly refusal: HeadgateError | undefined
}

/** Request line at the start of the packet that failed to parse. */
const REQUEST_LINE = /^([A-Z]{1,16}) (\/[\x21-\x7e]{0,512})/
const MAX_REQUEST_LINE = 1_024

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : ''
}

function refusalOf(code: string): HeadgateError | undefined {
  switch (code) {
    case 'ECONNRESET':
    case 'EPIPE':
    // The caller closed its side during the request.
    case 'HPE_INVALID_EOF_STATE':
      return undefined
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new HeadgateError('too-slow', 'The request did not arrive in time.')
    case 'HPE_HEADER_OVERFLOW':
      return new HeadgateError(
        'too-large',
        'The request line and headers exceed the limit of this server. Send fewer or shorter headers.',
        {
          status: 431,
        },
      )
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new HeadgateError(
        'too-large',
        'The chunk extensions exceed the limit of this server. Send chunks without extensions.',
      )
    default:
      return new HeadgateError('invalid-request', 'The request is not valid HTTP/1.1.')
  }
}

/** Reads an error of Node's `clientError` event. */
export function readClientError(error: Error): UnreadRequest {
  const packet =
    'rawPacket' in error && Buffer.isBuffer(error.rawPacket)
      ? error.rawPacket.toString('latin1', 0, MAX_REQUEST_LINE)
      : ''
  const [, method = '', target = ''] = REQUEST_LINE.exec(packet) ?? []
  return { method, path: target.replace(/[?#].*/, ''), refusal: refusalOf(codeOf(error)) }
}

/**
 * True if no response has been started on a connection; a second one would corrupt the first. Node's own handler of
 * these errors reads `_httpMessage` as well.
 */
export function canRespond(socket: Duplex): boolean {
  const underWay: unknown = Reflect.get(socket, '_httpMessage')
  return socket.writable && !(underWay instanceof ServerResponse && underWay.headersSent)
}

/** Time for the caller to read the response, in milliseconds. */
const MAX_READ_MS = 2_000

/** Sends an error response without Node's response object and closes the connection. */
export function sendSocketError(
  socket: Duplex,
  errorWriter: ErrorWriter,
  error: HeadgateError,
  requestId: string,
): void {
  const body = JSON.stringify(errorWriter.writeError(error, requestId))
  const head = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? ''}`,
    'connection: close',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    'x-should-retry: false',
  ]
  const timer = setTimeout(() => socket.destroy(), MAX_READ_MS)
  socket.once('close', () => clearTimeout(timer))
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
