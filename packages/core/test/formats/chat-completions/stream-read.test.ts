import { describe, expect, it } from 'vitest'
import { assemble } from '../../../src/canonical/assemble.ts'
import type { Json } from '../../../src/canonical/json.ts'
import { chatCompletions } from '../../../src/formats/chat-completions/index.ts'
import { blocksOf, calls, chunk, delta, end, read } from './chunks.ts'

const finishOf = (...chunks: (Json | string)[]) => read(...chunks).filter((part) => part.type === 'finish')
const errorOf = (...chunks: (Json | string)[]) => read(...chunks).find((part) => part.type === 'error')?.error

describe('a chat completions stream that is read', () => {
  it('is start, blocks, usage and finish', () => {
    const usage = { prompt_tokens: 2, completion_tokens: 1, total_tokens: 3 }
    expect(
      read(
        delta({ role: 'assistant', content: '' }),
        delta({ content: 'Hi' }),
        end(),
        chunk(undefined, { usage }),
        '[DONE]',
      ),
    ).toEqual([
      { type: 'start', id: 'c', model: 'm', created: 1 },
      { type: 'block-start', index: 0, block: { type: 'text', text: '' } },
      { type: 'block-delta', index: 0, delta: { text: 'Hi' } },
      { type: 'usage', usage: { input: 2, output: 1 } },
      { type: 'block-end', index: 0 },
      { type: 'finish', finish: { reason: 'stop', raw: 'stop' } },
    ])
  })

  it('case 261: text after a call is a block of its own', () => {
    const call = calls({ index: 0, id: 'a', function: { name: 'f', arguments: '{}' } })
    expect(blocksOf(delta({ content: 'a' }), call, delta({ content: 'b' }), end('tool_calls'))).toMatchObject([
      { text: 'a' },
      { id: 'a' },
      { text: 'b' },
    ])
  })

  it('case 263: usage may be everywhere, the last one counts', () => {
    const usage = (completion_tokens: number) => ({ prompt_tokens: 1, completion_tokens })
    const parts = read(
      chunk({ delta: { content: 'a' } }, { usage: usage(1) }),
      chunk({ delta: {}, finish_reason: 'stop' }, { usage: usage(2) }),
      chunk(undefined, { usage: usage(3) }),
      '[DONE]',
    )
    expect(assemble(parts).usage).toEqual({ input: 1, output: 3 })
    expect(parts.filter((part) => part.type === 'finish')).toHaveLength(1)
    expect(assemble(read(chunk({ delta: { content: 'a' }, finish_reason: 'stop', usage: usage(4) }))).usage).toEqual({
      input: 1,
      output: 4,
    })
  })

  it('case 265: an empty finish reason is none', () => {
    expect(errorOf(chunk({ delta: { content: 'a' }, finish_reason: '' }))).toMatchObject({ kind: 'cut' })
  })

  it('case 266: a finish reason in every chunk ends only at the end', () => {
    const word = (content: string) => chunk({ delta: { content }, finish_reason: 'stop' })
    expect(blocksOf(word('a'), word('b'), '[DONE]')).toMatchObject([{ text: 'ab' }])
    expect(finishOf(word('a'), word('b'), '[DONE]')).toHaveLength(1)
  })

  it('case 267: complete with a finish reason or with [DONE], cut with neither', () => {
    expect(finishOf(delta({ content: 'a' }), end())).toHaveLength(1)
    expect(finishOf(delta({ content: 'a' }), '[DONE]')).toMatchObject([{ finish: { reason: 'stop' } }])
    expect(errorOf(delta({ content: 'a' }))).toMatchObject({ kind: 'cut' })
    expect(finishOf(delta({ content: 'a' }))).toEqual([])
    expect(errorOf()).toMatchObject({ kind: 'cut' })
    expect(errorOf('[DONE]')).toMatchObject({ kind: 'upstream' })
  })

  it('case 268: a whole answer in the stream is read once', () => {
    const whole = {
      ...chunk({ message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }),
      object: 'chat.completion',
    }
    expect(blocksOf(whole, '[DONE]')).toMatchObject([{ text: 'Hi' }])
    expect(blocksOf(delta({ content: 'Hi' }), whole, '[DONE]')).toMatchObject([{ text: 'Hi' }])
  })

  it('case 270: a refusal is a block, and a filtered answer', () => {
    const chunks = [delta({ refusal: 'No' }), delta({ refusal: '.' }), end()]
    expect(blocksOf(...chunks)).toEqual([{ type: 'refusal', text: 'No.' }])
    expect(finishOf(...chunks)).toMatchObject([{ finish: { reason: 'content-filter' } }])
  })

  it('case 273: padding is ignored', () => {
    expect(read(chunk({ delta: { content: 'a' } }, { obfuscation: 'xyz' }))[0]).toEqual({
      type: 'start',
      id: 'c',
      model: 'm',
      created: 1,
    })
  })

  it('case 274: choices are kept apart', () => {
    const of = (index: number, content: string) => chunk({ index, delta: { content }, finish_reason: 'stop' })
    const { choices } = assemble(read(of(0, 'a'), of(1, 'x'), of(0, 'b'), of(1, 'y'), '[DONE]'))
    expect(choices.map((choice) => choice.blocks)).toMatchObject([[{ text: 'ab' }], [{ text: 'xy' }]])
  })

  it('case 276: an empty answer has no blocks', () => {
    expect(read(delta({ role: 'assistant', content: null }), end(), '[DONE]').map((part) => part.type)).toEqual([
      'start',
      'finish',
    ])
  })

  it('tool_calls as the finish reason of an answer without calls is stop, and the other way round', () => {
    const call = calls({ index: 0, id: 'a', function: { name: 'f', arguments: '{}' } })
    expect(finishOf(delta({ content: 'a' }), end('tool_calls'))).toMatchObject([{ finish: { reason: 'stop' } }])
    expect(finishOf(call, end('stop'))).toMatchObject([{ finish: { reason: 'tool-calls' } }])
    expect(finishOf(call, end('length'))).toMatchObject([{ finish: { reason: 'length' } }])
  })

  it.each<[string, Json[], Json[]]>([
    [
      'reasoning_content',
      [{ reasoning_content: 'h' }, { reasoning_content: 'm' }, { content: 'a' }],
      [{ type: 'reasoning', text: 'hm' }, { text: 'a' }],
    ],
    [
      'reasoning with its details',
      [
        {
          reasoning: 'hm',
          reasoning_details: [{ type: 'reasoning.text', text: 'hm', format: 'anthropic-claude-v1', index: 0 }],
        },
        { reasoning_details: [{ type: 'reasoning.text', signature: 's', format: 'anthropic-claude-v1', index: 0 }] },
      ],
      [{ text: 'hm', signature: { signer: 'claude', value: 's' } }],
    ],
    [
      'details alone',
      [
        { reasoning_details: [{ type: 'reasoning.text', text: 'h' }] },
        { reasoning_details: [{ type: 'reasoning.text', text: 'm' }] },
      ],
      [{ text: 'hm' }],
    ],
    [
      'encrypted details',
      [{ reasoning_details: [{ type: 'reasoning.encrypted', data: 'x', id: 'rs_1', format: 'openai-responses-v1' }] }],
      [{ redacted: true, signature: { signer: 'gpt', value: 'rs_1:x' } }],
    ],
    [
      'thinking_blocks after their text',
      [{ reasoning_content: 'hm' }, { thinking_blocks: [{ type: 'thinking', thinking: 'hm', signature: 's' }] }],
      [{ text: 'hm', signature: { signer: 'claude', value: 's' } }],
    ],
    [
      'lists of parts',
      [
        { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }] },
        { content: [{ type: 'text', text: 'a' }] },
      ],
      [{ type: 'reasoning', text: 'hm' }, { text: 'a' }],
    ],
  ])('reasoning as %s', (_, deltas, expected) => {
    const blocks = blocksOf(...deltas.map(delta), end())
    expect(blocks).toHaveLength(expected.length)
    expect(blocks).toMatchObject(expected)
  })

  it('the signature of a call is on its block', () => {
    const extra_content = { google: { thought_signature: 'Q0k=' } }
    expect(
      blocksOf(calls({ index: 0, id: 'a', function: { name: 'f', arguments: '{}' }, extra_content }), end()),
    ).toMatchObject([{ signature: { signer: 'gemini', value: 'Q0k=' } }])
  })

  it('legacy function_call fragments are a call', () => {
    const chunks = [
      delta({ function_call: { name: 'f', arguments: '{' } }),
      delta({ function_call: { arguments: '}' } }),
      end('function_call'),
    ]
    expect(blocksOf(...chunks)).toMatchObject([{ type: 'tool-call', name: 'f', arguments: '{}' }])
  })

  it('citations count from the start of their block', () => {
    const annotation = (start_index: number, end_index: number) => ({
      type: 'url_citation',
      url_citation: { url: 'u', start_index, end_index },
    })
    const call = calls({ index: 0, id: 'a', function: { name: 'f', arguments: '{}' } })
    const blocks = blocksOf(
      delta({ content: 'abc' }),
      call,
      delta({ content: 'def' }),
      delta({ annotations: [annotation(4, 6), annotation(0, 1)] }),
      end(),
    )
    expect(blocks).toMatchObject([
      { text: 'abc' },
      { id: 'a' },
      { text: 'def', citations: [{ url: 'u', start: 1, end: 3 }, { url: 'u' }] },
    ])
  })

  it('log probabilities and what is not known are kept', () => {
    const parts = read(
      chunk(
        {
          delta: { content: 'a' },
          logprobs: { content: [{ token: 'a', logprob: -1, bytes: null, top_logprobs: [] }] },
          seed: 7,
        },
        { service_tier: 'flex' },
      ),
      end(),
    )
    expect(assemble(parts)).toMatchObject({
      extensions: { fields: { service_tier: 'flex' } },
      choices: [{ logprobs: [{ token: 'a', logprob: -1 }], extensions: { fields: { seed: 7 } } }],
    })
  })

  it.each<[string, Json | string, string, string]>([
    ['the vendor’s error', { error: { message: 'Busy.', type: 'server_error' } }, 'upstream', 'Busy.'],
    ['a rate limit', { error: { message: 'Slow.', code: 429 } }, 'rate-limited', 'Slow.'],
    ['an error that is a text', { error: 'boom' }, 'upstream', 'boom'],
    ['a list', '[{"error":{"message":"boom"}}]', 'upstream', 'boom'],
    ['an error object', { object: 'error', message: 'boom' }, 'upstream', 'boom'],
    ['a detail', { detail: 'boom' }, 'upstream', 'boom'],
    [
      'an error of the choice',
      chunk({ delta: {}, finish_reason: 'error', error: { message: 'boom', code: 502 } }),
      'upstream',
      'boom',
    ],
    ['what is not JSON', '<html>', 'upstream', 'The provider sent a frame that is not JSON.'],
  ])('%s ends the stream', (_, frame, kind, message) => {
    const parts = read(delta({ content: 'a' }), frame, delta({ content: 'b' }), end(), '[DONE]')
    expect(parts.at(-1)).toEqual({ type: 'error', error: { kind, message } })
    expect(parts.filter((part) => part.type === 'block-delta')).toHaveLength(1)
  })

  it('a frame that says nothing is nothing', () => {
    expect(chatCompletions.readStream().push({ data: '' })).toEqual([])
    expect(
      chatCompletions
        .readStream()
        .push({ data: JSON.stringify(chunk(undefined, { id: '', prompt_filter_results: [] })) }),
    ).toEqual([])
  })
})
