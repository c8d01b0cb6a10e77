import { describe, expect, it } from 'vitest'
import { NO_RESPONSE, readCompletion, withEvent } from '../../web/pages/playground/chat/completion.ts'
import { readResponse, withResponseEvent } from '../../web/pages/playground/chat/response.ts'
import { responsesBody } from '../../web/pages/playground/code/responses-body.ts'
import { dataOf } from '../../web/pages/playground/wire/events.ts'

const BYTES = new TextEncoder()

function streamOf(pieces: readonly Uint8Array[]): {
  readonly body: ReadableStream<Uint8Array>
  isCanceled(): boolean
} {
  let canceled = false
  const left = [...pieces]
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = left.shift()
      if (piece) controller.enqueue(piece)
      else controller.close()
    },
    cancel() {
      canceled = true
    },
  })
  return { body, isCanceled: () => canceled }
}

async function read(pieces: readonly Uint8Array[], bounds?: Parameters<typeof dataOf>[1]): Promise<readonly string[]> {
  const all: string[] = []
  for await (const data of dataOf(streamOf(pieces).body, bounds)) all.push(data)
  return all
}

describe('A stream of events', () => {
  it('is the same however it is cut', async () => {
    const bytes = BYTES.encode(
      ': hi\r\ndata: {"a":"é€😀"}\r\n\r\nevent: x\ndata: one\ndata:two\n\ndata: three\r\rdata: [DONE]\n\ndata: late\n\n',
    )
    const expected = ['{"a":"é€😀"}', 'one\ntwo', 'three']
    for (let size = 1; size <= bytes.length; size++) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.slice(at * size, (at + 1) * size),
      )
      expect(await read(pieces)).toEqual(expected)
    }
  })

  it('gives what it ends with, blank line or not', async () => {
    expect(await read([BYTES.encode('data: last')])).toEqual(['last'])
    expect(await read([])).toEqual([])
  })

  it('is cut off where it is longer than its bounds', async () => {
    const line = BYTES.encode(`data: ${'x'.repeat(100)}`)
    await expect(read([line, line, line], { event: 250, all: 10_000 })).rejects.toThrow('too long')
    await expect(read([BYTES.encode('data: x\n\n'.repeat(100))], { event: 250, all: 500 })).rejects.toThrow('too long')
    const lines = BYTES.encode(`data: ${'x'.repeat(100)}\n`)
    await expect(read([lines, lines, lines], { event: 250, all: 10_000 })).rejects.toThrow('too long')
  })

  it('is let go where nobody reads on', async () => {
    const { body, isCanceled } = streamOf([
      BYTES.encode('data: 1\n\ndata: 2\n\n'),
      BYTES.encode('data: 3\n\n'),
      BYTES.encode('data: 4\n\n'),
    ])
    for await (const data of dataOf(body)) if (data === '1') break
    expect(isCanceled()).toBe(true)
  })
})

const chunk = (delta: unknown, finish: string | null = null) =>
  JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })

describe('An answer', () => {
  it('grows by text, reasoning and calls', () => {
    const answer = [
      chunk({ role: 'assistant', content: '', reasoning_content: 'Let me ' }),
      chunk({ reasoning_content: 'think.' }),
      chunk({ thinking_blocks: [{ type: 'thinking', thinking: 'Let me think.', signature: 's' }] }),
      chunk({ content: 'Hel' }),
      chunk({ content: 'lo' }),
      chunk({
        tool_calls: [
          {
            index: 0,
            id: 'call_1',
            function: { name: 'weather', arguments: '' },
            extra_content: { google: { thought_signature: 't' } },
          },
        ],
      }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '{"a":' } }] }),
      chunk({ tool_calls: [{ index: 1, id: 'call_2', function: { name: 'time', arguments: '{}' } }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '1}' } }] }),
      chunk({}, 'tool_calls'),
      JSON.stringify({ choices: [], usage: { prompt_tokens: 5, completion_tokens: 7 } }),
    ].reduce(withEvent, NO_RESPONSE)
    expect(answer).toEqual({
      role: 'assistant',
      text: 'Hello',
      reasoning: 'Let me think.',
      finish: 'tool_calls',
      error: undefined,
      thoughts: [{ type: 'thinking', thinking: 'Let me think.', signature: 's' }],
      items: [],
      calls: [
        { id: 'call_1', name: 'weather', arguments: '{"a":1}', extra: { google: { thought_signature: 't' } } },
        { id: 'call_2', name: 'time', arguments: '{}' },
      ],
      usage: { input: 5, output: 7 },
    })
  })

  it('says what went wrong in its middle, and keeps what it has', () => {
    const answer = [chunk({ content: 'Hel' }), '{"error":{"message":"The provider broke off."}}'].reduce(
      withEvent,
      NO_RESPONSE,
    )
    expect([answer.text, answer.error]).toEqual(['Hel', 'The provider broke off.'])
  })

  it('is not changed by what is none', () => {
    const strange = [
      '',
      'null',
      '[]',
      '{',
      '7',
      '{"choices":7}',
      '{"choices":[null]}',
      '{"choices":[{"delta":[]}]}',
      chunk({ content: 7, tool_calls: 7 }),
    ]
    expect(strange.reduce(withEvent, NO_RESPONSE)).toEqual(NO_RESPONSE)
    for (const index of [-1, 0.5, 1, 1e9])
      expect(withEvent(NO_RESPONSE, chunk({ tool_calls: [{ index, id: 'x' }] })).calls).toEqual([])
  })

  it('is read whole, too', () => {
    const message = {
      content: 'Hi',
      reasoning_content: 'Hm',
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
    }
    const answer = readCompletion(
      JSON.stringify({
        choices: [{ message, finish_reason: 'stop' }],
        usage: { prompt_tokens: 1, completion_tokens: 2 },
      }),
    )
    expect(answer).toMatchObject({
      text: 'Hi',
      reasoning: 'Hm',
      finish: 'stop',
      calls: [{ id: 'c', name: 'f', arguments: '{}' }],
    })
    expect(readCompletion('nothing').error).toBe('The response is not a chat completion.')
  })
})

