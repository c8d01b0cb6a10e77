/**
 * Answers and streams in the vendors' formats, written from their documentation.
 *
 * @see https://platform.openai.com/docs/api-reference/chat
 * @see https://platform.claude.com/docs/en/api/messages-streaming
 */

export const CHAT = '/v1/chat/completions'
export const MESSAGES = '/v1/messages'

export const chatRequest = { model: 'small', messages: [{ role: 'user', content: 'Hello' }] }
export const messagesRequest = { model: 'small', max_tokens: 64, messages: [{ role: 'user', content: 'Hello' }] }

export const chatUsage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 }

export function chatAnswer(content = 'Hi there', changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_750_000_000,
    model: 'small-2026-01-01',
    choices: [
      { index: 0, message: { role: 'assistant', content, refusal: null }, logprobs: null, finish_reason: 'stop' },
    ],
    usage: chatUsage,
    ...changes,
  }
}

export function messagesAnswer(text = 'Hi there'): Record<string, unknown> {
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'small-2026-01-01',
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 11, output_tokens: 7 },
  }
}

const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`

export function chatChunk(delta: unknown, changes: Record<string, unknown> = {}, finish: string | null = null): string {
  return data({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1_750_000_000,
    model: 'small-2026-01-01',
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...changes,
  })
}

export const chatUsageFrame = chatChunk({}, { choices: [], usage: chatUsage })
export const DONE = 'data: [DONE]\n\n'

/** The frames of a chat stream: role, words, finish, usage, end. */
export function chatFrames(words: readonly string[] = ['Hi', ' there']): string[] {
  return [
    chatChunk({ role: 'assistant', content: '' }),
    ...words.map((content) => chatChunk({ content })),
    chatChunk({}, {}, 'stop'),
    chatUsageFrame,
    DONE,
  ]
}

const event = (type: string, value: Record<string, unknown> = {}): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...value })}\n\n`

/** The frames of a messages stream. */
export function messagesFrames(words: readonly string[] = ['Hi', ' there']): string[] {
  return [
    event('message_start', {
      message: { ...messagesAnswer(), content: [], stop_reason: null, usage: { input_tokens: 11, output_tokens: 1 } },
    }),
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    event('ping'),
    ...words.map((text) => event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } })),
    event('content_block_stop', { index: 0 }),
    event('message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 7 } }),
    event('message_stop'),
  ]
}

export const messagesPing = event('ping')
export function messagesError(type: string, message: string): string {
  return event('error', { error: { type, message } })
}

/** The `data` of each event of a stream, parsed where it is JSON. */
export function dataOf(stream: string): unknown[] {
  return stream
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(5).trim())
    .map((value) => (value === '[DONE]' ? value : (JSON.parse(value) as unknown)))
}

/** All of the text that the chunks of a chat stream add up to. */
export function chatText(stream: string): string {
  const chunks = dataOf(stream) as { choices?: { delta?: { content?: string } }[] }[]
  return chunks.map((chunk) => chunk.choices?.[0]?.delta?.content ?? '').join('')
}
