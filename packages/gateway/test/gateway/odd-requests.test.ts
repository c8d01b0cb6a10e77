import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { odd, type Value } from '../../../core/test/support/odd.ts'
import { CHAT, chatAnswer, MESSAGES, messagesAnswer } from '../../../core/test/support/wire.ts'
import { chatProvider, messagesProvider, startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const chat: Value = {
  model: 'm',
  messages: [
    { role: 'system', content: 'Be kind' },
    { role: 'developer', content: [{ type: 'text', text: 'x' }] },
    {
      role: 'user',
      name: 'n',
      content: [
        { type: 'text', text: 'Look' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${png}`, detail: 'low' } },
        { type: 'file', file: { file_data: 'JVBERi0xLjQK', filename: 'a.pdf' } },
      ],
    },
    {
      role: 'assistant',
      content: 'Hm',
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
    },
    { role: 'tool', tool_call_id: 'c1', content: [{ type: 'text', text: '42' }] },
    { role: 'user', content: 'And?' },
  ],
  tools: [
    {
      type: 'function',
      function: {
        name: 'f',
        description: 'd',
        parameters: { type: 'object', properties: { a: { type: 'number' } } },
        strict: true,
      },
    },
  ],
  tool_choice: { type: 'function', function: { name: 'f' } },
  parallel_tool_calls: false,
  response_format: { type: 'json_schema', json_schema: { name: 's', schema: { type: 'object' }, strict: true } },
  reasoning_effort: 'low',
  stop: ['a', 'b'],
  max_completion_tokens: 10,
  temperature: 1,
  metadata: { a: 'b' },
  stream_options: { include_usage: true },
}

const messages: Value = {
  model: 'm',
  max_tokens: 2000,
  system: [{ type: 'text', text: 'Be kind', cache_control: { type: 'ephemeral' } }],
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
        {
          type: 'document',
          source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0xLjQK' },
          title: 't',
        },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 'c2ln' },
        { type: 'redacted_thinking', data: 'eA==' },
        { type: 'tool_use', id: 'c1', name: 'f', input: { a: 1 } },
      ],
    },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: '42' }], is_error: false }],
    },
  ],
  tools: [{ name: 'f', description: 'd', input_schema: { type: 'object', properties: { a: { type: 'number' } } } }],
  tool_choice: { type: 'tool', name: 'f' },
  thinking: { type: 'enabled', budget_tokens: 1024 },
  stop_sequences: ['a'],
  metadata: { user_id: 'u' },
}

describe('A request with odd values', () => {
  it.each<[string, string, string, Value]>([
    ['chat completions to chat completions', CHAT, 'alpha', chat],
    ['chat completions to messages', CHAT, 'claude', chat],
    ['messages to chat completions', MESSAGES, 'alpha', messages],
    ['messages to messages', MESSAGES, 'claude', messages],
  ])('is answered or refused, and never breaks anything: %s', async (_, path, vendor, base) => {
    const chatUpstream = await startUpstream((call) => call.answer(200, chatAnswer()))
    const messagesUpstream = await startUpstream((call) => call.answer(200, messagesAnswer()))
    const { post, warnings } = await startGateway('fetch', {
      providers: [chatProvider(chatUpstream.url), messagesProvider(messagesUpstream.url, { name: 'claude' })],
    })
    const ask = async (body: Value) => {
      const response = await post(path, body, { headers: { vendor } })
      return { status: response.status, body: (await response.json()) as { error?: { message?: string } } }
    }
    expect(await ask(base)).toMatchObject({ status: 200 })
    await fc.assert(
      fc.asyncProperty(odd(base, ['model']), async (body) => {
        const { status, body: answer } = await ask(body)
        expect([200, 400]).toContain(status)
        if (status === 400) expect(answer.error?.message).not.toBe('')
      }),
      { numRuns: 200 },
    )
    expect(warnings).toEqual([])
  })
})
