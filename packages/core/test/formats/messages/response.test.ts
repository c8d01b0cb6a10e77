import { describe, expect, it } from 'vitest'
import type { Block } from '../../../src/chat/block.ts'
import type { Json } from '../../../src/chat/json.ts'
import type { Loss } from '../../../src/chat/loss.ts'
import type { ChatResponse, Finish } from '../../../src/chat/response.ts'
import type { Usage } from '../../../src/chat/usage.ts'
import { messages } from '../../../src/formats/messages/index.ts'
import { at, call, freeze, reply } from './support.ts'

function read(fields: Json, signer?: string) {
  const body = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-opus-5', content: [], stop_reason: 'end_turn', ...fields }
  return messages.readResponse(freeze(body), signer === undefined ? undefined : { signer })
}
function write(blocks: Block[], finish: Finish = { reason: 'stop' }, fields: Partial<ChatResponse> = {}) {
  const losses: Loss[] = []
  const body = messages.writeResponse(freeze({ choices: [{ blocks, finish }], ...fields }), reply, losses)
  return { body, content: body['content'], lost: losses.map((loss) => `${loss.kind} ${loss.path}`) }
}

describe('Reading a messages answer', () => {
  it('reads text, calls and reasoning in their order', () => {
    const response = read({
      content: [
        { type: 'thinking', thinking: 'hm', signature: 'SIG' },
        { type: 'text', text: 'a', citations: null },
        { type: 'tool_use', id: 't1', name: 'f', input: { n: 1 }, caller: { type: 'direct' } },
      ],
      stop_reason: 'tool_use',
    })
    expect(response).toMatchObject({ id: 'msg_1', model: 'claude-opus-5' })
    expect(response.choices).toEqual([
      {
        blocks: [
          { type: 'reasoning', text: 'hm', signature: { signer: 'claude', value: 'SIG' }, at: 'content[0]' },
          { type: 'text', text: 'a', at: 'content[1]' },
          {
            type: 'tool-call',
            id: 't1',
            name: 'f',
            arguments: '{"n":1}',
            at: 'content[2]',
            side: { format: 'messages', fields: { caller: { type: 'direct' } } },
          },
        ],
        finish: { reason: 'tool-calls', raw: 'tool_use' },
      },
    ])
  })

  it('reads where an answer cites the web and documents', () => {
    const web = { type: 'web_search_result_location', url: 'https://x.test', title: 'X', cited_text: 'c', encrypted_index: 'E' }
    const page = {
      type: 'page_location',
      document_index: 0,
      document_title: 'Doc',
      cited_text: 'p',
      start_page_number: 1,
      end_page_number: 2,
    }
    expect(read({ content: [{ type: 'text', text: 'a', citations: [web, page] }] }).choices[0]?.blocks[0]).toMatchObject({
      citations: [
        { url: 'https://x.test', title: 'X', cited: 'c', side: { fields: web } },
        { title: 'Doc', cited: 'p', side: { fields: page } },
      ],
    })
  })

  it('signs reasoning with who signs at its origin, and with nobody where nobody does', () => {
    const content = [{ type: 'thinking', thinking: 'hm', signature: 'SIG' }]
    expect(read({ content }, 'other').choices[0]?.blocks[0]).toMatchObject({ signature: { signer: 'other' } })
    expect(messages.readResponse({ content }, {}).choices[0]?.blocks[0]).not.toHaveProperty('signature')
  })

  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop-sequence'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['tool_use', 'tool-calls'],
    ['pause_turn', 'pause'],
    ['refusal', 'content-filter'],
    ['compaction', 'stop'],
    ['constructor', 'stop'],
  ])('case 204: reads the end %s as %s', (raw, reason) => {
    expect(read({ stop_reason: raw }).choices[0]?.finish).toMatchObject({ reason, raw })
  })

  it('case 201: keeps why it refused', () => {
    const response = read({ stop_reason: 'refusal', stop_details: { type: 'refusal', category: 'bio', explanation: 'No.' } })
    expect(response.choices[0]).toMatchObject({
      finish: { reason: 'content-filter', detail: 'No.' },
      side: { fields: { stop_details: { category: 'bio' } } },
    })
  })

  it('takes an answer with calls for one that wants results, whatever an imitator says', () => {
    const content = [{ type: 'tool_use', id: 't', name: 'f', input: {} }]
    expect(read({ content }).choices[0]?.finish.reason).toBe('tool-calls')
    expect(read({ content, stop_reason: 'max_tokens' }).choices[0]?.finish.reason).toBe('length')
  })

  it.each([
    {},
    { content: null, usage: null },
    { content: [null, 5, { type: 'new_thing', x: 1 }] },
    { content: [{ type: 'text' }, { type: 'tool_use' }] },
  ])('survives an answer of an imitator: %j', (body) => {
    expect(messages.readResponse(body).choices).toHaveLength(1)
  })

  it('keeps a block that it does not know, and writes it back', () => {
    const block = { type: 'new_thing', x: 1 }
    const response = read({ content: [block] })
    expect(messages.writeResponse(response, reply, [])['content']).toEqual([block])
  })

  it.each<[string, Json, Usage]>([
    [
      'caches are part of the input',
      {
        input_tokens: 12,
        output_tokens: 5,
        cache_read_input_tokens: 2495,
        cache_creation_input_tokens: 100,
        cache_creation: { ephemeral_1h_input_tokens: 40 },
      },
      { input: 2607, output: 5, cacheRead: 2495, cacheWrite: 100, cacheWriteLong: 40 },
    ],
    [
      'case 230: thoughts are part of the output',
      { input_tokens: 1, output_tokens: 9, output_tokens_details: { thinking_tokens: 7 }, server_tool_use: { web_search_requests: 2 } },
      { input: 1, output: 9, reasoning: 7, webSearches: 2 },
    ],
    ['what is null is not known', { input_tokens: 1, output_tokens: 2, cache_read_input_tokens: null }, { input: 1, output: 2 }],
    [
      'runs that compacted count',
      {
        input_tokens: 1,
        output_tokens: 2,
        iterations: [
          { type: 'compaction', input_tokens: 10, output_tokens: 5 },
          { type: 'message', input_tokens: 1, output_tokens: 2 },
          { type: 'advisor_message', input_tokens: 100, output_tokens: 100 },
        ],
      },
      { input: 11, output: 7 },
    ],
    [
      'case 234: of a fallback the top level counts',
      {
        input_tokens: 1,
        output_tokens: 2,
        iterations: [
          { type: 'message', input_tokens: 10, output_tokens: 0 },
          { type: 'fallback_message', input_tokens: 1, output_tokens: 2 },
        ],
      },
      { input: 1, output: 2 },
    ],
  ])('reads usage: %s', (_, usage, expected) => {
    expect(read({ usage }).usage).toEqual(expected)
    expect(messages.tally({ usage, stop_reason: 'end_turn', id: 'msg_1', model: 'm' })).toEqual({
      id: 'msg_1',
      model: 'm',
      usage: expected,
      finish: { reason: 'stop', raw: 'end_turn' },
    })
  })

  it('keeps what is unusual of the usage, and no more', () => {
    expect(
      read({ usage: { input_tokens: 1, output_tokens: 1, service_tier: 'standard', inference_geo: 'not_available' } }).side,
    ).toBeUndefined()
    expect(read({ usage: { input_tokens: 1, output_tokens: 1, service_tier: 'priority' } }).side?.fields).toEqual({
      usage: { service_tier: 'priority' },
    })
  })
})

