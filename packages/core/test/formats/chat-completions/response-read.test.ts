import { describe, expect, it } from 'vitest'
import type { Json } from '../../../src/canonical/json.ts'
import type { ChatRequest } from '../../../src/canonical/request.ts'
import type { Choice } from '../../../src/canonical/response.ts'
import type { Usage } from '../../../src/canonical/usage.ts'
import { chatCompletions } from '../../../src/formats/chat-completions/index.ts'

const REQUEST: ChatRequest = { model: 'alias', messages: [], stream: false, streamUsage: false, paths: {} }

const readMessage = (message: Json, more: Json = {}, signer?: string): Choice | undefined =>
  chatCompletions.readResponse(
    { id: 'r', created: 1, choices: [{ message, ...more }] },
    signer === undefined ? {} : { signer },
  ).choices[0]

const readUsage = (usage: Json) => chatCompletions.readResponse({ choices: [{}], usage }).usage

describe('a chat completions answer that is read', () => {
  it('has text, then calls, and the finish reason', () => {
    const choice = readMessage(
      { content: 'a', tool_calls: [{ id: 'c1', function: { name: 'f', arguments: '{}' } }] },
      { finish_reason: 'tool_calls' },
    )
    expect(choice).toMatchObject({
      blocks: [{ text: 'a' }, { type: 'tool-call', id: 'c1' }],
      finish: { reason: 'tool-calls', raw: 'tool_calls' },
    })
  })

  it('case 215: a refusal is a filtered answer', () => {
    const choice = readMessage({ content: null, refusal: 'No.' }, { finish_reason: 'stop' })
    expect(choice).toMatchObject({
      blocks: [{ type: 'refusal', text: 'No.' }],
      finish: { reason: 'content-filter', raw: 'stop' },
    })
  })

  it.each([
    ['case 216: content_filter', 'content_filter', 'content-filter'],
    ['length', 'length', 'length'],
    ['case 204: an unknown word', 'compaction', 'stop'],
    ['a word that objects have', 'constructor', 'stop'],
    ['nothing', null, 'stop'],
  ])('finish reason: %s', (_, finish_reason, reason) => {
    expect(readMessage({ content: 'a' }, { finish_reason })?.finish.reason).toBe(reason)
  })

  it('stop with calls is the end of a turn of calls', () => {
    const tool_calls = [{ id: 'c1', function: { name: 'f', arguments: '{}' } }]
    expect(readMessage({ tool_calls }, { finish_reason: 'stop' })?.finish.reason).toBe('tool-calls')
  })

  it('case 218: empty text beside calls is no block', () => {
    expect(readMessage({ content: '', tool_calls: [{ id: 'c', function: { name: 'f' } }] })?.blocks).toHaveLength(1)
  })

  it('case 219: annotations are citations, and unknown ones survive', () => {
    const annotations = [
      { type: 'url_citation', url_citation: { url: 'https://e.com', title: 'T', start_index: 0, end_index: 1 } },
      { type: 'file_citation', file_citation: { file_id: 'f' } },
    ]
    expect(readMessage({ content: 'a', annotations })?.blocks[0]).toMatchObject({
      citations: [
        { url: 'https://e.com', title: 'T', start: 0, end: 1 },
        { extensions: { format: 'chat-completions', fields: annotations[1] } },
      ],
    })
  })

  it('case 220: may lack id, model, time, usage, role and index', () => {
    expect(chatCompletions.readResponse({ choices: [{ message: { content: 'a' } }] })).toEqual({
      choices: [
        {
          at: 'choices[0]',
          blocks: [{ type: 'text', at: 'choices[0].message.content', text: 'a' }],
          finish: { reason: 'stop' },
        },
      ],
    })
  })

  it('gives calls without an id one that is the same at each reading', () => {
    const ids = () =>
      readMessage({ tool_calls: [{ function: { name: 'f' } }, { id: '', function: { name: 'f' } }] })?.blocks.map(
        (block) => 'id' in block && block.id,
      )
    expect(ids()).toEqual([expect.stringMatching(/^call_[0-9a-f]{16}$/), expect.stringMatching(/^call_[0-9a-f]{16}$/)])
    expect(new Set(ids()).size).toBe(2)
    expect(ids()).toEqual(ids())
  })

  it('takes arguments that are an object, function_call, and custom calls', () => {
    expect(
      readMessage({ tool_calls: [{ id: 'a', function: { name: 'f', arguments: { x: 1 } } }] })?.blocks,
    ).toMatchObject([{ arguments: '{"x":1}' }])
    expect(
      readMessage({ function_call: { name: 'f', arguments: '{}' } }, { finish_reason: 'function_call' }),
    ).toMatchObject({
      blocks: [{ type: 'tool-call', name: 'f' }],
      finish: { reason: 'tool-calls' },
    })
    expect(
      readMessage({ tool_calls: [{ id: 'a', type: 'custom', custom: { name: 'q', input: 'x' } }] })?.blocks,
    ).toMatchObject([{ custom: true, name: 'q', arguments: 'x' }])
  })

  it.each<[string, Json, string | undefined, Json[]]>([
    ['reasoning_content', { reasoning_content: 'hm' }, undefined, [{ text: 'hm' }]],
    ['reasoning', { reasoning: 'hm' }, undefined, [{ text: 'hm' }]],
    [
      'reasoning_details beside their text',
      { reasoning: 'hm', reasoning_details: [{ type: 'reasoning.text', text: 'hm', signature: 's' }] },
      'claude',
      [{ text: 'hm', signature: { signer: 'claude', value: 's' } }],
    ],
    [
      'thinking_blocks',
      { thinking_blocks: [{ type: 'thinking', thinking: 'hm', signature: 's' }] },
      'other',
      [{ text: 'hm', signature: { signer: 'other', value: 's' } }],
    ],
    [
      'a list of parts',
      {
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
          { type: 'text', text: 'a' },
        ],
      },
      undefined,
      [
        { type: 'reasoning', text: 'hm' },
        { type: 'text', text: 'a' },
      ],
    ],
  ])('takes reasoning from %s', (_, message, signer, expected) => {
    expect(readMessage(message, {}, signer)?.blocks).toMatchObject(expected)
  })

  it('takes images and sound', () => {
    const images = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }]
    expect(
      readMessage({ content: null, images, audio: { id: 'a', data: 'AAAA', transcript: 'hi' } })?.blocks,
    ).toMatchObject([
      { kind: 'image', mime: 'image/png' },
      { kind: 'audio', transcript: 'hi', source: { data: 'AAAA' } },
    ])
  })

  it('is an upstream error without any choice, in the upstream’s words', () => {
    expect(() => chatCompletions.readResponse({ choices: [] })).toThrow(expect.objectContaining({ kind: 'upstream' }))
    expect(() => chatCompletions.readResponse({ error: { message: 'Busy.', code: 429 } })).toThrow(
      expect.objectContaining({ kind: 'rate-limited', message: 'Busy.' }),
    )
  })
})

