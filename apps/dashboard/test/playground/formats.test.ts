import { describe, expect, it } from 'vitest'
import { NO_RESPONSE } from '../../web/pages/playground/chat/completion.ts'
import { readContent, withContent } from '../../web/pages/playground/chat/content.ts'
import { type ChatTurn, type PlaygroundRequest, sentTurns } from '../../web/pages/playground/chat/conversation.ts'
import { readMessage, withMessageEvent } from '../../web/pages/playground/chat/message.ts'
import { CHAT_WIRES } from '../../web/pages/playground/chat/send.ts'
import { generateBody } from '../../web/pages/playground/code/generate-body.ts'
import { messagesBody } from '../../web/pages/playground/code/messages-body.ts'

const REQUEST: PlaygroundRequest = {
  format: 'messages',
  model: 'acme/large 2',
  system: '',
  turns: [],
  tools: [],
  parameters: {},
  streams: true,
  isStrict: false,
}

/** Events as https://docs.anthropic.com/en/api/messages-streaming shows them. */
const EVENTS = [
  { type: 'message_start', message: { usage: { input_tokens: 5, cache_read_input_tokens: 20, output_tokens: 1 } } },
  { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Let me ' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'see.' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'EqQB' } },
  { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
  { type: 'ping' },
  { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Hel' } },
  { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'lo' } },
  {
    type: 'content_block_start',
    index: 2,
    content_block: { type: 'tool_use', id: 'toolu_1', name: 'weather', input: {} },
  },
  { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '{"place":' } },
  { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '"Oslo"}' } },
  { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 9 } },
  { type: 'message_stop' },
]

describe('The messages format', () => {
  it('is the same streamed and whole, and is sent back with its signature', () => {
    const streamed = EVENTS.map((event) => JSON.stringify(event)).reduce(withMessageEvent, NO_RESPONSE)
    const thought = { type: 'thinking', thinking: 'Let me see.', signature: 'EqQB' }
    expect(streamed).toMatchObject({
      text: 'Hello',
      reasoning: 'Let me see.',
      thoughts: [thought],
      calls: [{ id: 'toolu_1', name: 'weather', arguments: '{"place":"Oslo"}' }],
      finish: 'tool_use',
      usage: { input: 25, output: 9 },
      error: undefined,
    })
    const whole = readMessage(
      JSON.stringify({
        content: [
          thought,
          { type: 'text', text: 'Hello' },
          { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { place: 'Oslo' } },
        ],
        stop_reason: 'tool_use',
        usage: { input_tokens: 5, cache_read_input_tokens: 20, output_tokens: 9 },
      }),
    )
    expect(whole).toEqual(streamed)
    const { text, reasoning, thoughts, items, calls } = streamed
    const turn: ChatTurn = { role: 'assistant', text, reasoning, thoughts, items, calls }
    expect(messagesBody({ ...REQUEST, turns: [turn] })['messages']).toEqual([
      {
        role: 'assistant',
        content: [
          thought,
          { type: 'text', text: 'Hello' },
          { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { place: 'Oslo' } },
        ],
      },
    ])
  })

  it('says why a response is not complete', () => {
    const error = JSON.stringify({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } })
    expect(withMessageEvent(NO_RESPONSE, error).error).toBe('Overloaded')
    const end = JSON.stringify({ type: 'message_delta', delta: { stop_reason: 'max_tokens' }, usage: {} })
    expect(withMessageEvent(NO_RESPONSE, end).finish).toBe('length')
    expect(readMessage('{}').error).toBe('The response is not a message.')
    for (const data of ['', 'null', '[]', '{"type":"content_block_delta","delta":{"type":"input_json_delta"}}'])
      expect(withMessageEvent(NO_RESPONSE, data)).toEqual(NO_RESPONSE)
  })
})

describe('The generateContent format', () => {
  it('is read as events of a stream, and its signatures are sent back', () => {
    const content = (parts: readonly object[], more: object = {}) =>
      JSON.stringify({ candidates: [{ content: { parts }, ...more }] })
    const events = [
      content([{ text: 'Thinking. ', thought: true }]),
      content([{ text: 'Hel' }]),
      content([
        { text: 'lo' },
        { functionCall: { name: 'weather', args: { place: 'Oslo' } }, thoughtSignature: 'Cs4B' },
      ]),
      JSON.stringify({
        candidates: [{ finishReason: 'MAX_TOKENS' }],
        usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 3, thoughtsTokenCount: 2 },
      }),
    ]
    const answer = events.reduce(withContent, NO_RESPONSE)
    expect(answer).toMatchObject({
      text: 'Hello',
      reasoning: 'Thinking. ',
      finish: 'length',
      usage: { input: 7, output: 5 },
      calls: [{ id: 'weather-1', name: 'weather', arguments: '{"place":"Oslo"}' }],
    })
    const { text, reasoning, thoughts, items, calls } = answer
    const body = generateBody({
      ...REQUEST,
      turns: [{ role: 'assistant', text, reasoning, thoughts, items, calls }],
    })
    expect(JSON.parse(JSON.stringify(body))['contents']).toEqual([
      {
        role: 'model',
        parts: [
          { text: 'Hello' },
          { functionCall: { id: 'weather-1', name: 'weather', args: { place: 'Oslo' } }, thoughtSignature: 'Cs4B' },
        ],
      },
    ])
    expect(readContent(events[1] ?? '').text).toBe('Hel')
    expect(readContent('{}').error).toBe('The response is not generated content.')
  })
})

describe('A request of the playground', () => {
  it('goes to the path of its format', () => {
    const paths = Object.entries(CHAT_WIRES).map(([format, { pathOf, queryOf }]) => [
      format,
      pathOf(REQUEST),
      queryOf?.(REQUEST),
    ])
    expect(paths).toEqual([
      ['chat-completions', 'v1/chat/completions', undefined],
      ['responses', 'v1/responses', undefined],
      ['messages', 'v1/messages', undefined],
      ['generate-content', 'v1beta/models/acme/large%202:streamGenerateContent', { alt: 'sse' }],
    ])
  })

  it('ends with the user’s message as code, not with the last answer', () => {
    const user: ChatTurn = { role: 'user', text: 'Hi', files: [] }
    const answer: ChatTurn = { role: 'assistant', text: 'Hello', reasoning: '', thoughts: [], items: [], calls: [] }
    expect(sentTurns([user, answer])).toEqual([user])
    expect(sentTurns([user, answer, user])).toEqual([user, answer, user])
    expect(sentTurns([])).toEqual([])
  })
})
