import { HeadgateError } from '@headgate/core/errors'
import type { Incoming, ResponseHeaders, Sink } from './sink.ts'

/** Origins of desktop apps and extensions: `app://obsidian.md`, `chrome-extension://<id>`. */
const APP_ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?(?::\d{1,5})?$/
/** Time for which browsers cache the response to a preflight request, in seconds: the maximum of all browsers. */
const PREFLIGHT_SECONDS = '7200'

/**
 * True if a string is exactly what a browser sends as `Origin`. Wildcards, schemes without a host, and paths are not
 * valid, nor is `null`, which any page can send.
 *
 * @example
 * ```ts
 * isOrigin('https://chat.example.com') // true
 * isOrigin('https://chat.example.com/') // false
 * ```
 */
export function isOrigin(origin: string): boolean {
  if (!/^https?:/.test(origin)) return APP_ORIGIN.test(origin) && !origin.startsWith('file:')
  return URL.canParse(origin) && new URL(origin).origin === origin && !origin.includes('*')
}

/**
 * Checks the allowed origins.
 * @throws TypeError that names an invalid origin
 */
export function checkOrigins(origins: readonly string[]): void {
  const wrong = origins.find((origin) => !isOrigin(origin))
  if (wrong !== undefined)
    throw new TypeError(
      `origins: "${wrong}" is not an origin. Use only scheme, host and port: https://chat.example.com.`,
    )
}

/** Rejects requests of browsers, unless their origin is allowed. */
export function checkOrigin({ headers: { origin } }: Incoming, allowed: readonly string[]): void {
  if (origin === undefined || isAllowed(origin, allowed)) return
  throw new HeadgateError(
    'forbidden',
    'This origin is not allowed, because API keys must not be exposed in web pages. Send the request from your server, or have this origin allowed by the operator of the gateway (server.origins).',
  )
}

function isAllowed(origin: string | string[] | undefined, allowed: readonly string[]): origin is string {
  return typeof origin === 'string' && allowed.includes(origin)
}

export function isPreflight({ method, headers }: Incoming): boolean {
  return (
    method === 'OPTIONS' && headers['origin'] !== undefined && headers['access-control-request-method'] !== undefined
  )
}

/** Responds to a preflight request. If its path does not support the method, the request itself gets a 405. */
export function sendPreflight(sink: Sink, { headers }: Incoming, requestId: string): void {
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
 * Sink whose responses are readable by pages of an allowed origin. Cookies are never used, since
 * `access-control-allow-credentials` is not sent.
 */
export function readableBy(allowed: readonly string[], { headers: { origin } }: Incoming, sink: Sink): Sink {
  const may: ResponseHeaders = {
    // A cache must not serve the response for one origin to another one.
    vary: 'origin',
    ...(isAllowed(origin, allowed) && { 'access-control-allow-origin': origin, 'access-control-expose-headers': '*' }),
  }
  return { ...sink, head: (status, given) => sink.head(status, { ...given, ...may }) }
}
