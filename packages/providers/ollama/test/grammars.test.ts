import type { ChatRequest, Codec, Loss } from '@headgate/core/codec'
import { expect, it } from 'vitest'
import { ollama } from '../src/index.ts'

it('A custom tool has its grammar in the description', () => {
  const { chat = [] } = ollama({})
  const codec = chat.flatMap((support) =>
    'format' in support && typeof support.format === 'object' ? [support.format] : [],
  )[0] as Codec
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
  const { body, restore } = codec.writeRequest(request, { model: 'm' }, losses)
  expect(JSON.stringify(body)).toContain(
    JSON.stringify('Runs.\nThe input must match this grammar: {"syntax":"lark",').slice(1, -1),
  )
  expect(losses).toMatchObject([{ path: 'tools[0].format', kind: 'changed' }])
  expect([...(restore?.custom ?? [])]).toEqual(['sh'])
})
