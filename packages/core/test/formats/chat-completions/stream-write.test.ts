import { ChatCompletionStream } from 'openai/lib/ChatCompletionStream'
import { describe, expect, it } from 'vitest'
import { assemble, partsOf } from '../../../src/canonical/assemble.ts'
import type { Block } from '../../../src/canonical/block.ts'
import type { Json } from '../../../src/canonical/json.ts'
import type { Loss } from '../../../src/canonical/loss.ts'
import type { Part } from '../../../src/canonical/part.ts'
import type { ChatRequest } from '../../../src/canonical/request.ts'
import type { ChatResponse } from '../../../src/canonical/response.ts'
import { chatCompletions } from '../../../src/formats/chat-completions/index.ts'

const START: Part = { type: 'start', id: 'msg_1', model: 'm-1', created: 7 }
const STOP: Part = { type: 'finish', finish: { reason: 'stop' } }
const USAGE: Part = { type: 'usage', usage: { input: 5, output: 3, reasoning: 1 } }

const begin = (index: number, block: Block): Part => ({ type: 'block-start', index, block })
const text = (index: number, value: string): Part => ({ type: 'block-delta', index, delta: { text: value } })
const args = (index: number, value: string): Part => ({ type: 'block-delta', index, delta: { arguments: value } })
const close = (index: number): Part => ({ type: 'block-end', index })
const call = (id: string): Block => ({ type: 'tool-call', id, name: 'f', arguments: '' })

function write(parts: Part[], fields: Partial<ChatRequest> = {}) {
  const losses: Loss[] = []
  const request: ChatRequest = { model: 'alias', messages: [], stream: true, streamUsage: false, paths: {}, ...fields }
  const writer = chatCompletions.writeStream({ id: 'req-1', model: 'm', request }, losses)
  const wire = parts.map((part) => writer.push(part)).join('') + writer.end()
  const frames = wire.split('\n\n').filter(Boolean)
  expect(frames.every((frame) => frame.startsWith('data: '))).toBe(true)
  const chunks = frames.filter((frame) => frame !== 'data: [DONE]').map((frame): Json => JSON.parse(frame.slice(6)))
  const deltas = chunks.flatMap(
    (chunk) => (chunk['choices'] as { delta: Json }[] | undefined)?.map((choice) => choice.delta) ?? [],
  )
  return { wire, frames, chunks, deltas, losses: losses.map(({ path }) => path) }
}

/** What the official client makes of the chunks. */
async function received(chunks: Json[]) {
  const lines = new TextEncoder().encode(chunks.map((chunk) => `${JSON.stringify(chunk)}\n`).join(''))
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(lines)
      controller.close()
    },
  })
  return ChatCompletionStream.fromReadableStream(body).finalChatCompletion()
}

const SAID: Part[] = [START, begin(0, { type: 'text', text: '' }), text(0, 'Hi'), text(0, '!'), close(0)]

