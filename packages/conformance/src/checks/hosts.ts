import { type HttpRequest, targetOf, type Upstream } from '@headgate/core/provider'
import type { FamilyKit } from '../families/family.ts'
import { type Check, distinct, type RemoteSubject } from './check.ts'

/** Where a provider asks, by the member that says so, and where it may. */
interface Asked {
  readonly member: string
  readonly url: string
  readonly home: Pick<Upstream, 'baseUrl' | 'hosts'>
}

/** A credential goes to the base URL and to hosts that the adapter declares: core refuses every other request. */
export const hostsCheck = (families: readonly FamilyKit[]): Check<RemoteSubject> => ({
  name: 'asks only its base URL and the hosts that it declares',
  async run({ bench: { provider }, facts }) {
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
            `\`${member}\` asks ${hostOf(url)}: give a path below \`baseUrl\`, or name the host in \`hosts\`.`,
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

/** Nothing where there is no such member, or where it fails: others check that. */
function asked(home: Asked['home'], member: string, request: () => HttpRequest | string | undefined): Asked[] {
  try {
    const made = request()
    return made === undefined ? [] : [{ home, member, url: typeof made === 'string' ? made : made.url }]
  } catch {
    return []
  }
}
