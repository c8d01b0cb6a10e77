import { HeadgateError } from '@headgate/gateway/ports'
import type { OidcClients } from './clients.ts'
import type { OidcProvider } from './provider.ts'

/** What came of asking a provider what it publishes. */
export interface Discovered {
  readonly isUsable: boolean
  /** What is wrong, and what to do about it; that nothing is. */
  readonly detail: string
  readonly tookMs: number
  /** Where people are sent, and where their codes go. Absent where it could not be read. */
  readonly authorization?: string
  readonly token?: string
}

const NEEDED = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const
/** Longest of what a provider says that is told, in characters. */
const LONGEST = 500

/** Asks a provider anew, whatever is remembered of it. */
export async function discovered(clients: OidcClients, provider: OidcProvider): Promise<Discovered> {
  const began = performance.now()
  const took = () => Math.round(performance.now() - began)
  try {
    const metadata = (await clients.configuration(provider, { isAnew: true })).serverMetadata()
    const [authorization, token] = [cut(metadata.authorization_endpoint), cut(metadata.token_endpoint)]
    const lacks = NEEDED.filter((name) => metadata[name] === undefined)
    const detail =
      lacks.length === 0
        ? 'It is there, and says what a sign-in needs.'
        : `What it publishes lacks ${lacks.join(', ')}.`
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

/** Why a provider could not be read, by what `openid-client` and `fetch` throw. */
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
    return 'It did not answer within 5 s. Look whether this machine reaches it.'
  if (has('OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED'))
    return 'It calls itself by another name than `issuer` in the configuration: write that one, letter by letter.'
  if (has('OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON', 'OAUTH_PARSE_ERROR', 'OAUTH_INVALID_RESPONSE'))
    return 'There is something, but no `/.well-known/openid-configuration` as OIDC has it. Look at `issuer` in the configuration.'
  const network = has('ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH')
  if (network !== undefined)
    return `Nothing answers at \`issuer\` (${network}). Look at the configuration, and whether this machine reaches it.`
  if (codes.some((code) => code.includes('CERT') || code.startsWith('ERR_TLS')))
    return 'Its certificate is none that this machine trusts.'
  return 'It can not be reached, or is no OIDC provider.'
}

function cut(text: string | undefined): string | undefined {
  return text?.slice(0, LONGEST)
}
