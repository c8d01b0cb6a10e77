import { isObject, number, text } from '../canonical/json.ts'
import { type Credential, type Leased, signed } from '../contract/credential.ts'
import type { HttpRequest, HttpResponse } from '../contract/http.ts'
import { HeadgateError } from '../errors.ts'

/** OAuth 2.0 access token. */
export interface Token {
  readonly token: string
}

/** Lifetime in seconds of a token without `expires_in`. Shorter than any vendor's. */
const UNSAID_S = 300

/**
 * Access token in the response of a token endpoint.
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-5.1
 */
export function readToken({ body }: HttpResponse, now: Date): Leased<Token> {
  const { access_token, expires_in } = isObject(body) ? body : {}
  const token = text(access_token)
  if (!token) throw new HeadgateError('our-credential', 'The token endpoint returned no access token.')
  const seconds = number(typeof expires_in === 'string' ? Number(expires_in) : expires_in) ?? UNSAID_S
  return { token, expiresAt: new Date(now.getTime() + seconds * 1000) }
}

/**
 * POST request with a URL-encoded form.
 * @example postForm('https://acme.example/oauth2/token', { grant_type: 'client_credentials' })
 */
export function postForm(
  url: string,
  fields: Readonly<Record<string, string>>,
  headers: HttpRequest['headers'] = {},
): HttpRequest {
  const body = { bytes: new URLSearchParams(fields).toString(), type: 'application/x-www-form-urlencoded' }
  return { method: 'POST', url, headers: { accept: 'application/json', ...headers }, body }
}

/**
 * Credential for an access token that one request obtains. Sent as `Authorization: Bearer <token>`.
 * @param secrets secret strings in the request. Logs and messages never contain them.
 * @example accessToken(url, () => postForm(url, { grant_type: 'refresh_token', refresh_token }), [refresh_token])
 */
export function accessToken(
  url: string,
  request: (now: Date) => HttpRequest,
  secrets: readonly string[] = [],
): Credential {
  const { protocol, host, origin } = new URL(url)
  return signed<Token>({
    secrets,
    lease: {
      hosts: [protocol === 'https:' ? host : origin],
      obtain: {
        request: ({ now }) => request(now),
        response: (answer, _, { now }) => readToken(answer, now),
      },
      secrets: ({ token }) => [token],
    },
    sign: (_, { token }) => ({ authorization: `Bearer ${token}` }),
  })
}
