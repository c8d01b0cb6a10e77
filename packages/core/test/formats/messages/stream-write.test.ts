import Anthropic from '@anthropic-ai/sdk'
import { describe, expect, it } from 'vitest'
import { assemble, partsOf } from '../../../src/canonical/assemble.ts'
import type { Block } from '../../../src/canonical/block.ts'
import { isObject } from '../../../src/canonical/json.ts'
import type { Loss } from '../../../src/canonical/loss.ts'
import type { Part } from '../../../src/canonical/part.ts'
import type { ChatResponse } from '../../../src/canonical/response.ts'
import { messages } from '../../../src/formats/messages/index.ts'
import { call, framesOf, readAll, reply, writeAll } from './support.ts'

const start: Part = { type: 'start', id: 'chatcmpl-1', model: 'gpt-5.4' }
const finish: Part = { type: 'finish', finish: { reason: 'stop' } }

function open(index: number, block: Block): Part {
  return { type: 'block-start', index, block }
}
function text(index: number, more: string): Part {
  return { type: 'block-delta', index, delta: { text: more } }
}
function args(index: number, more: string): Part {
  return { type: 'block-delta', index, delta: { arguments: more } }
}
function close(index: number): Part {
  return { type: 'block-end', index }
}
function events(parts: Part[], losses: Loss[] = []) {
  return framesOf(writeAll(parts, losses)).map((frame) => frame.json)
}
function types(parts: Part[]) {
  return events(parts).map((event) => event['type'])
}

