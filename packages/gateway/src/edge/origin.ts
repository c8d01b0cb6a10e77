import { HeadgateError } from '@headgate/core/errors'
import type { AnswerHeaders, Incoming, Sink } from './sink.ts'

/** Origins of desktop apps and extensions: `app://obsidian.md`, `chrome-extension://<id>`. */
const APP_ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?(?::\d{1,5})?$/
/** Time for which a browser caches the answer to a preflight request, in seconds: the maximum of all browsers. */
const PREFLIGHT_SECONDS = '7200'

/**
 * Whether a string is exactly what a browser sends as `Origin`. A wildcard, a scheme without a host, a path and `null`,
 * which any page can send, are not.
 */
export function isOrigin(origin: string): boolean {
  if (!/^https?:/.test(origin)) return APP_ORIGIN.test(origin) && !origin.startsWith('file:')
  return URL.canParse(origin) && new URL(origin).origin === origin && !origin.includes('*')
}

/** Checks the origins that may call. @throws TypeError that names an origin that no browser sends. */
export function checkOrigins(origins: readonly string[]): void {
  const wrong = origins.find((origin) => !isOrigin(origin))
  if (wrong !== undefined)
    throw new TypeError(
      `origins: "${wrong}" is no origin. Write scheme, host and port alone: https://chat.example.com.`,
    )
}

/** Refuses browsers: a request with an Origin, unless that origin may call. */
export function checkOrigin({ headers: { origin } }: Incoming, allowed: readonly string[]): void {
  if (origin === undefined || isAllowed(origin, allowed)) return
  throw new HeadgateError(
    'forbidden',
    'Requests from this origin are refused: an API key does not belong into a page. Call from your server, or ask the operator of the gateway to allow this origin (server.origins).',
  )
}

function isAllowed(origin: string | string[] | undefined, allowed: readonly string[]): origin is string {
  return typeof origin === 'string' && allowed.includes(origin)
}

/** Whether a request is a CORS preflight request. */
export function isPreflight({ method, headers }: Incoming): boolean {
  return (
    method === 'OPTIONS' && headers['origin'] !== undefined && headers['access-control-request-method'] !== undefined
  )
}

/** Answers a preflight request. The request itself gets 405 if its path does not have the method. */
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

/**
 * Sink whose answers a page of an allowed origin can read: never with cookies, since there is no
 * `access-control-allow-credentials`.
 */
export function readableBy(allowed: readonly string[], { headers: { origin } }: Incoming, sink: Sink): Sink {
  const may: AnswerHeaders = {
    // A cache must not serve the answer for one origin to another one.
    vary: 'origin',
    ...(isAllowed(origin, allowed) && { 'access-control-allow-origin': origin, 'access-control-expose-headers': '*' }),
  }
  return { ...sink, head: (status, given) => sink.head(status, { ...given, ...may }) }
}
