import { describe, expect, it } from 'vitest'
import type { Json } from '../../../src/canonical/json.ts'
import type { Usage } from '../../../src/canonical/usage.ts'
import { messages } from '../../../src/formats/messages/index.ts'
import { freeze, reply } from './support.ts'

function read(fields: Json, signer?: string) {
  const body = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-opus-5',
    content: [],
    stop_reason: 'end_turn',
    ...fields,
  }
  return messages.readResponse(freeze(body), signer === undefined ? undefined : { signer })
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
            extensions: { format: 'messages', fields: { caller: { type: 'direct' } } },
          },
        ],
        finish: { reason: 'tool-calls', raw: 'tool_use' },
      },
    ])
  })

  it('reads where an answer cites the web and documents', () => {
    const web = {
      type: 'web_search_result_location',
      url: 'https://x.test',
      title: 'X',
      cited_text: 'c',
      encrypted_index: 'E',
    }
    const page = {
      type: 'page_location',
      document_index: 0,
      document_title: 'Doc',
      cited_text: 'p',
      start_page_number: 1,
      end_page_number: 2,
    }
    expect(
      read({ content: [{ type: 'text', text: 'a', citations: [web, page] }] }).choices[0]?.blocks[0],
    ).toMatchObject({
      citations: [
        { url: 'https://x.test', title: 'X', cited: 'c', extensions: { fields: web } },
        { title: 'Doc', cited: 'p', extensions: { fields: page } },
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
    const response = read({
      stop_reason: 'refusal',
      stop_details: { type: 'refusal', category: 'bio', explanation: 'No.' },
    })
    expect(response.choices[0]).toMatchObject({
      finish: { reason: 'content-filter', detail: 'No.' },
      extensions: { fields: { 'stop_details.category': 'bio' } },
    })
  })

  it('takes an answer with calls for one that wants results, whatever an imitator says', () => {
    const content = [{ type: 'tool_use', id: 't', name: 'f', input: {} }]
    expect(read({ content }).choices[0]?.finish.reason).toBe('tool-calls')
    expect(read({ content, stop_reason: 'max_tokens' }).choices[0]?.finish.reason).toBe('length')
  })

  it.each([
    { content: [] },
    { content: null, stop_reason: 'end_turn', usage: null },
    { content: [null, 5, { type: 'new_thing', x: 1 }] },
    { content: [{ type: 'text' }, { type: 'tool_use' }] },
  ])('survives an answer of an imitator: %j', (body) => {
    expect(messages.readResponse(body).choices).toHaveLength(1)
  })

  it.each([{}, { hello: 1 }, { content: null, usage: null }, { content: 'Hi' }])(
    'refuses what is no answer: %j',
    (body) => {
      expect(() => messages.readResponse(body)).toThrow(
        expect.objectContaining({ kind: 'upstream', message: 'The provider sent a response without content.' }),
      )
      expect(() => messages.readResponse({ error: { type: 'overloaded_error', message: 'Busy.' } })).toThrow('Busy.')
    },
  )

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
      {
        input_tokens: 1,
        output_tokens: 9,
        output_tokens_details: { thinking_tokens: 7 },
        server_tool_use: { web_search_requests: 2 },
      },
      { input: 1, output: 9, reasoning: 7, units: { searches: 2 } },
    ],
    [
      'what is null is not known',
      { input_tokens: 1, output_tokens: 2, cache_read_input_tokens: null },
      { input: 1, output: 2 },
    ],
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
    expect(messages.summarize({ usage, stop_reason: 'end_turn', id: 'msg_1', model: 'm' })).toEqual({
      id: 'msg_1',
      model: 'm',
      usage: expected,
      finish: { reason: 'stop', raw: 'end_turn' },
    })
  })

  it('keeps what is unusual of the usage, and no more', () => {
    expect(
      read({ usage: { input_tokens: 1, output_tokens: 1, service_tier: 'standard', inference_geo: 'not_available' } })
        .extensions,
    ).toBeUndefined()
    expect(read({ usage: { input_tokens: 1, output_tokens: 1, service_tier: 'priority' } }).extensions?.fields).toEqual(
      {
        'usage.service_tier': 'priority',
      },
    )
  })
})
