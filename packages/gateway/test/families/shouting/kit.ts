import {
  type Check,
  envelopeProblems,
  type FamilyKit,
  lineProblems,
  type MoreFamilies,
  testCall,
  type UpstreamFacts,
} from '../../../../conformance/src/index.ts'
import { object } from '../../../../core/src/provider.ts'
import { families } from '../../../src/families/index.ts'
import { createGatewayOf } from '../../../src/gateway.ts'
import { shouting } from './index.ts'

/** What a provider's author says of its shouting. */
export interface ShoutingFacts {
  readonly model: string
  /** Where it takes texts, without the host. */
  readonly path: string
}

const shoutCheck = ({ model, path }: ShoutingFacts, upstream: UpstreamFacts): Check => ({
  name: 'makes texts loud',
  async run({ harness }) {
    harness.upstream.answer({ kind: 'whole', body: { shout: 'HELLO' } })
    const got = await harness.ask({ path: '/v1/shouts', body: { model, text: 'hello' } })
    const [request] = harness.upstream.received
    if (!request) return [`No text got to the upstream: ${got.text}`]
    return [
      ...lineProblems(request, [path], model, '`shouting.request`'),
      ...envelopeProblems(request, upstream),
      ...(object(request.body)?.['text'] === 'hello'
        ? []
        : ['The text is another one at the upstream: mend `shouting.request`.']),
      ...(object(got.body)?.['shout'] === 'HELLO' ? [] : [`The caller gets ${got.text}: mend \`shouting.response\`.`]),
      ...(harness.rows.at(-1)?.family === 'shouting' ? [] : ['Nothing was accounted.']),
    ]
  },
})

/** How the kit checks the family: without facts the provider is said to have none of it. */
function shoutingKit(given?: ShoutingFacts): FamilyKit {
  return {
    id: 'shouting',
    fact: { name: 'shouting', isGiven: () => given !== undefined, has: ({ shouting }) => shouting !== undefined },
    checks: ({ upstream }) => (given && upstream ? [shoutCheck(given, upstream)] : []),
    asks: (provider) => [
      {
        member: 'shouting.request',
        make: () => provider.shouting?.request({ model: given?.model ?? '', text: 'hello' }, testCall()),
      },
    ],
  }
}

export function withShouting(facts?: ShoutingFacts): MoreFamilies {
  return {
    families: [shoutingKit(facts)],
    createGateway: (options) => createGatewayOf([...families, shouting], options),
  }
}
