import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'

/** Response that the program sends without the gateway. */
export interface PlainAnswer {
  readonly status: number
  readonly type: string
  readonly body: string
}

export function json(status: number, body: object): PlainAnswer {
  return { status, type: 'application/json', body: JSON.stringify(body) }
}

/** Error response in the chat-completions format, which is used if the path implies no format. */
export function failure(status: number, message: string, code: string | null = null): PlainAnswer {
  const type = status < 500 ? 'invalid_request_error' : 'server_error'
  return json(status, { error: { message, type, param: null, code } })
}

export function pathOf({ url = '/' }: IncomingMessage): string {
  const query = url.indexOf('?')
  return query < 0 ? url : url.slice(0, query)
}

/** Rejection of a method other than GET and HEAD; undefined for these. */
export function refusedMethod({ method }: IncomingMessage): PlainAnswer | undefined {
  return method === 'GET' || method === 'HEAD'
    ? undefined
    : failure(405, 'Only GET is allowed here.', 'method_not_allowed')
}

/** Sends a response without waiting for the rest of the request body. */
export function send(request: IncomingMessage, response: ServerResponse, { status, type, body }: PlainAnswer): void {
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-request-id': `req_${randomUUID().replaceAll('-', '')}`,
    ...(status === 405 && { allow: 'GET, HEAD' }),
    ...(isArriving(request) && { connection: 'close' }),
  })
  response.end(request.method === 'HEAD' ? undefined : body)
}

/** True if part of the request body is still to come. On a reused connection it would be read as the next request. */
export function isArriving({ complete, headers }: IncomingMessage): boolean {
  return !complete && (headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0)
}
