import type { FormatId } from '../../../core/test/recordings/recordings.ts'
import type { Served } from './run.ts'

/** The smallest request of a format: for runs where only the answer matters. */
export function smallRequest(format: FormatId, model: string, stream: boolean, choices = 1): string {
  const turn = { role: 'user', content: 'Hello' }
  switch (format) {
    case 'chat-completions':
      return JSON.stringify({
        model,
        messages: [turn],
        ...(choices > 1 && { n: choices }),
        ...(stream && { stream, stream_options: { include_usage: true } }),
      })
    case 'messages':
      return JSON.stringify({ model, max_tokens: 1024, messages: [turn], ...(stream && { stream }) })
    case 'generate-content':
      return JSON.stringify({
        contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
        ...(choices > 1 && { generationConfig: { candidateCount: choices } }),
      })
    case 'responses':
      return JSON.stringify({ model, input: 'Hello', ...(stream && { stream }) })
  }
}

const chunk = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'model' }
const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'model',
  content: [],
  stop_reason: null,
  stop_sequence: null,
}
const events = [
  { type: 'message_start', message: { ...message, usage: { input_tokens: 1, output_tokens: 1 } } },
  { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 1 } },
  { type: 'message_stop' },
]
const said = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'Hi', annotations: [] }],
}
const response = {
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  model: 'model',
  status: 'completed',
  output: [said],
}

const candidate = { candidates: [{ content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }] }

const WHOLE: Readonly<Record<FormatId, unknown>> = {
  'chat-completions': {
    ...chunk,
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  },
  messages: {
    ...message,
    content: [{ type: 'text', text: 'Hi' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 1, output_tokens: 1 },
  },
  'generate-content': candidate,
  responses: response,
}

const STREAM: Readonly<Record<FormatId, string>> = {
  'chat-completions': `data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`,
  messages: events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''),
  'generate-content': `data: ${JSON.stringify(candidate)}\r\n\r\n`,
  responses: `event: response.completed\ndata: ${JSON.stringify({ type: 'response.completed', sequence_number: 0, response })}\n\n`,
}

/** The smallest answer of a format: for runs where only the request matters. */
export function smallAnswer(format: FormatId, stream: boolean): Served {
  const body = stream ? STREAM[format] : JSON.stringify(WHOLE[format])
  return { status: 200, contentType: stream ? 'text/event-stream' : 'application/json', chunks: [Buffer.from(body)] }
}
