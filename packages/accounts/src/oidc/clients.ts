import { HeadgateError } from '@headgate/gateway/ports'
import type { Configuration, CustomFetch } from 'openid-client'
import { isLoopback, issuerOf, type OidcProvider } from './provider.ts'

/** The OIDC providers that are configured, and what each says of itself. */
export interface OidcClients {
  readonly providers: readonly OidcProvider[]
  /** @throws HeadgateError `not-found`. */
  provider(id: string): OidcProvider
  /**
   * What the provider has published, remembered for an hour; with `isAnew` whatever is remembered.
   * @throws HeadgateError `upstream` where it can not be read.
   */
  configuration(provider: OidcProvider, how?: { readonly isAnew: boolean }): Promise<Configuration>
}

/** How long what was read, and that it could not be, is remembered, in milliseconds. */
const REMEMBERED = 3_600_000
const FAILED = 5_000
/** How long one answer of a provider may take, in seconds, and how long it may be, in bytes. */
const PATIENCE = 5
const LONGEST = 2 ** 20

interface Remembered {
  readonly read: Promise<Configuration>
  until: number
}

export function createClients(providers: readonly OidcProvider[], now: () => number): OidcClients {
  for (const provider of providers) issuerOf(provider)
  const known = new Map<string, Remembered>()
  return {
    providers,
    provider(id) {
      const found = providers.find((one) => one.id === id)
      if (!found) throw new HeadgateError('not-found', 'There is no such OIDC provider.')
      return found
    },
    configuration(provider, { isAnew } = { isAnew: false }) {
      const remembered = known.get(provider.id)
      if (remembered && !isAnew && now() < remembered.until) return remembered.read
      const read = discover(provider)
      const entry: Remembered = { read, until: now() + REMEMBERED }
      known.set(provider.id, entry)
      read.catch(() => {
        entry.until = now() + FAILED
      })
      return read
    },
  }
}

async function discover(provider: OidcProvider): Promise<Configuration> {
  const { allowInsecureRequests, customFetch, discovery, enableNonRepudiationChecks, None } = await import(
    'openid-client'
  )
  const issuer = issuerOf(provider)
  const { clientId, clientSecret } = provider
  try {
    return await discovery(issuer, clientId, clientSecret, clientSecret === undefined ? None() : undefined, {
      timeout: PATIENCE,
      [customFetch]: boundedFetch,
      // Signatures are checked though the token comes over TLS: what stands between may end it.
      execute: [enableNonRepudiationChecks, ...(isLoopback(issuer) ? [allowInsecureRequests] : [])],
    })
  } catch (cause) {
    throw new HeadgateError(
      'upstream',
      `The OIDC provider ${provider.name} can not be reached, or is none. Try again later.`,
      { cause },
    )
  }
}

/** Reads no more than a provider can have to say, and follows it nowhere. */
const boundedFetch: CustomFetch = async (url, options) => {
  const response = await fetch(url, { ...options, redirect: 'manual' } as RequestInit)
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength
    if (length > LONGEST) throw new TypeError('The answer of the OIDC provider is too long.')
    chunks.push(chunk)
  }
  const hasBody = ![101, 204, 205, 304].includes(response.status)
  return new Response(hasBody ? Buffer.concat(chunks) : null, { status: response.status, headers: response.headers })
}