const thought = {
  type: 'reasoning',
  id: 'rs_1',
  summary: [{ type: 'summary_text', text: 'Let me think.' }],
  encrypted_content: 'e',
}
const said = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'Hello', annotations: [] }],
}
const callItem = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'weather', arguments: '{"a":1}' }
const ended = {
  status: 'completed',
  output: [thought, said, callItem],
  error: null,
  incomplete_details: null,
  usage: { input_tokens: 5, output_tokens: 7 },
}

describe('An answer of the responses format', () => {
  const full = {
    role: 'assistant',
    text: 'Hello',
    reasoning: 'Let me think.',
    finish: 'completed',
    error: undefined,
    thoughts: [],
    items: [thought],
    calls: [{ id: 'call_1', name: 'weather', arguments: '{"a":1}' }],
    usage: { input: 5, output: 7 },
  }

  it('is the same streamed and whole', () => {
    const events = [
      { type: 'response.created', response: { ...ended, status: 'in_progress', output: [], usage: null } },
      { type: 'response.output_item.added', output_index: 0, item: { type: 'reasoning', id: 'rs_1', summary: [] } },
      { type: 'response.reasoning_summary_text.delta', delta: 'Let me ' },
      { type: 'response.reasoning_summary_text.delta', delta: 'think.' },
      { type: 'response.output_item.done', output_index: 0, item: thought },
      { type: 'response.output_text.delta', delta: 'Hel' },
      { type: 'response.output_text.delta', delta: 'lo' },
      { type: 'response.output_item.done', output_index: 1, item: said },
      { type: 'response.output_item.added', output_index: 2, item: { ...callItem, arguments: '' } },
      { type: 'response.function_call_arguments.delta', output_index: 2, delta: '{"a":' },
    ].map((event) => JSON.stringify(event))
    const before = events.reduce(withResponseEvent, NO_RESPONSE)
    expect(before.calls).toEqual([{ id: 'call_1', name: 'weather', arguments: '{"a":' }])
    const answer = [
      JSON.stringify({ type: 'response.output_item.done', output_index: 2, item: callItem }),
      JSON.stringify({ type: 'response.completed', response: ended }),
    ].reduce(withResponseEvent, before)
    expect(answer).toEqual(full)
    expect(readResponse(JSON.stringify(ended))).toEqual(full)
  })

  it('goes back as it came, before the result of its call', () => {
    const { text, reasoning, thoughts, items, calls } = readResponse(JSON.stringify(ended))
    const body = responsesBody({
      format: 'responses',
      model: 'demo',
      system: '',
      tools: [],
      parameters: {},
      streams: false,
      isStrict: false,
      turns: [
        { role: 'user', text: 'Hi', files: [] },
        { role: 'assistant', text, reasoning, thoughts, items, calls },
        { role: 'results', results: [{ id: 'call_1', name: 'weather', text: 'Rain' }] },
      ],
    })
    expect(body['input']).toEqual([
      { role: 'user', content: 'Hi' },
      thought,
      { role: 'assistant', content: 'Hello' },
      { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{"a":1}' },
      { type: 'function_call_output', call_id: 'call_1', output: 'Rain' },
    ])
  })

  it('says how it ended too early', () => {
    const late = { ...ended, status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }
    expect(readResponse(JSON.stringify(late)).finish).toBe('length')
    const failed = { ...ended, status: 'failed', error: { code: 'server_error', message: 'The provider broke off.' } }
    const event = JSON.stringify({ type: 'response.failed', response: failed })
    expect(withResponseEvent(NO_RESPONSE, event).error).toBe('The provider broke off.')
    expect(withResponseEvent(NO_RESPONSE, '{"type":"error","code":"server_error","message":"Gone."}').error).toBe(
      'Gone.',
    )
    expect(readResponse('{"choices":[]}').error).toBe('The response is not a chat response.')
  })

  it('is not changed by what is none', () => {
    const strange = [
      ...['', 'null', '[]', '{', '7', '{"type":7}', '{"type":"constructor"}', '{"type":"response.completed"}'],
      ...['{"type":"response.output_item.done","item":7}', '{"type":"response.output_text.delta","delta":7}'],
      '{"type":"response.function_call_arguments.delta","delta":"x"}',
    ]
    expect(strange.reduce(withResponseEvent, NO_RESPONSE)).toEqual(NO_RESPONSE)
  })
})
