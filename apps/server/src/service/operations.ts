import type { IncomingMessage, ServerResponse } from 'node:http'
import { type ErrorKind, HeadgateError } from '@headgate/gateway'
import { checkAddress } from '@headgate/gateway/operate'
import { clientAddress } from '@headgate/gateway/ports'
import { type Authentication, mayReadMetrics } from '@headgate/store'
import { frontPage } from './front-page.ts'
import type { ShownMetrics } from './metrics.ts'
import { metricsAnswer } from './metrics-answer.ts'
import { failure, json, type PlainAnswer, pathOf, refusedMethod, send } from './plain-answer.ts'

/** Dependencies of the operational paths. */
export interface OperationSources {
  readonly authenticate: Authentication
  /** Reasons not to send requests to this process now; empty = ready. */
  notReady(): readonly string[] | Promise<readonly string[]>
  /** Conditions that an operator should know although the program serves. Default: none. */
  notes?(): readonly string[]
  /** Absent = no `/metrics` path. */
  readonly metrics?: ShownMetrics | undefined
  /** Base URL for callers. */
  readonly url: string
  /** Addresses and networks of proxies whose headers name the caller. */
  readonly trustedProxies?: readonly string[] | undefined
  /** Called with the reason if a response failed. */
  onWarning(message: string): void
}

/** Handler of the operational paths. Returns false for every other path. */
export type Operations = (request: IncomingMessage, response: ServerResponse) => boolean

interface Operation {
  /** True for paths without authentication, which load balancers call. */
  readonly open: boolean
  answer(request: IncomingMessage): PlainAnswer | Promise<PlainAnswer>
}

/** Error codes for rejected callers. */
const CODES: Partial<Record<ErrorKind, string>> = { 'bad-key': 'invalid_api_key', forbidden: 'permission_denied' }

/** Health check paths of other products. */
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

/** Handler of the front page, `/healthz`, `/readyz` and `/metrics`. */
export function createOperations(sources: OperationSources): Operations {
  const { authenticate, notReady, notes = () => [], metrics, url, trustedProxies, onWarning } = sources
  const operations = new Map<string, Operation>([
    ['/', { open: true, answer: (request) => frontPage(request, url) }],
    ['/healthz', { open: true, answer: () => json(200, { status: 'ok' }) }],
    ['/readyz', { open: true, answer: async () => readiness(await notReady(), notes()) }],
  ])
  if (metrics)
    operations.set('/metrics', {
      open: false,
      answer: (request) => metricsAnswer(metrics, request),
    })
  for (const [path, operation] of [...operations]) if (path !== '/') operations.set(`${path}/`, operation)
  for (const path of GUESSES) operations.set(path, { open: true, answer: () => otherName(path) })

  /** Rejection of a caller without the right to read metrics; undefined = allowed. */
  const refusal = async (request: IncomingMessage): Promise<PlainAnswer | undefined> => {
    const { origin } = request.headers
    if (origin !== undefined)
      return failure(
        403,
        'Requests from browsers are refused: do not use an API key in a browser.',
        'permission_denied',
      )
    const credential = credentialOf(request)
    const principal = credential ? await authenticate(credential) : undefined
    if (!principal)
      return failure(401, 'An API key is required: send `Authorization: Bearer <API_KEY>`.', 'invalid_api_key')
    checkAddress(principal, clientAddress(request.socket.remoteAddress, request.headers, trustedProxies))
    if (mayReadMetrics(principal)) return undefined
    return failure(
      403,
      'This key cannot read the metrics, which cover all keys. Use a key with the scope `metrics`.',
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
        onWarning(`${pathOf(request)} failed: ${reasonOf(error)}`)
        if (!HeadgateError.is(error)) return failure(500, 'The request failed. The log shows the reason.')
        return failure(error.status, error.message, CODES[error.kind])
      })
      .then((answer) => send(request, response, answer))
    return true
  }
}

function otherName(path: string): PlainAnswer {
  const message = `There is no path ${path}. Use GET /healthz to check that the program runs, or GET /readyz to check that it accepts requests.`
  return failure(404, message, 'not_found')
}

/** Key sent by the caller. If several headers carry one, only `Authorization` counts. */
function credentialOf({ headers }: IncomingMessage): string | undefined {
  const { authorization } = headers
  if (authorization !== undefined) return /^bearer +(\S+) *$/i.exec(authorization)?.[1]
  const other = headers['x-api-key'] ?? headers['x-goog-api-key'] ?? headers['api-key']
  return typeof other === 'string' ? other : undefined
}

function readiness(reasons: readonly string[], notes: readonly string[]): PlainAnswer {
  const shown = notes.length > 0 && { notes }
  return reasons.length === 0
    ? json(200, { status: 'ready', ...shown })
    : json(503, { status: 'not ready', reasons, ...shown })
}

/** Message of an error and its causes. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : `${error.message} (${reasonOf(error.cause)})`
}
