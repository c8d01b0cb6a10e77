import { testCall } from '@headgate/conformance'
import { isNext } from '@headgate/core/provider'
import { describe, expect, it } from 'vitest'
import { anthropic } from '../src/index.ts'

const { models, countTokens, credential, chat } = anthropic({ apiKey: 'k' })
const version = { 'anthropic-version': '2023-06-01' }

/** Bodies are written from https://platform.claude.com/docs/en/api/models/list and …/messages-count-tokens. */
const answer = (body: unknown) => ({ status: 200, headers: {}, body, bytes: new Uint8Array() })

describe('Anthropic', () => {
  it('is asked with its own key header and a version, which the caller may choose', () => {
    expect(credential).toEqual({ kind: 'header', name: 'x-api-key', value: 'k' })
    expect(chat).toMatchObject([
      { format: 'messages', headers: version, forward: ['anthropic-version', 'anthropic-beta'], signer: 'claude' },
    ])
  })

  it('lists its models page by page, with what each takes', () => {
    const capabilities = {
      image_input: { supported: true },
      pdf_input: { supported: false },
      thinking: { supported: true },
    }
    const first = answer({
      data: [
        {
          id: 'claude-a',
          created_at: '2026-01-01T00:00:00Z',
          max_input_tokens: 200_000,
          max_tokens: 64_000,
          capabilities,
        },
      ],
      has_more: true,
      last_id: 'claude-a',
    })
    const last = answer({
      data: [
        {
          id: 'claude-b',
          created_at: '1970-01-01T00:00:00Z',
          max_input_tokens: null,
          max_tokens: null,
          capabilities: null,
        },
      ],
      has_more: false,
      last_id: 'claude-b',
    })
    const more = models?.response(first, undefined, [])
    expect(isNext(more) && more.request).toEqual({
      method: 'GET',
      url: '/v1/models?limit=1000&after_id=claude-a',
      headers: version,
    })
    expect(models?.response(last, undefined, [first])).toEqual([
      {
        id: 'claude-a',
        created: 1_767_225_600,
        context: 200_000,
        output: 64_000,
        reasoning: true,
        inputs: ['text', 'image'],
      },
      { id: 'claude-b' },
    ])
  })

  it('counts the tokens of a messages request', () => {
    const body = { model: 'alias', messages: [], max_tokens: 5, temperature: 1, stream: true, system: 's' }
    const request = countTokens?.request(
      { model: 'claude-a', body },
      testCall({ headers: { 'anthropic-version': '2026-10-21' } }),
    )
    expect(request?.body).toEqual({ json: { model: 'claude-a', messages: [], system: 's' } })
    expect(request?.headers).toMatchObject({ 'anthropic-version': '2026-10-21' })
    expect(countTokens?.response(answer({ input_tokens: 14 }), { model: 'claude-a', body }, [])).toBe(14)
  })
})
