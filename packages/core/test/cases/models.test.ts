import { describe, expect, it } from 'vitest'
import { type TranslatedFormat, translateRequest } from '../../src/translate.ts'

/**
 * Which effort a model has where none is asked for, and what it takes then.
 *
 * @see https://platform.openai.com/docs/guides/latest-model
 * @see https://platform.openai.com/docs/guides/reasoning
 */
const asked = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] }
const sampling = { temperature: 0.5, topP: 0.25, responseLogprobs: true, logprobs: 2 }
const OPENAI: readonly TranslatedFormat[] = ['chat-completions', 'responses']

describe('Temperature, top_p and log probabilities', () => {
  it.each([
    ...[
      'gpt-5.1',
      'gpt-5.1-2025-11-13',
      'gpt-5.2',
      'gpt-5.2-2025-12-11',
      'gpt-5.4',
      'gpt-5.4-mini',
      'gpt-5.4-nano-2026-03-17',
    ].map((model) => [model, true] as const),
    ...['gpt-5', 'gpt-5.1-codex', 'gpt-5.2-codex', 'gpt-5.2-pro', 'gpt-5.3-codex', 'gpt-5.5', 'gpt-5.6-sol', 'o3'].map(
      (model) => [model, false] as const,
    ),
  ])('reach %s without an effort: %s', (model, isTaken) => {
    for (const to of OPENAI) {
      const { body, lost } = translateRequest(
        { ...asked, generationConfig: sampling },
        { from: 'generate-content', to, model },
      )
      expect([body?.['temperature'], body?.['top_p'], body?.['top_logprobs']], to).toEqual(
        isTaken ? [0.5, 0.25, 2] : [undefined, undefined, undefined],
      )
      expect(lost.length > 0, to).toBe(!isTaken)
    }
  })

  it.each(OPENAI)('do not reach a model that reasons because the caller of %s asks for it', (to) => {
    const generationConfig = { ...sampling, thinkingConfig: { thinkingLevel: 'LOW' } }
    const { body, lost } = translateRequest(
      { ...asked, generationConfig },
      { from: 'generate-content', to, model: 'gpt-5.2' },
    )
    expect([body?.['temperature'], lost.length]).toEqual([undefined, 3])
  })
})

describe('Thinking that a caller of messages asks for', () => {
  it.each([
    [{ type: 'enabled', budget_tokens: 2048 }, 'auto'],
    [{ type: 'adaptive' }, 'auto'],
    [{ type: 'adaptive', display: 'summarized' }, 'auto'],
    [{ type: 'enabled', budget_tokens: 2048, display: 'omitted' }, undefined],
    [{ type: 'disabled' }, undefined],
  ])('%j is asked of responses with the summary %s', (thinking, summary) => {
    const body = { model: 'm', max_tokens: 4096, messages: [{ role: 'user', content: 'Hello' }], thinking }
    const { body: sent } = translateRequest(body, { from: 'messages', to: 'responses', model: 'gpt-5.2' })
    const { reasoning } = (sent ?? {}) as { reasoning?: { summary?: string } }
    expect(reasoning?.summary).toBe(summary)
  })
})
