import { describe, expect, it } from 'vitest'
import { assemble } from '../../../src/canonical/assemble.ts'
import type { Json } from '../../../src/canonical/json.ts'
import type { Part } from '../../../src/canonical/part.ts'
import { messages } from '../../../src/formats/messages/index.ts'
import { readAll } from './support.ts'

const start = {
  type: 'message_start',
  message: { id: 'msg_1', model: 'claude-opus-5', content: [], usage: { input_tokens: 5, output_tokens: 1 } },
}
const stop = { type: 'message_stop' }

function open(index: number, block: Json): Json {
  return { type: 'content_block_start', index, content_block: block }
}
function add(index: number, delta: Json): Json {
  return { type: 'content_block_delta', index, delta }
}
function close(index: number): Json {
  return { type: 'content_block_stop', index }
}
function end(reason: string, usage: Json = { output_tokens: 3 }, more: Json = {}): Json {
  return { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null, ...more }, usage }
}
function blocks(...events: Json[]) {
  return assemble(readAll([start, ...events, end('end_turn'), stop])).choices[0]?.blocks
}

describe('Reading a messages stream', () => {
  it('reads text as it comes', () => {
    expect(
      readAll([
        start,
        { type: 'ping' },
        open(0, { type: 'text', text: '' }),
        add(0, { type: 'text_delta', text: 'Hi' }),
        close(0),
        end('end_turn'),
        stop,
      ]),
    ).toEqual<Part[]>([
      { type: 'start', id: 'msg_1', model: 'claude-opus-5' },
      { type: 'usage', usage: { input: 5, output: 1 } },
      { type: 'block-start', index: 0, block: { type: 'text', text: '' } },
      { type: 'block-delta', index: 0, delta: { text: 'Hi' } },
      { type: 'block-end', index: 0 },
      { type: 'usage', usage: { input: 5, output: 3 } },
      { type: 'finish', finish: { reason: 'stop', raw: 'end_turn' } },
    ])
  })

  it('cases 231, 232: counts are totals that replace what was, and null replaces nothing', () => {
    const usage = { input_tokens: 5, cache_read_input_tokens: 100, cache_creation_input_tokens: null, output_tokens: 3 }
    const first = {
      ...start,
      message: { ...start.message, usage: { input_tokens: 5, cache_read_input_tokens: 100, output_tokens: 1 } },
    }
    expect(assemble(readAll([first, end('end_turn', usage), stop])).usage).toEqual({
      input: 105,
      output: 3,
      cacheRead: 100,
    })
  })

  it('case 243: arguments come in pieces, the first of which may be empty', () => {
    const call = open(0, { type: 'tool_use', id: 't1', name: 'f', input: {} })
    const json = (partial: string) => add(0, { type: 'input_json_delta', partial_json: partial })
    expect(blocks(call, json(''), json('{"a"'), json(':1}'), close(0))).toEqual([
      { type: 'tool-call', id: 't1', name: 'f', arguments: '{"a":1}' },
    ])
  })

  it('case 241: a call without arguments has {}', () => {
    const call = open(0, { type: 'tool_use', id: 't1', name: 'f', input: {} })
    expect(blocks(call, add(0, { type: 'input_json_delta', partial_json: '' }), close(0))).toMatchObject([
      { arguments: '{}' },
    ])
  })

  it('case 242: arguments may come whole with the start', () => {
    expect(blocks(open(0, { type: 'tool_use', id: 't1', name: 'f', input: { a: 1 } }), close(0))).toMatchObject([
      { arguments: '{"a":1}' },
    ])
  })

  it('cases 103, 250: reasoning has its signature on the same block, and text follows', () => {
    expect(
      blocks(
        open(0, { type: 'thinking', thinking: '', signature: '' }),
        add(0, { type: 'thinking_delta', thinking: 'hm' }),
        add(0, { type: 'signature_delta', signature: 'SIG' }),
        close(0),
        open(1, { type: 'redacted_thinking', data: 'ENC' }),
        close(1),
        open(2, { type: 'text', text: '' }),
        add(2, { type: 'text_delta', text: 'yo' }),
        close(2),
      ),
    ).toEqual([
      { type: 'reasoning', text: 'hm', signature: { signer: 'claude', value: 'SIG' } },
      { type: 'reasoning', text: '', redacted: true, signature: { signer: 'claude', value: 'ENC' } },
      { type: 'text', text: 'yo' },
    ])
  })

  it('reads the vendor’s own tools and citations', () => {
    const found = {
      type: 'web_search_tool_result',
      tool_use_id: 's1',
      content: [{ title: 'T', url: 'https://x.test' }],
    }
    const citation = {
      type: 'web_search_result_location',
      url: 'https://x.test',
      title: 'T',
      cited_text: 'c',
      encrypted_index: 'E',
    }
    expect(
      blocks(
        open(0, { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} }),
        add(0, { type: 'input_json_delta', partial_json: '{"query":"q"}' }),
        close(0),
        open(1, found),
        close(1),
        open(2, { type: 'text', text: '', citations: [] }),
        add(2, { type: 'citations_delta', citation }),
        add(2, { type: 'text_delta', text: 'yo' }),
        close(2),
      ),
    ).toMatchObject([
      { type: 'hosted-call', name: 'web-search', arguments: '{"query":"q"}' },
      { type: 'hosted-result', id: 's1', text: 'T https://x.test' },
      { type: 'text', text: 'yo', citations: [{ url: 'https://x.test', extensions: { fields: citation } }] },
    ])
  })

  it('reads results that are there from the start', () => {
    const early = { ...start, message: { ...start.message, content: [{ type: 'text', text: 'early' }] } }
    const parts = readAll([
      early,
      open(0, { type: 'text', text: '' }),
      add(0, { type: 'text_delta', text: 'late' }),
      close(0),
      end('end_turn'),
      stop,
    ])
    expect(assemble(parts).choices[0]?.blocks).toEqual([
      { type: 'text', text: 'early' },
      { type: 'text', text: 'late' },
    ])
  })

  it('case 252: keeps why it refused', () => {
    const parts = readAll([
      start,
      end('refusal', {}, { stop_details: { type: 'refusal', category: 'cyber', explanation: 'No.' } }),
      stop,
    ])
    expect(parts.at(-1)).toEqual({
      type: 'finish',
      finish: { reason: 'content-filter', raw: 'refusal', detail: 'No.' },
      extensions: { format: 'messages', fields: { 'stop_details.category': 'cyber' } },
    })
  })

  it('case 249: ignores events and deltas that it does not know', () => {
    expect(
      blocks(
        { type: 'news', x: 1 },
        open(0, { type: 'text', text: 'a' }),
        add(0, { type: 'sparkle_delta', x: 1 }),
        close(0),
        close(9),
      ),
    ).toEqual([{ type: 'text', text: 'a' }])
  })

  it('reads imitators that begin no block, end none, or count them all as 0', () => {
    expect(blocks(add(0, { type: 'text_delta', text: 'a' }))).toEqual([{ type: 'text', text: 'a' }])
    expect(
      blocks(
        open(0, { type: 'text', text: 'a' }),
        open(0, { type: 'tool_use', id: 't', name: 'f', input: {} }),
        add(0, { type: 'input_json_delta', partial_json: '{"a":1}' }),
      ),
    ).toEqual([
      { type: 'text', text: 'a' },
      { type: 'tool-call', id: 't', name: 'f', arguments: '{"a":1}' },
    ])
  })

  it('says once how the answer ended', () => {
    const finishes = (events: Json[]) => readAll([start, ...events, stop]).filter((part) => part.type === 'finish')
    expect(finishes([end('max_tokens'), end('end_turn')])).toMatchObject([{ finish: { reason: 'length' } }])
    expect(finishes([])).toEqual([{ type: 'finish', finish: { reason: 'stop' } }])
  })

  it('reads frames whose type only the event line names', () => {
    const reader = messages.readStream({ signer: 'claude' })
    expect(reader.push({ event: 'message_start', data: '{"message":{"id":"x"}}' })).toEqual([
      { type: 'start', id: 'x' },
    ])
  })

  it.each([
    ['first', []],
    ['in the middle', [start, open(0, { type: 'text', text: 'a' })]],
  ])('cases 245, 246: an error %s ends the stream', (_, before) => {
    const failure = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
    const parts = readAll([...before, failure, open(5, { type: 'text', text: 'never' }), stop])
    expect(parts.at(-1)).toEqual({ type: 'error', error: { kind: 'overloaded', message: 'Overloaded' } })
  })

  it('a stream without message_stop was cut', () => {
    const parts = readAll([start, open(0, { type: 'text', text: 'a' }), end('end_turn')])
    expect(parts.at(-1)).toMatchObject({ type: 'error', error: { kind: 'cut' } })
    expect(readAll([]).at(-1)).toMatchObject({ type: 'error', error: { kind: 'cut' } })
  })

  it('an event that is no JSON is an error, an empty one and a foreign end mark are nothing', () => {
    const reader = messages.readStream()
    expect(reader.push({ data: '' })).toEqual([])
    expect(reader.push({ data: '[DONE]' })).toEqual([])
    expect(reader.push({ data: '<html>' })).toMatchObject([{ type: 'error', error: { kind: 'upstream' } }])
  })

  it('amounts to the same answer as the whole one', () => {
    const content = [
      { type: 'thinking', thinking: 'hm', signature: 'SIG' },
      { type: 'text', text: 'a', citations: null },
      { type: 'tool_use', id: 't1', name: 'f', input: { n: 1 } },
    ]
    const usage = { input_tokens: 5, output_tokens: 3, service_tier: 'priority' }
    const whole = messages.readResponse({
      id: 'msg_1',
      model: 'claude-opus-5',
      content,
      usage,
      stop_reason: 'tool_use',
      stop_sequence: null,
      container: { id: 'c' },
    })
    const streamed = readAll([
      {
        ...start,
        message: { ...start.message, usage: { input_tokens: 5, output_tokens: 1, service_tier: 'priority' } },
      },
      open(0, { type: 'thinking', thinking: '', signature: '' }),
      add(0, { type: 'thinking_delta', thinking: 'hm' }),
      add(0, { type: 'signature_delta', signature: 'SIG' }),
      close(0),
      open(1, { type: 'text', text: '' }),
      add(1, { type: 'text_delta', text: 'a' }),
      close(1),
      open(2, { type: 'tool_use', id: 't1', name: 'f', input: {} }),
      add(2, { type: 'input_json_delta', partial_json: '{"n":1}' }),
      close(2),
      end('tool_use', { output_tokens: 3 }, { container: { id: 'c' } }),
      stop,
    ])
    for (const block of whole.choices[0]?.blocks ?? []) delete block.at
    expect(assemble(streamed)).toEqual(whole)
  })
})
