import { type FormatId, type Scene, THOUGHT, TOOL, TOOL_ARGUMENTS, wordsOf } from './scene.ts'

/**
 * Good answers in the three formats, written from the vendors' documentation.
 *
 * @see https://platform.openai.com/docs/api-reference/chat
 * @see https://platform.claude.com/docs/en/api/messages-streaming
 * @see https://ai.google.dev/api/generate-content
 */
export type Answer = Record<string, unknown>

/** An event of a stream. What is no text is written as JSON. */
export interface Event {
  readonly event?: string
  readonly data: unknown
}

const MODEL = 'small-2026-01-01'
const CREATED = 1_750_000_000

type Likeness = Pick<Scene, 'flavour'>

function chatWhole({ flavour }: Likeness): Answer {
  const call = { id: 'call_1', type: 'function', function: { name: TOOL, arguments: TOOL_ARGUMENTS } }
  const message = {
    role: 'assistant',
    content: flavour === 'call' ? null : wordsOf(flavour).join(''),
    refusal: null,
    ...(flavour === 'thought' && { reasoning_content: THOUGHT }),
    ...(flavour === 'call' && { tool_calls: [call] }),
  }
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: CREATED,
    model: MODEL,
    choices: [{ index: 0, message, logprobs: null, finish_reason: flavour === 'call' ? 'tool_calls' : 'stop' }],
    usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
  }
}

/** A chunk of a chat stream. */
export function chatChunk(delta: unknown, finish: string | null = null, more: Answer = {}): Event {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: finish }]
  return {
    data: { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: CREATED, model: MODEL, choices, ...more },
  }
}

function chatEvents({ flavour }: Likeness): Event[] {
  const call = (more: Answer): Event => chatChunk({ tool_calls: [{ index: 0, ...more }] })
  const middle = TOOL_ARGUMENTS.length >> 1
  return [
    chatChunk({ role: 'assistant', content: '' }),
    ...(flavour === 'thought' ? [chatChunk({ reasoning_content: THOUGHT })] : []),
    ...(flavour === 'call'
      ? [
          call({ id: 'call_1', type: 'function', function: { name: TOOL, arguments: '' } }),
          call({ function: { arguments: TOOL_ARGUMENTS.slice(0, middle) } }),
          call({ function: { arguments: TOOL_ARGUMENTS.slice(middle) } }),
        ]
      : wordsOf(flavour).map((content) => chatChunk({ content }))),
    chatChunk({}, flavour === 'call' ? 'tool_calls' : 'stop'),
    chatChunk({}, null, { choices: [], usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 } }),
    { data: '[DONE]' },
  ]
}

function messagesWhole({ flavour }: Likeness): Answer {
  const content = [
    ...(flavour === 'thought' ? [{ type: 'thinking', thinking: THOUGHT, signature: 'c2lnbmF0dXJl' }] : []),
    flavour === 'call'
      ? { type: 'tool_use', id: 'toolu_1', name: TOOL, input: JSON.parse(TOOL_ARGUMENTS) as unknown }
      : { type: 'text', text: wordsOf(flavour).join('') },
  ]
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: MODEL,
    content,
    stop_reason: flavour === 'call' ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 11, output_tokens: 7 },
  }
}

/** An event of a messages stream. */
export function messagesEvent(type: string, more: Answer = {}): Event {
  return { event: type, data: { type, ...more } }
}

function messagesBlock(index: number, block: Answer, deltas: readonly Answer[]): Event[] {
  return [
    messagesEvent('content_block_start', { index, content_block: block }),
    ...deltas.map((delta) => messagesEvent('content_block_delta', { index, delta })),
    messagesEvent('content_block_stop', { index }),
  ]
}

function messagesEvents(likeness: Likeness): Event[] {
  const { flavour } = likeness
  const whole = messagesWhole(likeness)
  const thinking = [
    { type: 'thinking_delta', thinking: THOUGHT },
    { type: 'signature_delta', signature: 'c2lnbmF0dXJl' },
  ]
  const middle = TOOL_ARGUMENTS.length >> 1
  const input = [TOOL_ARGUMENTS.slice(0, middle), TOOL_ARGUMENTS.slice(middle)]
  return [
    messagesEvent('message_start', {
      message: { ...whole, content: [], stop_reason: null, usage: { input_tokens: 11, output_tokens: 1 } },
    }),
    messagesEvent('ping'),
    ...(flavour === 'thought' ? messagesBlock(0, { type: 'thinking', thinking: '', signature: '' }, thinking) : []),
    ...(flavour === 'call'
      ? messagesBlock(
          0,
          { type: 'tool_use', id: 'toolu_1', name: TOOL, input: {} },
          input.map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
        )
      : messagesBlock(
          flavour === 'thought' ? 1 : 0,
          { type: 'text', text: '' },
          wordsOf(flavour).map((text) => ({ type: 'text_delta', text })),
        )),
    messagesEvent('message_delta', {
      delta: { stop_reason: whole['stop_reason'], stop_sequence: null },
      usage: { output_tokens: 7 },
    }),
    messagesEvent('message_stop'),
  ]
}

