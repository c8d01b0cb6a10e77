import type { ChatRequest, Loss } from '@headgate/core/codec'
import type { ProviderInstance } from '@headgate/gateway'
import { expect, it } from 'vitest'

/** Providers with codecs that take no grammars, and a config of each. */
const PROVIDERS: readonly (readonly [id: string, config: object])[] = [
  ['bedrock', { region: 'us-east-1', apiKey: 'k' }],
  ['cohere', { apiKey: 'k' }],
  ['ollama', {}],
]

it.each(PROVIDERS)('The codec of %s writes the grammar of a custom tool into its description', async (id, config) => {
  const adapter: (config: object) => ProviderInstance = (await import(`../../providers/${id}/src/index.ts`))[id]
  const { chat = [] } = adapter(config)
  const codec = chat
    .flatMap((support) => ('format' in support && typeof support.format === 'object' ? [support.format] : []))
    .at(0)
  const grammar = { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "a"' } }
  const request: ChatRequest = {
    model: 'm',
    messages: [{ role: 'user', blocks: [{ type: 'text', text: 'Hi' }] }],
    tools: [{ type: 'custom', at: 'tools[0]', name: 'sh', description: 'Runs.', grammar }],
    stream: false,
    streamUsage: false,
    paths: {},
  }
  const losses: Loss[] = []
  const { body, restore } = codec?.writeRequest(request, { model: 'm' }, losses) ?? {}
  expect(JSON.stringify(body)).toContain(
    JSON.stringify('Runs.\nThe input must match this grammar: {"syntax":"lark",').slice(1, -1),
  )
  expect(losses).toMatchObject([{ path: 'tools[0].format', kind: 'changed' }])
  expect([...(restore?.custom ?? [])]).toEqual(['sh'])
})