describe('Writing a messages answer', () => {
  it('writes every field that clients expect', () => {
    expect(write([{ type: 'text', text: 'hi' }]).body).toEqual({
      id: 'msg_req_1',
      type: 'message',
      role: 'assistant',
      model: 'the-model',
      content: [{ type: 'text', text: 'hi', citations: null }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      stop_details: null,
      usage: { input_tokens: 0, output_tokens: 0 },
      container: null,
      diagnostics: null,
    })
  })

  it('case 338: keeps the id and the model of the upstream', () => {
    expect(write([], { reason: 'stop' }, { id: 'chatcmpl-1', model: 'gpt-5.4' }).body).toMatchObject({ id: 'chatcmpl-1', model: 'gpt-5.4' })
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
        { usage: { input: 2607, output: 3, cacheRead: 2495, cacheWrite: 100, cacheWriteLong: 60, reasoning: 1, webSearches: 4 } },
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
    expect(at(write([], { reason: 'stop' }, { usage: { input: 5, output: 1, cacheRead: 9 } }).body, 'usage', 'input_tokens')).toBe(0)
  })

  it('case 111: brings signatures of other vendors to the caller on blocks of their own', () => {
    const signature = { signer: 'gemini', value: 'abc' }
    const { content, lost } = write([
      { type: 'text', text: 'a', signature },
      { type: 'tool-call', id: 'c1', name: 'f', arguments: '{}', signature },
    ])
    const carrier = { type: 'thinking', thinking: '', signature: expect.stringMatching(/^hg1\.gemini\./) }
    expect(content).toEqual([
      { type: 'text', text: 'a', citations: null },
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
    const block: Block = { type: 'reasoning', text: '', redacted: true, signature: { signer: 'openai', value: 'rs_1|gAAA' } }
    const { content } = write([block])
    expect(content).toEqual([{ type: 'redacted_thinking', data: expect.stringMatching(/^hg1\.openai\./) }])
    expect(messages.readRequest({ model: 'm', messages: [{ role: 'assistant', content }] }).messages[0]?.blocks).toMatchObject([block])
  })

  it('writes reasoning that nobody signed without a signature', () => {
    expect(write([{ type: 'reasoning', text: 'hm' }]).content).toEqual([{ type: 'thinking', thinking: 'hm', signature: '' }])
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
    expect(at(messages.writeResponse({ choices: [choice('a', 0), choice('b', 1)] }, reply, losses), 'content')).toHaveLength(1)
    expect(losses).toMatchObject([{ path: 'choices[1]', kind: 'dropped' }])
  })
})