const GENERATED = { promptTokenCount: 11, candidatesTokenCount: 7, totalTokenCount: 18 }

/** A chunk of a generateContent stream. */
export function generateChunk(parts: readonly unknown[], more: Answer = {}, finish?: string): Event {
  const candidate = {
    content: { role: 'model', parts },
    index: 0,
    ...(finish !== undefined && { finishReason: finish }),
  }
  return { data: { candidates: [candidate], modelVersion: MODEL, responseId: 'resp-1', ...more } }
}

function generateEvents({ flavour }: Likeness): Event[] {
  const call = { functionCall: { name: TOOL, args: JSON.parse(TOOL_ARGUMENTS) as unknown } }
  return [
    ...(flavour === 'thought' ? [generateChunk([{ text: THOUGHT, thought: true }])] : []),
    ...(flavour === 'call'
      ? [generateChunk([call])]
      : wordsOf(flavour).map((text) =>
          generateChunk([{ text }], { usageMetadata: { promptTokenCount: 11, totalTokenCount: 11 } }),
        )),
    generateChunk([{ text: '' }], { usageMetadata: GENERATED }, 'STOP'),
  ]
}

function generateWhole({ flavour }: Likeness): Answer {
  const parts = [
    ...(flavour === 'thought' ? [{ text: THOUGHT, thought: true }] : []),
    flavour === 'call'
      ? { functionCall: { name: TOOL, args: JSON.parse(TOOL_ARGUMENTS) as unknown } }
      : { text: wordsOf(flavour).join('') },
  ]
  return generateChunk(parts, { usageMetadata: GENERATED }, 'STOP').data as Answer
}

const WHOLE: Readonly<Record<FormatId, (likeness: Likeness) => Answer>> = {
  'chat-completions': chatWhole,
  messages: messagesWhole,
  'generate-content': generateWhole,
}
const EVENTS: Readonly<Record<FormatId, (likeness: Likeness) => Event[]>> = {
  'chat-completions': chatEvents,
  messages: messagesEvents,
  'generate-content': generateEvents,
}

/** A good whole answer. */
export function wholeAnswer(scene: Pick<Scene, 'format' | 'flavour'>): Answer {
  return WHOLE[scene.format](scene)
}

/** The events of a good stream. */
export function streamedAnswer(scene: Pick<Scene, 'format' | 'flavour'>): Event[] {
  return EVENTS[scene.format](scene)
}

/** An event as it stands on the wire; `end` is what ends a line. */
export function wire({ event, data }: Event, end = '\n'): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data)
  return `${event === undefined ? '' : `event: ${event}${end}`}data: ${text}${end}${end}`
}

/** The line ends that the vendor of a format writes. */
export function lineEnd(format: FormatId): string {
  return format === 'generate-content' ? '\r\n' : '\n'
}

/** Events as pieces of a stream. */
export function wires(scene: Pick<Scene, 'format'>, events: readonly Event[]): string[] {
  return events.map((event) => wire(event, lineEnd(scene.format)))
}

/** An error in a format's own words, as a body and within a stream. */
export function errorBody(format: FormatId, message: string, kind: 'server' | 'request' | 'limit' = 'server'): Answer {
  const [type, status, code] = {
    server: ['server_error', 'INTERNAL', 500],
    request: ['invalid_request_error', 'INVALID_ARGUMENT', 400],
    limit: ['rate_limit_error', 'RESOURCE_EXHAUSTED', 429],
  }[kind]
  if (format === 'messages')
    return { type: 'error', error: { type: kind === 'server' ? 'api_error' : type, message }, request_id: 'req_1' }
  if (format === 'generate-content') return { error: { code, message, status } }
  return { error: { message, type, param: null, code: null } }
}

/** The same as an event. */
export function errorEvent(format: FormatId, message: string, kind: 'server' | 'request' | 'limit' = 'server'): Event {
  const data = errorBody(format, message, kind)
  return format === 'messages' ? { event: 'error', data } : { data }
}
