import { HeadgateError } from '@headgate/gateway/ports'
import type { Configuration, CustomFetch } from 'openid-client'
import { isLoopback, issuerOf, type OidcProvider } from './provider.ts'

/** Configured OIDC providers and their metadata. */
export interface OidcClients {
  readonly providers: readonly OidcProvider[]
  /** @throws HeadgateError `not-found`. */
  provider(id: string): OidcProvider
  /**
   * Metadata of the provider, cached for an hour; `isAnew` ignores the cache.
   * @throws HeadgateError `upstream` if it cannot be read.
   */
  configuration(provider: OidcProvider, how?: { readonly isAnew: boolean }): Promise<Configuration>
}

/** Cache time of metadata in milliseconds. */
const REMEMBERED = 3_600_000
/** Cache time of failures in milliseconds. */
const FAILED = 5_000
/** Time limit of one response in seconds. */
const PATIENCE = 5
/** Maximum size of one response in bytes. */
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
      // Signatures are checked despite TLS, because a middlebox may terminate it.
      execute: [enableNonRepudiationChecks, ...(isLoopback(issuer) ? [allowInsecureRequests] : [])],
    })
  } catch (cause) {
    throw new HeadgateError(
      'upstream',
      `The OIDC provider ${provider.name} cannot be reached, or is not an OIDC provider. Try again later.`,
      { cause },
    )
  }
}

/** Fetch with a size limit and without redirects. */
const boundedFetch: CustomFetch = async (url, options) => {
  const response = await fetch(url, { ...options, redirect: 'manual' } as RequestInit)
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength
    if (length > LONGEST) throw new TypeError('The response of the OIDC provider is too long.')
    chunks.push(chunk)
  }
  const hasBody = ![101, 204, 205, 304].includes(response.status)
  return new Response(hasBody ? Buffer.concat(chunks) : null, { status: response.status, headers: response.headers })
}
