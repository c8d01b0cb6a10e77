import type { IncomingMessage, ServerResponse } from 'node:http'
import { type ErrorKind, HeadgateError } from '@headgate/gateway'
import { checkAddress } from '@headgate/gateway/operate'
import { clientAddress } from '@headgate/gateway/ports'
import { type Authentication, mayReadMetrics } from '@headgate/store'
import { frontPage } from './front-page.ts'
import type { ShownMetrics } from './metrics.ts'
import { failure, json, type PlainAnswer, pathOf, refusedMethod, send } from './plain-answer.ts'

/** What the paths of operation need to know. */
export interface OperationSources {
  readonly authenticate: Authentication
  /** Why no request should be sent here now; empty = ready. */
  notReady(): readonly string[] | Promise<readonly string[]>
  /** Absent = there is no /metrics. */
  readonly metrics?: ShownMetrics | undefined
  /** Where callers reach the program. */
  readonly url: string
  /** Addresses and networks of proxies whose headers name the caller. */
  readonly trustedProxies?: readonly string[] | undefined
  /** Told why something could not be answered. */
  onWarning(message: string): void
}

/** Answers a path of operation; false for every other path. */
export type Operations = (request: IncomingMessage, response: ServerResponse) => boolean

interface Operation {
  /** Open ones are for load balancers, which hold no key. */
  readonly open: boolean
  answer(request: IncomingMessage): PlainAnswer | Promise<PlainAnswer>
}

/** What says in one word why a caller is refused. */
const CODES: Partial<Record<ErrorKind, string>> = { 'bad-key': 'invalid_api_key', forbidden: 'permission_denied' }

/** What load balancers elsewhere are told to ask. */
const GUESSES = [
  '/health',
  '/healthcheck',
  '/health/liveliness',
  '/health/readiness',
  '/livez',
  '/live',
  '/ready',
  '/status',
  '/ping',
]

/** The front page, `/healthz`, `/readyz` and `/metrics`. */
export function createOperations(sources: OperationSources): Operations {
  const { authenticate, notReady, metrics, url, trustedProxies, onWarning } = sources
  const operations = new Map<string, Operation>([
    ['/', { open: true, answer: (request) => frontPage(request, url) }],
    ['/healthz', { open: true, answer: () => json(200, { status: 'ok' }) }],
    ['/readyz', { open: true, answer: async () => readiness(await notReady()) }],
  ])
  if (metrics)
    operations.set('/metrics', {
      open: false,
      answer: async () => ({ status: 200, type: metrics.contentType, body: await metrics.text() }),
    })
  for (const [path, operation] of [...operations]) if (path !== '/') operations.set(`${path}/`, operation)
  for (const path of GUESSES) operations.set(path, { open: true, answer: () => otherName(path) })

  /** Why somebody may not know what only some may; undefined = may. */
  const refusal = async (request: IncomingMessage): Promise<PlainAnswer | undefined> => {
    const { origin } = request.headers
    if (origin !== undefined)
      return failure(403, 'Requests from browsers are refused: an API key does not belong there.', 'permission_denied')
    const credential = credentialOf(request)
    const principal = credential ? await authenticate(credential) : undefined
    if (!principal)
      return failure(401, 'An API key is needed: send `Authorization: Bearer <API_KEY>`.', 'invalid_api_key')
    checkAddress(principal, clientAddress(request.socket.remoteAddress, request.headers, trustedProxies))
    if (mayReadMetrics(principal)) return undefined
    return failure(
      403,
      'This key may not read the metrics, which are about all keys. One with the scope `metrics` may.',
      'permission_denied',
    )
  }

  const answerOf = async (operation: Operation, request: IncomingMessage): Promise<PlainAnswer> =>
    refusedMethod(request) ?? (operation.open ? undefined : await refusal(request)) ?? operation.answer(request)

  return (request, response) => {
    const operation = operations.get(pathOf(request))
    if (!operation) return false
    answerOf(operation, request)
      .catch((error: unknown) => {
        if (HeadgateError.is(error) && error.status < 500)
          return failure(error.status, error.message, CODES[error.kind])
        onWarning(`${pathOf(request)} could not be answered: ${reasonOf(error)}`)
        if (!HeadgateError.is(error)) return failure(500, 'This could not be answered; the log says why.')
        return failure(error.status, error.message, CODES[error.kind])
      })
      .then((answer) => send(request, response, answer))
    return true
  }
}

function otherName(path: string): PlainAnswer {
  const message = `There is no path ${path}. GET /healthz says whether the program runs, GET /readyz whether requests should be sent to it.`
  return failure(404, message, 'not_found')
}

/** The key that the caller sent; `Authorization` alone counts when there are several. */
function credentialOf({ headers }: IncomingMessage): string | undefined {
  const { authorization } = headers
  if (authorization !== undefined) return /^bearer +(\S+) *$/i.exec(authorization)?.[1]
  const other = headers['x-api-key'] ?? headers['x-goog-api-key'] ?? headers['api-key']
  return typeof other === 'string' ? other : undefined
}

function readiness(reasons: readonly string[]): PlainAnswer {
  return reasons.length === 0 ? json(200, { status: 'ready' }) : json(503, { status: 'not ready', reasons })
}

/** Of an error and its causes. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : `${error.message} (${reasonOf(error.cause)})`
}
