import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { ShownMetrics } from './metrics.ts'
import { failure, type PlainAnswer, pathOf, refusedMethod, send } from './plain-answer.ts'

/** Names of this machine for itself. A page whose own name leads here by a trick of DNS says that name. */
const OWN_NAMES = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i
/** More than those who scrape need. */
const CONNECTIONS = 100

/** A server for `/metrics` alone, without keys: for the loopback interface, and not for browsers there. */
export function createMetricsListener(metrics: ShownMetrics): Server {
  const server = createServer((request, response) => {
    answerTo(request, metrics)
      .catch(() => failure(500, 'This could not be answered.'))
      .then((answer) => send(request, response, answer))
  })
  server.maxConnections = CONNECTIONS
  return server
}

async function answerTo(request: IncomingMessage, metrics: ShownMetrics): Promise<PlainAnswer> {
  const { origin, host = '' } = request.headers
  if (origin !== undefined || !OWN_NAMES.test(host))
    return failure(403, 'Requests from browsers are refused.', 'permission_denied')
  if (pathOf(request) !== '/metrics') return failure(404, 'There is only /metrics here.', 'not_found')
  return refusedMethod(request) ?? { status: 200, type: metrics.contentType, body: await metrics.text() }
}
