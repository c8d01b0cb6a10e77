import type { Delivery } from '../request.ts'
import type { FormatId } from '../scene.ts'

export type Value = Record<string, unknown>

/** A stream as a caller's client reads it. */
export interface Read {
  /** What was said, whole. */
  readonly events: readonly { readonly event: string | undefined; readonly data: string; readonly value: unknown }[]
  /** What is wrong with the bytes. */
  readonly problems: readonly string[]
}

export function isValue(value: unknown): value is Value {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function parseJson(text: string): unknown {
  try {
    // Clients drop a byte order mark.
    return JSON.parse(text.replace(/^\ufeff/, '')) as unknown
  } catch {
    return undefined
  }
}

export function list(value: unknown): Value[] {
  return Array.isArray(value) ? value.filter(isValue) : []
}

/** Reads server-sent events as the standard has it: what no blank line ends is not there. */
function readEvents(text: string): Read {
  const events: { event: string | undefined; data: string; value: unknown }[] = []
  const problems: string[] = []
  let event: string | undefined
  let data: string[] = []
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\r|\n/)
  const rest = lines.pop()
  // It says nothing but that nothing more comes, and passes as the upstream has sent it.
  if (rest !== '' && rest !== 'data: [DONE]')
    problems.push(`the stream ends within a line: ${JSON.stringify(rest?.slice(-80))}`)
  for (const line of lines) {
    if (line === '') {
      if (data.length > 0) events.push({ event, data: data.join('\n'), value: parseJson(data.join('\n')) })
      event = undefined
      data = []
    } else if (/^data(:|$)/.test(line)) data.push(line.slice(5).replace(/^ /, ''))
    else if (line.startsWith('event:')) event = line.slice(6).trim()
  }
  if (data.length > 0 && data.join() !== '[DONE]')
    problems.push(`the last event has no blank line: ${JSON.stringify(data.join('\n').slice(-80))}`)
  return { events, problems }
}

function readArray(text: string): Read {
  const value = parseJson(text)
  if (!Array.isArray(value))
    return { events: [], problems: [`the answer is no JSON array: ${JSON.stringify(text.slice(-80))}`] }
  return { events: value.map((item: unknown) => ({ event: undefined, data: '', value: item })), problems: [] }
}

export function readStream(text: string, delivery: Delivery): Read {
  return delivery === 'json-array' ? readArray(text) : readEvents(text)
}

/** How a stream ended: with all that a format says, with an error, or with neither. */
export type Ending = 'whole' | 'error' | 'cut'

/** Whether an event says that it went wrong. */
export function isError(format: FormatId, event: string | undefined, value: unknown): boolean {
  if (!isValue(value)) return false
  if (format === 'messages') return event === 'error' || value['type'] === 'error'
  return value['error'] !== undefined && value['error'] !== null
}

export function endingOf(format: FormatId, { events }: Read): Ending {
  // What an upstream says after its own error may pass.
  if (events.some(({ event, value }) => isError(format, event, value))) return 'error'
  if (format === 'messages')
    return events.some(({ value }) => isValue(value) && value['type'] === 'message_stop') ? 'whole' : 'cut'
  const key = format === 'chat-completions' ? 'finish_reason' : 'finishReason'
  const has = events.some(
    ({ value }) => isValue(value) && list(value['choices'] ?? value['candidates']).some((one) => one[key]),
  )
  const blocked = events.some(({ value }) => isValue(value) && isValue(value['promptFeedback']))
  const done = events.some(({ data }) => data === '[DONE]')
  return has || blocked || done ? 'whole' : 'cut'
}

function chatText(value: Value): string {
  return list(value['choices'])
    .map((choice) => choice['delta'] ?? choice['message'])
    .map((message) => (isValue(message) && typeof message['content'] === 'string' ? message['content'] : ''))
    .join('')
}

function messagesText(value: Value): string {
  const delta = value['delta']
  if (value['type'] === 'content_block_delta' && isValue(delta))
    return typeof delta['text'] === 'string' ? delta['text'] : ''
  return list(value['content'])
    .map((block) => (block['type'] === 'text' ? String(block['text']) : ''))
    .join('')
}

function generateText(value: Value): string {
  return list(value['candidates'])
    .flatMap((candidate) => (isValue(candidate['content']) ? list(candidate['content']['parts']) : []))
    .map((part) => (typeof part['text'] === 'string' && part['thought'] !== true ? part['text'] : ''))
    .join('')
}

const TEXT: Readonly<Record<FormatId, (value: Value) => string>> = {
  'chat-completions': chatText,
  messages: messagesText,
  'generate-content': generateText,
}

function callsIn(value: Value): string {
  const delta = value['delta']
  const deltas = list(value['choices']).flatMap((choice) => {
    const message = choice['delta'] ?? choice['message']
    return isValue(message) ? list(message['tool_calls']) : []
  })
  const chat = deltas
    .map((call) => (isValue(call['function']) ? String(call['function']['arguments'] ?? '') : ''))
    .join('')
  const messages = isValue(delta) && typeof delta['partial_json'] === 'string' ? delta['partial_json'] : ''
  const blocks = list(value['content']).map((block) =>
    block['type'] === 'tool_use' ? JSON.stringify(block['input']) : '',
  )
  const parts = list(value['candidates'])
    .flatMap((candidate) => (isValue(candidate['content']) ? list(candidate['content']['parts']) : []))
    .map((part) => (isValue(part['functionCall']) ? JSON.stringify(part['functionCall']['args']) : ''))
  return chat + messages + blocks.join('') + parts.join('')
}

/** What a caller reads as text, and as arguments of its tool, of one answer or of the events of a stream. */
export function said(format: FormatId, values: readonly unknown[]): { text: string; calls: string } {
  const found = values.filter(isValue)
  return { text: found.map(TEXT[format]).join(''), calls: found.map(callsIn).join('') }
}