describe('usage of a chat completions answer', () => {
  it.each<[string, Json, Usage | undefined]>([
    [
      'case 224: totals with their parts',
      {
        prompt_tokens: 2607,
        completion_tokens: 10,
        total_tokens: 2617,
        prompt_tokens_details: { cached_tokens: 2495, cache_write_tokens: 100 },
      },
      { input: 2607, output: 10, cacheRead: 2495, cacheWrite: 100 },
    ],
    [
      'reasoning within the output',
      { prompt_tokens: 1, completion_tokens: 9, total_tokens: 10, completion_tokens_details: { reasoning_tokens: 4 } },
      { input: 1, output: 9, reasoning: 4 },
    ],
    [
      'case 235: reasoning beside the output',
      { prompt_tokens: 1, completion_tokens: 2, total_tokens: 9, completion_tokens_details: { reasoning_tokens: 6 } },
      { input: 1, output: 8, reasoning: 6 },
    ],
    [
      'cache hits under another name',
      { prompt_tokens: 5, completion_tokens: 1, prompt_cache_hit_tokens: 4 },
      { input: 5, output: 1, cacheRead: 4 },
    ],
    ['a total alone', { prompt_tokens: 5, total_tokens: 7 }, { input: 5, output: 2 }],
    ['null details', { prompt_tokens: 5, completion_tokens: 1, prompt_tokens_details: null }, { input: 5, output: 1 }],
    ['case 229: nothing', {}, undefined],
  ])('%s', (_, usage, expected) => {
    expect(readUsage(usage)).toEqual(expected)
  })

  it('is written with what is known only', () => {
    const body = (usage: Usage) =>
      chatCompletions.writeResponse({ choices: [], usage }, { id: 'x', model: 'm', request: REQUEST }, [])['usage']
    expect(body({ input: 5, output: 3 })).toEqual({ prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 })
    expect(body({ input: 5, output: 3, reasoning: 2, cacheRead: 1 })).toMatchObject({
      prompt_tokens_details: { cached_tokens: 1 },
      completion_tokens_details: { reasoning_tokens: 2 },
    })
  })
})
