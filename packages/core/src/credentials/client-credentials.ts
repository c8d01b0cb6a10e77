import type { Credential } from '../contract/credential.ts'
import type { HttpRequest } from '../contract/http.ts'
import { accessToken, postForm } from './token.ts'

export interface ClientCredentials {
  /** A whole URL. */
  readonly tokenUrl: string
  readonly clientId: string
  readonly clientSecret: string
  readonly scope?: string | undefined
  /** Further fields that the vendor wants: `audience`, `resource`. */
  readonly fields?: Readonly<Record<string, string>>
  /** Where the client shows itself: in the form (default), or by HTTP Basic. */
  readonly by?: 'form' | 'basic'
}

/**
 * OAuth 2.0's grant for a program on its own account.
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-4.4
 */
export function clientCredentials({
  tokenUrl,
  clientId,
  clientSecret,
  scope,
  fields,
  by = 'form',
}: ClientCredentials): Credential {
  const form = { grant_type: 'client_credentials', ...(scope !== undefined && { scope }), ...fields }
  const basic = btoa(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`)
  const request = (): HttpRequest =>
    by === 'basic'
      ? postForm(tokenUrl, form, { authorization: `Basic ${basic}` })
      : postForm(tokenUrl, { ...form, client_id: clientId, client_secret: clientSecret })
  return accessToken(tokenUrl, request, by === 'basic' ? [clientSecret, basic] : [clientSecret])
}
