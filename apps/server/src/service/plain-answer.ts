import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'

/** An answer of the program's own. */
export interface PlainAnswer {
  readonly status: number
  readonly type: string
  readonly body: string
}

export function json(status: number, body: object): PlainAnswer {
  return { status, type: 'application/json', body: JSON.stringify(body) }
}

/** In the shape of the chat-completions format, as everywhere where the path names no format. */
export function failure(status: number, message: string, code: string | null = null): PlainAnswer {
  const type = status < 500 ? 'invalid_request_error' : 'server_error'
  return json(status, { error: { message, type, param: null, code } })
}

export function pathOf({ url = '/' }: IncomingMessage): string {
  const query = url.indexOf('?')
  return query < 0 ? url : url.slice(0, query)
}

/** Why a method is refused; undefined for one that reads. */
export function refusedMethod({ method }: IncomingMessage): PlainAnswer | undefined {
  return method === 'GET' || method === 'HEAD'
    ? undefined
    : failure(405, 'Only GET is allowed here.', 'method_not_allowed')
}

/** Sends an answer. A body that is still to come is not waited for. */
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

/** Whether some of its body is still to come: of a connection that goes on it would be taken for the next request. */
export function isArriving({ complete, headers }: IncomingMessage): boolean {
  return !complete && (headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0)
}
