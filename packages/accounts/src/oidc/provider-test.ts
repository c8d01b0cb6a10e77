import { HeadgateError } from '@headgate/gateway/ports'
import type { OidcClients } from './clients.ts'
import type { OidcProvider } from './provider.ts'

/** Result of reading a provider's metadata. */
export interface OidcTestResult {
  readonly isUsable: boolean
  /** Problem and advice, or a success message. */
  readonly detail: string
  readonly tookMs: number
  /** Authorization endpoint. Absent if it could not be read. */
  readonly authorization?: string
  /** Token endpoint. Absent if it could not be read. */
  readonly token?: string
}

const NEEDED = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const
/** Maximum length of quoted metadata in characters. */
const LONGEST = 500

/** Reads the metadata of a provider without the cache. */
export async function testProvider(clients: OidcClients, provider: OidcProvider): Promise<OidcTestResult> {
  const began = performance.now()
  const took = () => Math.round(performance.now() - began)
  try {
    const metadata = (await clients.configuration(provider, { isAnew: true })).serverMetadata()
    const [authorization, token] = [cut(metadata.authorization_endpoint), cut(metadata.token_endpoint)]
    const lacks = NEEDED.filter((name) => metadata[name] === undefined)
    const detail = lacks.length === 0 ? 'The metadata is complete.' : `The metadata lacks ${lacks.join(', ')}.`
    return {
      isUsable: lacks.length === 0,
      detail,
      tookMs: took(),
      ...(authorization !== undefined && { authorization }),
      ...(token !== undefined && { token }),
    }
  } catch (error) {
    return { isUsable: false, detail: reasonOf(error), tookMs: took() }
  }
}

/** Reason why a provider could not be read, from errors of `openid-client` and `fetch`. */
function reasonOf(error: unknown): string {
  const codes: string[] = []
  for (
    let cause: unknown = error instanceof HeadgateError ? error.cause : error, depth = 0;
    cause instanceof Error && depth < 5;
    depth += 1
  ) {
    codes.push(cause.name, 'code' in cause ? String(cause.code) : '')
    cause = cause.cause
  }
  const has = (...known: readonly string[]) => codes.find((code) => known.includes(code))
  if (has('TimeoutError', 'AbortError', 'OAUTH_TIMEOUT', 'OAUTH_ABORT'))
    return 'The provider did not respond within 5 s. Check that this machine can reach it.'
  if (has('OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED'))
    return 'The issuer in the metadata differs from `issuer` in the configuration. They must match exactly.'
  if (has('OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON', 'OAUTH_PARSE_ERROR', 'OAUTH_INVALID_RESPONSE'))
    return 'The server responded without a valid `/.well-known/openid-configuration`. Check `issuer` in the configuration.'
  const network = has('ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH')
  if (network !== undefined)
    return `No server responds at \`issuer\` (${network}). Check the configuration, and that this machine can reach it.`
  if (codes.some((code) => code.includes('CERT') || code.startsWith('ERR_TLS')))
    return 'This machine does not trust the certificate of the provider.'
  return 'The server cannot be reached, or is not an OIDC provider.'
}

function cut(text: string | undefined): string | undefined {
  return text?.slice(0, LONGEST)
}
