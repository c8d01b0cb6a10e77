import type { Credential } from '../contract/credential.ts'
import type { HttpRequest } from '../contract/http.ts'
import { accessToken, postForm } from './token.ts'
import { tokenFile } from './token-file.ts'

/** Client of the OAuth 2.0 client credentials grant. */
export interface ClientCredentials {
  /** Absolute URL. */
  readonly tokenUrl: string
  readonly clientId: string
  /** Required without `tokenFile`. */
  readonly clientSecret?: string | undefined
  /** Path of a file with a token of the platform that proves the client, instead of a secret (RFC 7523). */
  readonly tokenFile?: string | undefined
  readonly scope?: string | undefined
  /** Additional fields that the vendor requires, such as `audience` or `resource`. */
  readonly fields?: Readonly<Record<string, string>>
  /** Location of the client's id and secret: the form (default), or HTTP Basic. */
  readonly by?: 'form' | 'basic'
}

/**
 * Credential of the OAuth 2.0 client credentials grant.
 * @example clientCredentials({ tokenUrl: 'https://acme.example/oauth2/token', clientId, clientSecret })
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-4.4
 */
export function clientCredentials({
  tokenUrl,
  clientId,
  clientSecret = '',
  tokenFile: tokenPath,
  scope,
  fields,
  by = 'form',
}: ClientCredentials): Credential {
  const form = { grant_type: 'client_credentials', ...(scope !== undefined && { scope }), ...fields }
  if (clientSecret === '' && tokenPath !== undefined)
    return accessToken(tokenUrl, () =>
      postForm(tokenUrl, {
        ...form,
        client_id: clientId,
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: tokenFile(tokenPath),
      }),
    )
  const basic = btoa(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`)
  const request = (): HttpRequest =>
    by === 'basic'
      ? postForm(tokenUrl, form, { authorization: `Basic ${basic}` })
      : postForm(tokenUrl, { ...form, client_id: clientId, client_secret: clientSecret })
  return accessToken(tokenUrl, request, by === 'basic' ? [clientSecret, basic] : [clientSecret])
}