describe('a chat completions stream that is written', () => {
  it('case 237: role, content, finish and [DONE], with one id, time and model', () => {
    const { frames, chunks, deltas } = write([...SAID, STOP, USAGE])
    expect(deltas).toEqual([{ role: 'assistant', content: '' }, { content: 'Hi' }, { content: '!' }, {}])
    expect(new Set(chunks.map(({ id, created, model, object }) => `${id} ${created} ${model} ${object}`))).toEqual(
      new Set(['msg_1 7 m-1 chat.completion.chunk']),
    )
    expect(chunks.at(-1)).toMatchObject({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
    expect(frames.at(-1)).toBe('data: [DONE]')
  })

  it('case 238: usage is one frame of its own if it was asked for, and nowhere else', () => {
    const silent = write([...SAID, STOP, USAGE])
    expect(silent.wire).not.toContain('usage')
    const { chunks } = write([...SAID, USAGE, STOP, USAGE], { streamUsage: true })
    expect(chunks.slice(0, -1).every((chunk) => chunk['usage'] === null)).toBe(true)
    expect(chunks.at(-1)).toMatchObject({
      id: 'msg_1',
      choices: [],
      usage: {
        prompt_tokens: 5,
        completion_tokens: 3,
        total_tokens: 8,
        completion_tokens_details: { reasoning_tokens: 1 },
      },
    })
  })

  it('case 231: the last usage counts', () => {
    const { chunks } = write([...SAID, { type: 'usage', usage: { input: 5, output: 1 } }, STOP, USAGE], {
      streamUsage: true,
    })
    expect(chunks.at(-1)).toMatchObject({ usage: { total_tokens: 8 } })
    expect(chunks.filter((chunk) => chunk['usage'] !== null)).toHaveLength(1)
  })

  it('cases 241 and 243: a call has its id, name and arguments, {} where it has none', () => {
    const { deltas } = write([
      START,
      begin(0, call('a')),
      args(0, ''),
      args(0, '{"x"'),
      args(0, ':1}'),
      close(0),
      begin(1, call('b')),
      close(1),
      STOP,
    ])
    expect(deltas.slice(1, -1)).toEqual([
      { tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '{"x"' } }] },
      { tool_calls: [{ index: 0, function: { arguments: ':1}' } }] },
      { tool_calls: [{ index: 1, id: 'b', type: 'function', function: { name: 'f', arguments: '' } }] },
      { tool_calls: [{ index: 1, function: { arguments: '{}' } }] },
    ])
  })

  it('case 242: arguments that come with the call are written', () => {
    expect(
      write([START, begin(0, { ...call('a'), arguments: '{"x":1}' } as Block), close(0), STOP]).deltas.slice(1, -1),
    ).toEqual([
      { tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":1}' } }] },
    ])
  })

  it('case 279: calls are counted among calls, not among blocks', () => {
    const { deltas } = write([
      ...SAID,
      begin(1, call('a')),
      begin(2, call('b')),
      args(2, '{}'),
      args(1, '{}'),
      close(1),
      close(2),
      STOP,
    ])
    const indices = deltas.flatMap(
      (delta) => (delta['tool_calls'] as { index: number }[] | undefined)?.map(({ index }) => index) ?? [],
    )
    expect(indices).toEqual([0, 1, 1, 0])
  })

  it('case 46: a call of a custom tool is one', () => {
    const block: Block = { type: 'tool-call', id: 'a', name: 'q', arguments: '', custom: true }
    expect(write([START, begin(0, block), args(0, 'sel'), close(0), STOP]).deltas.slice(1, -1)).toEqual([
      { tool_calls: [{ index: 0, id: 'a', type: 'custom', custom: { name: 'q', input: '' } }] },
      { tool_calls: [{ index: 0, custom: { input: 'sel' } }] },
    ])
  })

  it('case 47: a caller who gave functions gets a function_call', () => {
    const parts = [START, begin(0, call('a')), args(0, '{}'), close(0), begin(1, call('b')), args(1, '{}'), close(1)]
    const { deltas, chunks, losses } = write([...parts, { type: 'finish', finish: { reason: 'tool-calls' } }], {
      paths: { tools: 'functions' },
    })
    expect(deltas.slice(1, -1)).toEqual([
      { function_call: { name: 'f', arguments: '' } },
      { function_call: { arguments: '{}' } },
    ])
    expect(chunks.at(-1)).toMatchObject({ choices: [{ finish_reason: 'function_call' }] })
    expect(losses).toEqual(['function_call'])
  })

  it('cases 103 and 250: reasoning is shown as it comes, its signature follows with the whole block, none of it is content', () => {
    const signed: Part = { type: 'block-delta', index: 0, delta: { signature: { signer: 'claude', value: 'sig' } } }
    const { deltas } = write([
      START,
      begin(0, { type: 'reasoning', text: '' }),
      text(0, 'h'),
      text(0, 'm'),
      signed,
      close(0),
      begin(1, { type: 'text', text: '' }),
      text(1, 'a'),
      close(1),
      STOP,
    ])
    expect(deltas.slice(1, -1)).toEqual([
      { reasoning_content: 'h' },
      { reasoning_content: 'm' },
      { thinking_blocks: [{ type: 'thinking', thinking: 'hm', signature: 'sig', index: 0 }] },
      { content: 'a' },
    ])
  })

  it('signed blocks are counted, as clients add up a list by the index of its items', () => {
    const thought = (index: number, value: string): Part[] => [
      begin(index, { type: 'reasoning', text: value, signature: { signer: 'claude', value: `${value}!` } }),
      close(index),
    ]
    const { deltas } = write([START, ...thought(0, 'a'), ...thought(1, 'b'), STOP])
    expect(deltas.flatMap((delta) => delta['thinking_blocks'] ?? [])).toMatchObject([
      { thinking: 'a', signature: 'a!', index: 0 },
      { thinking: 'b', signature: 'b!', index: 1 },
    ])
  })

  it('redacted reasoning is a block without text', () => {
    const block: Block = { type: 'reasoning', text: '', redacted: true, signature: { signer: 'gpt', value: 'rs_1:x' } }
    expect(write([START, begin(0, block), close(0), STOP]).deltas[1]).toMatchObject({
      thinking_blocks: [{ type: 'redacted_thinking', data: expect.stringMatching(/^hg1\.gpt\./) }],
    })
  })

  it('case 246: an error is a frame of its own, and nothing follows', () => {
    const { frames, wire } = write(
      [...SAID, { type: 'error', error: { kind: 'overloaded', message: 'Busy.' } }, STOP, USAGE],
      {
        streamUsage: true,
      },
    )
    expect(frames.at(-1)).toBe(
      'data: {"error":{"message":"Busy.","type":"server_error","param":null,"code":"overloaded"}}',
    )
    expect(wire).not.toContain('[DONE]')
  })

  it('case 252: the explanation of a refusal is told at the end', () => {
    const { deltas, chunks } = write([
      START,
      { type: 'finish', finish: { reason: 'content-filter', detail: 'Not that.' } },
    ])
    expect(deltas.slice(1)).toEqual([{ refusal: 'Not that.' }, {}])
    expect(chunks.at(-1)).toMatchObject({ choices: [{ finish_reason: 'content_filter' }] })
  })

  it('case 274: choices have a role and a finish each', () => {
    const other: Part[] = [
      { type: 'block-start', index: 0, choice: 1, block: { type: 'text', text: 'b' } },
      { type: 'finish', choice: 1, finish: { reason: 'length' } },
    ]
    const { chunks } = write([...SAID, ...other, STOP])
    const second = chunks.flatMap((chunk) => chunk['choices'] as Json[]).filter((choice) => choice['index'] === 1)
    expect(second).toMatchObject([
      { delta: { role: 'assistant' } },
      { delta: { content: 'b' } },
      { finish_reason: 'length' },
    ])
  })

  it('citations are told at the end, counted from the start of the whole text', () => {
    const citations = [{ url: 'https://e.com', title: 'T' }]
    const { deltas } = write([
      ...SAID,
      begin(1, { type: 'text', text: '' }),
      text(1, ' Yes'),
      { type: 'block-delta', index: 1, delta: { citations } },
      close(1),
      STOP,
    ])
    expect(deltas.at(-2)).toEqual({
      annotations: [
        { type: 'url_citation', url_citation: { start_index: 3, end_index: 7, title: 'T', url: 'https://e.com' } },
      ],
    })
  })

  it('what has no place is declared, and images have one', () => {
    const hosted: Block = { type: 'hosted-call', id: 'h', name: 'web-search', arguments: '' }
    const image: Block = { type: 'media', kind: 'image', mime: 'image/png', source: { type: 'base64', data: 'iVBO' } }
    const { deltas, losses } = write([
      START,
      begin(0, hosted),
      args(0, '{"q":1}'),
      close(0),
      begin(1, image),
      close(1),
      STOP,
    ])
    expect(deltas.slice(1, -1)).toEqual([
      { images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO' }, index: 0 }] },
    ])
    expect(losses).toEqual(['hosted-call'])
  })

  it('case 220: id and model are never missing', () => {
    expect(write([{ type: 'start' }, STOP]).chunks[0]).toMatchObject({
      id: 'req-1',
      model: 'm',
      created: expect.any(Number),
    })
  })

  it('says nothing of a stream that did not begin', () => {
    expect(write([]).wire).toBe('')
  })

  it('keeps a silent stream alive with a comment', () => {
    expect(chatCompletions.ping).toBe(': ping\n\n')
  })

  it('the official client makes the same answer of it', async () => {
    const { chunks } = write(
      [
        ...SAID,
        begin(1, call('a')),
        begin(2, call('b')),
        args(2, '{"y":2}'),
        args(1, '{"x":1}'),
        close(1),
        close(2),
        USAGE,
        { type: 'finish', finish: { reason: 'tool-calls' } },
      ],
      { streamUsage: true },
    )
    const { choices } = await received(chunks)
    expect(choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        content: 'Hi!',
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":1}' } },
          { id: 'b', type: 'function', function: { name: 'f', arguments: '{"y":2}' } },
        ],
      },
    })
  })

  it('is read again as the answer that it was written from', () => {
    const response: ChatResponse = {
      id: 'x',
      model: 'm',
      created: 5,
      usage: { input: 1, output: 2, cacheRead: 0 },
      choices: [
        {
          blocks: [
            { type: 'reasoning', text: 'hm', signature: { signer: 'gemini', value: 'R0VN' } },
            {
              type: 'tool-call',
              id: 'a',
              name: 'f',
              arguments: '{"x": 1.0}',
              signature: { signer: 'gemini', value: 'U0lH' },
            },
            { type: 'tool-call', id: 'b', name: 'q', arguments: 'x', custom: true },
            { type: 'text', text: 'See.', citations: [{ url: 'https://e.com', title: 'T', start: 0, end: 3 }] },
          ],
          finish: { reason: 'tool-calls', raw: 'tool_calls' },
        },
        { blocks: [{ type: 'refusal', text: 'No.' }], finish: { reason: 'content-filter', raw: 'content_filter' } },
      ],
    }
    const { wire } = write(partsOf(response), { streamUsage: true })
    const reader = chatCompletions.readStream()
    const frames = wire.split('\n\n').filter(Boolean)
    const parts = frames.flatMap((frame) => reader.push({ data: frame.slice(6) }))
    expect(assemble([...parts, ...reader.end()])).toMatchObject({
      ...response,
      choices: [{ finish: response.choices[0]?.finish }, response.choices[1]],
    })
    expect(assemble(parts).choices[0]?.blocks).toMatchObject(response.choices[0]?.blocks ?? [])
  })
})
