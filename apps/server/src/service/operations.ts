import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Principal } from '@headgate/core'
import type { Metrics } from './metrics.ts'

/** What the paths of operation need to know. */
export interface OperationSources {
  authenticate(credential: string): Principal | undefined
  /** Why no request should be sent here now; empty = ready. */
  notReady(): readonly string[]
  /** Absent = there is no /metrics. */
  readonly metrics?: Metrics | undefined
}

interface Answer {
  readonly status: number
  readonly type: string
  readonly body: string
}

interface Operation {
  /** Open ones are for load balancers, which hold no key. */
  readonly open: boolean
  answer(): Answer | Promise<Answer>
}

/** `/healthz`, `/readyz` and `/metrics`. The handler returns false for every other path. */
export function createOperations(sources: OperationSources): (request: IncomingMessage, response: ServerResponse) => boolean {
  const { authenticate, notReady, metrics } = sources
  const operations = new Map<string, Operation>([
    ['/healthz', { open: true, answer: () => json(200, { status: 'ok' }) }],
    ['/readyz', { open: true, answer: () => readiness(notReady()) }],
  ])
  if (metrics)
    operations.set('/metrics', {
      open: false,
      answer: async () => ({ status: 200, type: metrics.contentType, body: await metrics.text() }),
    })

  const answerOf = async (operation: Operation, request: IncomingMessage): Promise<Answer> => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return failure(405, 'Only GET is allowed here.')
    const credential = credentialOf(request)
    if (!operation.open && !(credential && authenticate(credential)))
      return failure(401, 'An API key is needed: send `Authorization: Bearer <API_KEY>`.', 'invalid_api_key')
    return operation.answer()
  }

  return (request, response) => {
    const operation = operations.get(pathOf(request))
    if (!operation) return false
    answerOf(operation, request)
      .catch(() => failure(500, 'This could not be answered; the log says why.'))
      .then((answer) => send(response, request.method, answer))
    return true
  }
}

function pathOf({ url = '/' }: IncomingMessage): string {
  const query = url.indexOf('?')
  return query < 0 ? url : url.slice(0, query)
}

/** The key that the caller sent; `Authorization` alone counts when there are several. */
function credentialOf({ headers }: IncomingMessage): string | undefined {
  const { authorization } = headers
  if (authorization !== undefined) return /^bearer +(\S+) *$/i.exec(authorization)?.[1]
  const other = headers['x-api-key'] ?? headers['x-goog-api-key']
  return typeof other === 'string' ? other : undefined
}

function readiness(reasons: readonly string[]): Answer {
  return reasons.length === 0 ? json(200, { status: 'ready' }) : json(503, { status: 'not ready', reasons })
}

function json(status: number, body: object): Answer {
  return { status, type: 'application/json', body: JSON.stringify(body) }
}

/** In the shape of the chat-completions format, as everywhere where the path names no format. */
function failure(status: number, message: string, code: string | null = null): Answer {
  const type = status < 500 ? 'invalid_request_error' : 'server_error'
  return json(status, { error: { message, type, param: null, code } })
}

function send(response: ServerResponse, method: string | undefined, { status, type, body }: Answer): void {
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-request-id': `req_${randomUUID().replaceAll('-', '')}`,
    ...(status === 405 && { allow: 'GET, HEAD' }),
  })
  response.end(method === 'HEAD' ? undefined : body)
}
