import { HeadgateError } from '../errors.ts'
import type { AnswerHeaders, Incoming, Sink } from './sink.ts'

/** `https://chat.example.com`, without a path; `null`, which any page can have, is none. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/?#\s]+$/
/** How long a browser may keep what it was told of a path, in seconds: the most that they all do. */
const PREFLIGHT_SECONDS = '7200'

/** Checks the origins that may call. @throws TypeError for what no browser sends. */
export function checkOrigins(origins: readonly string[]): void {
  const wrong = origins.find((origin) => !ORIGIN.test(origin))
  if (wrong !== undefined)
    throw new TypeError(`origins: "${wrong}" is no origin. Write scheme, host and port alone: https://chat.example.com.`)
}

/** Refuses browsers: a request with an Origin, unless that origin may call. */
export function checkOrigin({ headers: { origin } }: Incoming, allowed: readonly string[]): void {
  if (origin === undefined || isAllowed(origin, allowed)) return
  throw new HeadgateError(
    'forbidden',
    'Requests from browsers are refused: an API key does not belong there. Call from a server of yours, which the browser calls.',
  )
}

function isAllowed(origin: string | string[] | undefined, allowed: readonly string[]): origin is string {
  return typeof origin === 'string' && allowed.includes(origin)
}

/** Whether a browser asks if it may send a request. */
export function isPreflight({ method, headers }: Incoming): boolean {
  return method === 'OPTIONS' && headers['origin'] !== undefined && headers['access-control-request-method'] !== undefined
}

/** Answers what a browser asks before it sends a request. Methods that a path has not are refused once they are sent. */
export function answerPreflight(sink: Sink, { headers }: Incoming, requestId: string): void {
  const wanted = headers['access-control-request-headers']
  sink.head(204, {
    'access-control-allow-methods': 'GET, HEAD, POST, DELETE',
    ...(wanted !== undefined && { 'access-control-allow-headers': wanted }),
    'access-control-max-age': PREFLIGHT_SECONDS,
    'x-request-id': requestId,
  })
  sink.end()
}

/** A sink whose answers a page of an allowed origin may read. */
export function readableBy(allowed: readonly string[], { headers: { origin } }: Incoming, sink: Sink): Sink {
  const may: AnswerHeaders = {
    // A cache must not give one origin what another one may read.
    vary: 'origin',
    ...(isAllowed(origin, allowed) && { 'access-control-allow-origin': origin, 'access-control-expose-headers': '*' }),
  }
  return { ...sink, head: (status, given) => sink.head(status, { ...given, ...may }) }
}
