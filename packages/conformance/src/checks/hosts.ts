import { type HttpRequest, type ProviderInstance, targetOf, type Upstream } from '@headgate/core/provider'
import { testCall } from '../test-call.ts'
import { type Check, distinct, type RemoteSubject } from './check.ts'

/** Where a provider asks, by the member that says so, and where it may. */
interface Asked {
  readonly member: string
  readonly url: string
  readonly home: Pick<Upstream, 'baseUrl' | 'hosts'>
}

/** A credential goes to the base URL and to hosts that the adapter declares: core refuses every other request. */
export const hostsCheck: Check<RemoteSubject> = {
  name: 'asks only its base URL and the hosts that it declares',
  async run({ bench: { provider }, facts: { model, embeddings } }) {
    return distinct(
      placesAsked(provider, model ?? embeddings?.model ?? '')
        .filter(({ home, url }) => !mayAsk(home, url))
        .map(({ member, url }) => `\`${member}\` asks ${hostOf(url)}: give a path below \`baseUrl\`, or name the host in \`hosts\`.`),
    )
  },
}

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

function placesAsked(provider: ProviderInstance, model: string): Asked[] {
  const { chat = [], models, countTokens, embeddings, credential } = provider
  const lease = credential.kind === 'signed' ? credential.lease : undefined
  const ofChat = chat.flatMap((support) =>
    'run' in support ? [] : [false, true].flatMap((stream) => asked(provider, 'path', () => support.path(testCall({ model, stream })))),
  )
  const exchange = embeddings && 'request' in embeddings ? embeddings : undefined
  const call = testCall({ model })
  return [
    ...ofChat,
    ...asked(provider, 'models.request', () => models?.request(undefined, call)),
    ...asked(provider, 'countTokens.request', () => countTokens?.request({ model, body: {} }, call)),
    ...asked(provider, 'embeddings.request', () => exchange?.request({ model, inputs: ['A text.'], encoding: 'float' }, call)),
    ...asked({ hosts: lease?.hosts ?? [] }, 'lease.obtain.request', () => lease?.obtain.request({ now: new Date() })),
  ]
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
