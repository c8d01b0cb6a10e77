import { isObject, number, text } from '../canonical/json.ts'
import { type Credential, type Leased, signed } from '../contract/credential.ts'
import type { HttpRequest, HttpResponse } from '../contract/http.ts'
import { HeadgateError } from '../errors.ts'

/** An access token, as OAuth 2.0 has it. */
interface Token {
  readonly token: string
}

/** So long a token is used whose answer does not say how long it holds, in seconds: less than any vendor's. */
const UNSAID_S = 300

/** @see https://www.rfc-editor.org/rfc/rfc6749#section-5.1 */
function readToken({ body }: HttpResponse, now: Date): Leased<Token> {
  const { access_token, expires_in } = isObject(body) ? body : {}
  const token = text(access_token)
  if (!token) throw new HeadgateError('our-credential', 'The answer holds no access token.')
  const seconds = number(typeof expires_in === 'string' ? Number(expires_in) : expires_in) ?? UNSAID_S
  return { token, expiresAt: new Date(now.getTime() + seconds * 1000) }
}

/** A POST of a form. */
export function postForm(
  url: string,
  fields: Readonly<Record<string, string>>,
  headers: HttpRequest['headers'] = {},
): HttpRequest {
  const body = { bytes: new URLSearchParams(fields).toString(), type: 'application/x-www-form-urlencoded' }
  return { method: 'POST', url, headers: { accept: 'application/json', ...headers }, body }
}

/**
 * An access token that is obtained by one request, and goes up as `Authorization: Bearer <token>`.
 * @param secrets what it is obtained with, and must never be seen.
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
