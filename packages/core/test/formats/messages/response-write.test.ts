import { describe, expect, it } from 'vitest'
import type { Block } from '../../../src/canonical/block.ts'
import type { Json } from '../../../src/canonical/json.ts'
import type { Loss } from '../../../src/canonical/loss.ts'
import type { ChatResponse, Finish } from '../../../src/canonical/response.ts'
import { messages } from '../../../src/formats/messages/index.ts'
import { at, call, freeze, reply } from './support.ts'

function write(blocks: Block[], finish: Finish = { reason: 'stop' }, fields: Partial<ChatResponse> = {}) {
  const losses: Loss[] = []
  const body = messages.writeResponse(freeze({ choices: [{ blocks, finish }], ...fields }), reply, losses)
  return { body, content: body['content'], lost: losses.map((loss) => `${loss.kind} ${loss.path}`) }
}

describe('Writing a messages answer', () => {
  it('writes every field that clients expect, and no null that older ones refuse', () => {
    expect(write([{ type: 'text', text: 'hi' }]).body).toEqual({
      id: 'msg_req_1',
      type: 'message',
      role: 'assistant',
      model: 'the-model',
      content: [{ type: 'text', text: 'hi' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 0, output_tokens: 0 },
    })
  })

  it('case 338: keeps the id and the model of the upstream', () => {
    expect(write([], { reason: 'stop' }, { id: 'chatcmpl-1', model: 'gpt-5.4' }).body).toMatchObject({
      id: 'chatcmpl-1',
      model: 'gpt-5.4',
    })
  })

  it('case 218: writes no empty text', () => {
    expect(write([{ type: 'text', text: '' }, call('c1', '{"a":1}')], { reason: 'tool-calls' })).toMatchObject({
      content: [{ type: 'tool_use', id: 'c1', name: 'f', input: { a: 1 } }],
      body: { stop_reason: 'tool_use' },
      lost: [],
    })
  })

  it.each<[Finish, Json]>([
    [{ reason: 'stop' }, { stop_reason: 'end_turn', stop_sequence: null }],
    [
      { reason: 'stop-sequence', sequence: 'END' },
      { stop_reason: 'stop_sequence', stop_sequence: 'END' },
    ],
    [{ reason: 'length', raw: 'length' }, { stop_reason: 'max_tokens' }],
    [{ reason: 'length', raw: 'model_context_window_exceeded' }, { stop_reason: 'model_context_window_exceeded' }],
    [{ reason: 'pause' }, { stop_reason: 'pause_turn' }],
    [
      { reason: 'content-filter', detail: 'Why.' },
      { stop_reason: 'refusal', stop_details: { type: 'refusal', category: null, explanation: 'Why.' } },
    ],
  ])('case 216: writes the end %j', (finish, expected) => {
    expect(write([], finish).body).toMatchObject(expected)
  })

  it('case 215: a refusal is text, and the answer ends as one', () => {
    expect(write([{ type: 'refusal', text: 'No.' }])).toMatchObject({
      content: [{ type: 'text', text: 'No.' }],
      body: { stop_reason: 'refusal' },
    })
  })

  it('case 206: the end that was too early wins over calls', () => {
    expect(write([call('c1')], { reason: 'length' }).body['stop_reason']).toBe('max_tokens')
    expect(write([call('c1')], { reason: 'stop' }).body['stop_reason']).toBe('tool_use')
  })

  it('case 224: takes the caches out of the input', () => {
    expect(
      write(
        [],
        { reason: 'stop' },
        {
          usage: {
            input: 2607,
            output: 3,
            cacheRead: 2495,
            cacheWrite: 100,
            cacheWriteLong: 60,
            reasoning: 1,
            units: { searches: 4 },
          },
        },
      ).body['usage'],
    ).toEqual({
      input_tokens: 12,
      output_tokens: 3,
      cache_read_input_tokens: 2495,
      cache_creation_input_tokens: 100,
      cache_creation: { ephemeral_5m_input_tokens: 40, ephemeral_1h_input_tokens: 60 },
      output_tokens_details: { thinking_tokens: 1 },
      server_tool_use: { web_search_requests: 4, web_fetch_requests: 0 },
    })
  })

  it('never writes a negative count', () => {
    expect(
      at(write([], { reason: 'stop' }, { usage: { input: 5, output: 1, cacheRead: 9 } }).body, 'usage', 'input_tokens'),
    ).toBe(0)
  })

  it('case 111: brings signatures of other vendors to the caller on blocks of their own', () => {
    const signature = { signer: 'gemini', value: 'abc' }
    const { content, lost } = write([
      { type: 'text', text: 'a', signature },
      { type: 'tool-call', id: 'c1', name: 'f', arguments: '{}', signature },
    ])
    const carrier = { type: 'thinking', thinking: '', signature: expect.stringMatching(/^hg1\.gemini\./) }
    expect(content).toEqual([
      { type: 'text', text: 'a' },
      carrier,
      carrier,
      { type: 'tool_use', id: 'c1', name: 'f', input: {} },
    ])
    expect(lost).toEqual([])
    const back = messages.readRequest({ model: 'm', messages: [{ role: 'assistant', content }] }).messages[0]?.blocks
    expect(back).toMatchObject([
      { type: 'text', signature },
      { type: 'tool-call', signature },
    ])
  })

  it('case 112: brings encrypted reasoning to the caller and back', () => {
    const block: Block = {
      type: 'reasoning',
      text: '',
      redacted: true,
      signature: { signer: 'openai', value: 'rs_1|gAAA' },
    }
    const { content } = write([block])
    expect(content).toEqual([{ type: 'redacted_thinking', data: expect.stringMatching(/^hg1\.openai\./) }])
    expect(
      messages.readRequest({ model: 'm', messages: [{ role: 'assistant', content }] }).messages[0]?.blocks,
    ).toMatchObject([block])
  })

  it('writes reasoning that nobody signed without a signature', () => {
    expect(write([{ type: 'reasoning', text: 'hm' }]).content).toEqual([
      { type: 'thinking', thinking: 'hm', signature: '' },
    ])
  })

  it('case 219: links citations of other formats, and declares those without a link', () => {
    const { content, lost } = write([
      {
        type: 'text',
        text: 'a',
        citations: [{ url: 'https://x.test', title: 'X', start: 0, end: 1 }, { title: 'a file' }],
        at: 'choices[0].message.content',
      },
    ])
    expect(at(content, 0, 'citations')).toEqual([
      { type: 'web_search_result_location', url: 'https://x.test', title: 'X', cited_text: '', encrypted_index: '' },
    ])
    expect(lost).toEqual(['dropped choices[0].message.content.citations'])
  })

  it('declares what an answer of this format can not hold', () => {
    const { content, lost } = write([
      { type: 'media', kind: 'image', source: { type: 'base64', data: 'AAAA' }, at: 'a' },
      { type: 'hosted-call', id: 'h', name: 'code-execution', arguments: '{}', at: 'b' },
      { type: 'tool-call', id: 'x.1', name: 'f', arguments: 'oops', at: 'c' },
    ])
    expect(content).toEqual([{ type: 'tool_use', id: 'x_1', name: 'f', input: {} }])
    expect(lost).toEqual(['dropped a', 'dropped b', 'changed c.arguments', 'changed c.id'])
  })

  it('case 274: writes the first of several choices and declares the others', () => {
    const losses: Loss[] = []
    const choice = (text: string, index: number) => ({
      blocks: [{ type: 'text' as const, text }],
      finish: { reason: 'stop' as const },
      at: `choices[${index}]`,
    })
    expect(
      at(messages.writeResponse({ choices: [choice('a', 0), choice('b', 1)] }, reply, losses), 'content'),
    ).toHaveLength(1)
    expect(losses).toMatchObject([{ path: 'choices[1]', kind: 'dropped' }])
  })
})
