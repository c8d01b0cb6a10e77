import { type HttpRequest, targetOf, type Upstream } from '@headgate/core/provider'
import type { FamilyKit } from '../families/family.ts'
import { type Check, distinct, type RemoteTarget } from './check.ts'

/** Targets of one member of a provider, and the hosts it can use. */
interface Asked {
  readonly member: string
  readonly url: string
  readonly home: Pick<Upstream, 'baseUrl' | 'hosts'>
}

/**
 * A credential is only sent to the base URL and to hosts that the adapter declares: core rejects all other requests.
 */
export const hostsCheck = (families: readonly FamilyKit[]): Check<RemoteTarget> => ({
  name: 'sends requests only to its base URL and to hosts that it declares',
  async run({ harness: { provider }, facts }) {
    const { credential } = provider
    const lease = credential.kind === 'signed' ? credential.lease : undefined
    const places = [
      ...families
        .flatMap(({ asks }) => asks?.(provider, facts) ?? [])
        .flatMap(({ member, make }) => asked(provider, member, make)),
      ...asked({ hosts: lease?.hosts ?? [] }, 'lease.obtain.request', () => lease?.obtain.request({ now: new Date() })),
    ]
    return distinct(
      places
        .filter(({ home, url }) => !mayAsk(home, url))
        .map(
          ({ member, url }) =>
            `\`${member}\` sends a request to ${hostOf(url)}: return a path below \`baseUrl\`, or add the host to \`hosts\`.`,
        ),
    )
  },
})

function mayAsk(home: Asked['home'], url: string): boolean {
  try {
    targetOf(home, url)
    return true
  } catch {
    return false
  }
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url
}

/** Empty if the provider lacks the member, or if the member throws: other checks report that. */
function asked(home: Asked['home'], member: string, request: () => HttpRequest | string | undefined): Asked[] {
  try {
    const made = request()
    return made === undefined ? [] : [{ home, member, url: typeof made === 'string' ? made : made.url }]
  } catch {
    return []
  }
}
