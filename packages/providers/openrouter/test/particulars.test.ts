import { describe, expect, it } from 'vitest'
import { openrouter } from '../src/index.ts'

// Written from https://openrouter.ai/docs/guides/best-practices/reasoning-tokens
describe('OpenRouter', () => {
  it('knows who signed a thought by the vendor of the model', () => {
    const [chat] = openrouter({ apiKey: 'k' }).chat ?? []
    const signer = chat && 'signer' in chat ? chat.signer : undefined
    const models = [
      'anthropic/claude-sonnet-4.5',
      'google/gemini-3-pro',
      'openai/gpt-5.4',
      'x-ai/grok-4',
      'qwen/qwen3-max',
      'openai-like/x',
    ]
    expect(models.map((model) => (typeof signer === 'function' ? signer(model) : signer))).toEqual([
      ...['claude', 'gemini', 'gpt', 'grok'],
      ...[undefined, undefined],
    ])
  })

  // https://openrouter.ai/docs/guides/routing/provider-routing
  it('routes by the fields of a request in each of its formats', () => {
    const { chat = [] } = openrouter({ apiKey: 'k' })
    expect(chat.map((support) => 'format' in support && [support.format, support.routes])).toEqual([
      ['chat-completions', true],
      ['responses', true],
    ])
  })
})
