import { describe, expect, it } from 'vitest'
import type { Block } from '../../../src/canonical/block.ts'
import type { Json } from '../../../src/canonical/json.ts'
import type { Loss } from '../../../src/canonical/loss.ts'
import type { Part } from '../../../src/canonical/part.ts'
import { HeadgateError } from '../../../src/errors.ts'
import { responses } from '../../../src/formats/responses/index.ts'
import { readFrames } from '../../../src/formats/sse.ts'
import { eventsOf, plain, reply } from './support.ts'

const start: Part = { type: 'start', id: 'a1', model: 'm', created: 7 }
const stop: Part = { type: 'finish', finish: { reason: 'stop' } }
const block = (index: number, begun: Block, ...deltas: (Part & { type: 'block-delta' })['delta'][]): Part[] => [
  { type: 'block-start', index, block: begun },
  ...deltas.map((delta): Part => ({ type: 'block-delta', index, delta })),
  { type: 'block-end', index },
]
const types = (events: readonly Json[]): unknown[] => events.map(({ type }) => type)

describe('A stream written as responses', () => {
  it('tells a message in the vendor’s order, numbered without gaps', () => {
    const citations = [{ url: 'https://x.test', title: 'X' }]
    const events = eventsOf([
      start,
      ...block(0, { type: 'text', text: '' }, { text: 'Hel' }, { text: 'lo' }, { citations }),
      stop,
    ])
    expect(types(events)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.delta',
      'response.output_text.annotation.added',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ])
    expect(events.map((event) => event['sequence_number'])).toEqual(events.map((_, index) => index))
    expect(events[4]).toEqual({
      type: 'response.output_text.delta',
      sequence_number: 4,
      item_id: 'msg_req1_0',
      output_index: 0,
      content_index: 0,
      logprobs: [],
      delta: 'Hel',
    })
    const annotation = { type: 'url_citation', start_index: 0, end_index: 5, url: 'https://x.test', title: 'X' }
    const content = [{ type: 'output_text', text: 'Hello', annotations: [annotation], logprobs: [] }]
    const item = { id: 'msg_req1_0', type: 'message', role: 'assistant', status: 'completed', content }
    expect(events[9]).toMatchObject({ output_index: 0, item })
    expect(events[10]).toMatchObject({
      response: { id: 'a1', model: 'm', created_at: 7, status: 'completed', output: [item], usage: null },
    })
  })

  it('tells reasoning, calls and free text as items one after the other', () => {
    const events = eventsOf([
      start,
      ...block(0, { type: 'reasoning', text: '' }, { text: 'Hm' }, { signature: { signer: 'claude', value: 'SIG' } }),
      ...block(
        1,
        { type: 'tool-call', id: 'c1', name: 'f', arguments: '' },
        { arguments: '{"a"' },
        { arguments: ':1}' },
      ),
      ...block(2, { type: 'tool-call', id: 'c2', name: 'g', arguments: '', custom: true }, { arguments: 'x' }),
      { type: 'finish', finish: { reason: 'tool-calls' } },
    ])
    expect(types(events).slice(2, -1)).toEqual([
      ...['added'].map((word) => `response.output_item.${word}`),
      'response.reasoning_summary_part.added',
      'response.reasoning_summary_text.delta',
      'response.reasoning_summary_text.done',
      'response.reasoning_summary_part.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.custom_tool_call_input.delta',
      'response.custom_tool_call_input.done',
      'response.output_item.done',
    ])
    expect(events.at(-1)).toMatchObject({
      response: {
        output: [
          { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm' }], encrypted_content: 'hg1.claude.U0lH' },
          { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{"a":1}', status: 'completed' },
          { type: 'custom_tool_call', call_id: 'c2', name: 'g', input: 'x', status: 'completed' },
        ],
      },
    })
  })

  it('brings the signature of a call on reasoning of its own before it', () => {
    const call: Block = {
      type: 'tool-call',
      id: 'c1',
      name: 'f',
      arguments: '',
      signature: { signer: 'gemini', value: 'SIG' },
    }
    expect(eventsOf([start, ...block(0, call), stop]).at(-1)).toMatchObject({
      response: {
        output: [
          { type: 'reasoning', summary: [], encrypted_content: 'hg1.gemini.U0lH' },
          { type: 'function_call', arguments: '{}' },
        ],
      },
    })
  })

  it('calls a tool by its namespace again', () => {
    const to = reply({
      tools: [{ type: 'function', name: 'mail__send', namespace: 'mail' }],
      extensions: { format: 'responses', fields: {} },
    })
    const events = eventsOf(
      [start, ...block(0, { type: 'tool-call', id: 'c1', name: 'mail__send', arguments: '{}' }), stop],
      to,
    )
    expect(events[2]).toMatchObject({ item: { name: 'send', namespace: 'mail' } })
    expect(events.at(-1)).toMatchObject({
      response: {
        output: [{ name: 'send', namespace: 'mail' }],
        tools: [{ type: 'namespace', name: 'mail', tools: [{ name: 'send' }] }],
      },
    })
  })

  it('tells a web search of another provider as the vendor’s own', () => {
    const searched: Block = { type: 'hosted-call', id: 'srv_1', name: 'web-search', arguments: '' }
    const events = eventsOf([start, ...block(0, searched, { arguments: '{"query":"q"}' }), stop])
    expect(types(events).slice(2, -1)).toEqual([
      'response.output_item.added',
      'response.web_search_call.in_progress',
      'response.web_search_call.searching',
      'response.web_search_call.completed',
      'response.output_item.done',
    ])
    expect(events[6]).toMatchObject({ item: { id: 'srv_1', action: { type: 'search', query: 'q', queries: ['q'] } } })
  })

  it.each([
    [
      { reason: 'length' },
      'response.incomplete',
      { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
    ],
    [
      { reason: 'content-filter', detail: 'No' },
      'response.incomplete',
      { incomplete_details: { reason: 'content_filter' } },
    ],
    [{ reason: 'stop' }, 'response.completed', { status: 'completed', incomplete_details: null }],
  ] as const)('ends as %j', (finish, type, response) => {
    const end = eventsOf([start, ...block(0, { type: 'text', text: 'a' }), { type: 'finish', finish }]).at(-1)
    expect(end).toMatchObject({ type, response })
  })

  it('writes usage, with zero for what it can not leave out', () => {
    const counted: Part = { type: 'usage', usage: { input: 5, output: 3, cacheRead: 2 } }
    expect(eventsOf([start, counted, stop]).at(-1)).toMatchObject({
      response: {
        usage: {
          input_tokens: 5,
          input_tokens_details: { cached_tokens: 2, cache_write_tokens: 0 },
          output_tokens: 3,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: 8,
        },
      },
    })
  })

  it('keeps blocks that are open at once apart', () => {
    const call = (index: number): Part => ({
      type: 'block-start',
      index,
      block: { type: 'tool-call', id: `c${index}`, name: 'f', arguments: '' },
    })
    const piece = (index: number, more: string): Part => ({ type: 'block-delta', index, delta: { arguments: more } })
    const parts = [start, call(0), call(1), piece(1, '{"b"'), piece(0, '{"a"'), piece(1, ':2}'), piece(0, ':1}'), stop]
    expect(eventsOf(parts).at(-1)).toMatchObject({
      response: { output: [{ arguments: '{"a":1}' }, { arguments: '{"b":2}' }] },
    })
  })

  it('says what has no place', () => {
    const losses: Loss[] = []
    const film: Block = { type: 'media', kind: 'video', source: { type: 'url', url: 'https://x.test/a.mp4' } }
    eventsOf(
      [start, ...block(0, film), { type: 'finish', finish: { reason: 'stop-sequence', sequence: 'END' } }],
      reply(),
      losses,
    )
    expect(losses.map(({ path }) => path)).toEqual(['media', 'stop_sequence'])
  })

  it('tells a failure as an event and as the answer that failed', () => {
    const failed = {
      type: 'error',
      error: { kind: 'rate-limited', message: 'Slow down.', retryAfterMs: 2000 },
    } as const
    const events = eventsOf([start, failed, stop])
    expect(types(events)).toEqual(['response.created', 'response.in_progress', 'error', 'response.failed'])
    expect(events[2]).toMatchObject({
      code: 'rate_limit_exceeded',
      error: { type: 'rate_limit_error', code: 'rate_limit_exceeded' },
    })
    expect(events[3]).toMatchObject({
      response: { status: 'failed', error: { code: 'rate_limit_exceeded', message: 'Slow down. Try again in 2s.' } },
    })
  })

  it('is an error where the answer has no end', () => {
    expect(types(eventsOf([start, ...block(0, { type: 'text', text: 'a' })])).at(-1)).toBe('response.failed')
  })
})

describe('A whole answer written as a response', () => {
  it('repeats the request', () => {
    const request = responses.readRequest({
      model: 'm',
      input: 'x',
      instructions: 'Be kind',
      max_output_tokens: 5,
      reasoning: { effort: 'low' },
      text: { verbosity: 'low' },
      tools: [{ type: 'function', name: 'f', parameters: {}, strict: true }],
      metadata: { a: 'b' },
      previous_response_id: 'resp_0',
    })
    const body = plain(responses.writeResponse({ choices: [] }, { id: 'r', model: 'm', request }, []))
    expect(body).toMatchObject({
      id: 'resp_r',
      object: 'response',
      instructions: 'Be kind',
      max_output_tokens: 5,
      reasoning: { effort: 'low' },
      text: { format: { type: 'text' }, verbosity: 'low' },
      tools: [{ type: 'function', name: 'f', parameters: {}, strict: true }],
      tool_choice: 'auto',
      metadata: { a: 'b' },
      previous_response_id: 'resp_0',
      output: [],
    })
  })

  it('is what the stream of it ends with', () => {
    const blocks: Block[] = [
      { type: 'reasoning', text: 'Hm', raw: true },
      { type: 'text', text: 'a', citations: [{ url: 'https://x.test' }] },
      { type: 'text', text: 'b' },
      { type: 'refusal', text: 'No' },
    ]
    const parts = [start, ...blocks.flatMap((one, index) => block(index, one)), stop]
    const whole = plain(
      responses.writeResponse(
        { id: 'a1', model: 'm', created: 7, choices: [{ blocks, finish: { reason: 'stop' } }] },
        reply(),
        [],
      ),
    )
    expect(eventsOf(parts).at(-1)?.['response']).toEqual({ ...whole, completed_at: expect.any(Number) as number })
  })
})

describe('An error of a stream that passed as it is', () => {
  it('is told to clients that throw and to agents that look for a failed answer', () => {
    const frames = readFrames(responses.writeStreamError(new HeadgateError('overloaded', 'Full.'), 'r'))
    expect(frames.map(({ event }) => event)).toEqual(['error', 'response.failed'])
  })
})