describe('Writing a messages stream', () => {
  it.each([
    ['an object', [' ', '{"a"', ':1}'], { a: 1 }, 0],
    ['nothing', [''], undefined, 0],
    ['a list', ['[1', ',2]'], { _value: [1, 2] }, 1],
    ['a number', ['\n', '7'], { _value: 7 }, 1],
    ['a text', ['"te', 'xt"'], { _value: 'text' }, 1],
    ['no JSON', ['te', 'xt'], {}, 1],
  ])('case 5: a call whose arguments are %s has an object for its input', (_, pieces, input, lost) => {
    const losses: Loss[] = []
    const parts = [start, open(0, call('c1', '')), ...pieces.map((piece) => args(0, piece)), close(0), finish]
    const json = events(parts, losses)
      .flatMap(({ delta }) =>
        isObject(delta) && typeof delta['partial_json'] === 'string' ? [delta['partial_json']] : [],
      )
      .join('')
    expect(json === '' ? undefined : JSON.parse(json)).toEqual(input)
    expect(losses).toHaveLength(lost)
  })

  it('case 275: begins at once, with usage and no content', () => {
    const writer = messages.writeStream(reply, [])
    expect(framesOf(writer.push(start)).map((frame) => frame.json)).toEqual([
      {
        type: 'message_start',
        message: {
          id: 'chatcmpl-1',
          type: 'message',
          role: 'assistant',
          model: 'gpt-5.4',
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { input_tokens: 0, output_tokens: 0 },
        },
      },
    ])
  })

  it('begins by itself where the upstream did not', () => {
    expect(events([open(0, { type: 'text', text: 'a' }), finish])[0]).toMatchObject({
      message: { id: 'msg_req_1', model: 'the-model' },
    })
  })

  it('writes text as it comes', () => {
    expect(
      events([start, open(0, { type: 'text', text: '' }), text(0, 'Hi'), text(0, ' you'), close(0), finish]).slice(1),
    ).toEqual([
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: ' you' } },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn', stop_sequence: null },
        usage: { input_tokens: 0, output_tokens: 0 },
      },
      { type: 'message_stop' },
    ])
  })

  it('case 263: the one message_delta has the last usage, wherever it came', () => {
    const usage = (output: number): Part => ({ type: 'usage', usage: { input: 9, output, cacheRead: 4 } })
    const deltas = events([start, usage(1), finish, usage(2), usage(3)]).filter(
      (event) => event['type'] === 'message_delta',
    )
    expect(deltas).toMatchObject([{ usage: { input_tokens: 5, cache_read_input_tokens: 4, output_tokens: 3 } }])
  })

  it('case 276: an answer without content has no blocks', () => {
    expect(types([start, open(0, { type: 'text', text: '' }), close(0), finish])).toEqual([
      'message_start',
      'message_delta',
      'message_stop',
    ])
  })

  it('case 254: interleaved calls come one after the other, whole and numbered without gaps', () => {
    const parts = [
      start,
      open(0, { type: 'text', text: '' }),
      close(0),
      open(1, call('a', '')),
      open(2, call('b', '')),
      args(1, '{"x":'),
      args(2, '{"y":2}'),
      args(1, '1}'),
      close(2),
      close(1),
      finish,
    ]
    const out = events(parts)
    expect(out.filter((event) => event['type'] === 'content_block_start').map((event) => event['index'])).toEqual([
      0, 1,
    ])
    expect(assemble(readAll(out)).choices[0]).toMatchObject({
      blocks: [
        { type: 'tool-call', id: 'a', arguments: '{"x":1}' },
        { type: 'tool-call', id: 'b', arguments: '{"y":2}' },
      ],
      finish: { reason: 'tool-calls' },
    })
  })

  it('case 261: text after a call is a new block', () => {
    expect(
      types([start, open(0, call('a', '{}')), close(0), open(1, { type: 'text', text: 'b' }), close(1), finish]).filter(
        (type) => type === 'content_block_start',
      ),
    ).toHaveLength(2)
  })

  it('case 270: a refusal is text, and the answer ends as one', () => {
    const out = events([start, open(0, { type: 'refusal', text: '' }), text(0, 'No.'), close(0), finish])
    expect(out.at(-2)).toMatchObject({ delta: { stop_reason: 'refusal', stop_details: { type: 'refusal' } } })
    expect(out[2]).toMatchObject({ delta: { type: 'text_delta', text: 'No.' } })
  })

  it('writes signatures just before the end of their block', () => {
    const signature = { signer: 'claude', value: 'SIG' }
    const out = events([
      start,
      open(0, { type: 'reasoning', text: '' }),
      { type: 'block-delta', index: 0, delta: { signature } },
      text(0, 'hm'),
      close(0),
      finish,
    ])
    expect(out.slice(1, 5)).toEqual([
      { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'hm' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'SIG' } },
      { type: 'content_block_stop', index: 0 },
    ])
  })

  it('stops a block of which only its signature was told', () => {
    const signature = { signer: 'grok', value: 'ENC' }
    for (const redacted of [true, false]) {
      const block: Block = { type: 'reasoning', text: '', ...(redacted && { redacted }) }
      const parts = [start, open(0, block), { type: 'block-delta', index: 0, delta: { signature } } as const, close(0)]
      const out = events([...parts, open(1, { type: 'text', text: 'hi' }), close(1), finish])
      const places = out.flatMap(({ type, index }) =>
        index === undefined || type === 'content_block_delta' ? [] : [[type, index]],
      )
      expect(places).toEqual([
        ['content_block_start', 0],
        ['content_block_stop', 0],
        ['content_block_start', 1],
        ['content_block_stop', 1],
      ])
    }
  })

  it('case 111: brings signatures of other vendors on blocks of their own', () => {
    const signature = { signer: 'gemini', value: 'abc' }
    const out = events([
      start,
      open(0, { type: 'text', text: 'a' }),
      { type: 'block-delta', index: 0, delta: { signature } },
      close(0),
      open(1, { type: 'tool-call', id: 'c1', name: 'f', arguments: '{}', signature }),
      close(1),
      finish,
    ])
    const starts = out.filter((event) => event['type'] === 'content_block_start')
    expect(starts.map((event) => [event['index'], (event['content_block'] as { type: string }).type])).toEqual([
      [0, 'text'],
      [1, 'thinking'],
      [2, 'thinking'],
      [3, 'tool_use'],
    ])
    expect(JSON.stringify(out).match(/hg1\.gemini\./g)).toHaveLength(2)
  })

  it('declares what a stream of this format can not hold', () => {
    const losses: Loss[] = []
    const signature = { signer: 'gemini', value: 'abc' }
    const out = events(
      [
        start,
        { type: 'logprobs', tokens: [] },
        open(0, { type: 'media', kind: 'image', source: { type: 'base64', data: 'AAAA' } }),
        close(0),
        open(1, call('c1')),
        { type: 'block-delta', index: 1, delta: { signature } },
        close(1),
        open(2, { type: 'hosted-call', id: 'h', name: 'code-execution', arguments: '' }),
        args(2, '{}'),
        close(2),
        finish,
      ],
      losses,
    )
    expect(out.filter((event) => event['type'] === 'content_block_start')).toHaveLength(1)
    expect(losses.map((loss) => loss.path)).toEqual(['logprobs', 'media', 'signature', 'hosted-call'])
  })

  it('an error ends the stream, and nothing follows', () => {
    const writer = messages.writeStream(reply, [])
    writer.push(start)
    const out = writer.push({ type: 'error', error: { kind: 'overloaded', message: 'Overloaded' } })
    expect(framesOf(out).map((frame) => frame.json)).toEqual([
      { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' }, request_id: 'req_1' },
    ])
    expect(writer.push(finish) + writer.end()).toBe('')
  })

  it('a stream that did not end is an error, and no fake end', () => {
    expect(events([start, open(0, { type: 'text', text: 'a' })]).at(-1)).toMatchObject({
      type: 'error',
      error: { type: 'api_error' },
    })
  })

  it('case 298: keeps a silent stream alive with a ping of the vendor', () => {
    expect(framesOf(messages.ping).map((frame) => frame.json)).toEqual([{ type: 'ping' }])
  })

  const answer: ChatResponse = {
    id: 'msg_9',
    model: 'm',
    choices: [
      {
        blocks: [
          { type: 'reasoning', text: 'hm', signature: { signer: 'claude', value: 'SIG' } },
          { type: 'reasoning', text: '', redacted: true, signature: { signer: 'claude', value: 'ENC' } },
          {
            type: 'text',
            text: 'a "quoted" \n text',
            citations: [
              {
                url: 'https://x.test',
                title: 'X',
                cited: 'c',
                extensions: {
                  format: 'messages',
                  fields: {
                    type: 'web_search_result_location',
                    url: 'https://x.test',
                    title: 'X',
                    cited_text: 'c',
                    encrypted_index: 'E',
                  },
                },
              },
            ],
          },
          {
            type: 'hosted-call',
            id: 's1',
            name: 'web-search',
            arguments: '{"query":"q"}',
            extensions: { format: 'messages', fields: {} },
          },
          { type: 'tool-call', id: 't1', name: 'f', arguments: '{"a":[1,2]}' },
        ],
        finish: { reason: 'tool-calls', raw: 'tool_use' },
      },
    ],
    usage: { input: 10, output: 4, cacheRead: 3 },
  }

  it('a whole answer and its stream say the same', () => {
    expect(assemble(readAll(events(partsOf(answer))))).toEqual(answer)
    const whole = messages.readResponse(messages.writeResponse(answer, reply, []))
    for (const block of whole.choices[0]?.blocks ?? []) delete block.at
    expect(whole).toEqual(answer)
  })

  it('the vendor’s client assembles the same message from the stream as from the whole answer', async () => {
    const stream = writeAll(partsOf(answer))
    const client = new Anthropic({
      apiKey: 'key',
      maxRetries: 0,
      fetch: () =>
        Promise.resolve(new Response(messages.ping + stream, { headers: { 'content-type': 'text/event-stream' } })),
    })
    const message = await client.messages
      .stream({ model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'hi' }] })
      .finalMessage()
    const { usage, ...rest } = messages.writeResponse(answer, reply, [])
    expect(message).toMatchObject(rest)
    expect(message.usage).toMatchObject(usage as object)
  })
})
