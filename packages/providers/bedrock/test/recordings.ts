import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { type AnswerMeaning, framings } from '@headgate/conformance'
import { codec } from './aws.ts'

/** What was recorded of one call. */
export interface Recording {
  readonly id: string
  readonly family: string
  readonly stream: boolean
  readonly endpoint: string | null
  readonly responseStatus: number
  readonly responseBody: string
  readonly responseEncoding: string
}

export const folder = process.env['HEADGATE_RECORDINGS'] || undefined

/** Every recording of Bedrock that is not suspected to be made by hand. */
export function readRecordings(): Recording[] {
  if (folder === undefined) return []
  const lines = gunzipSync(readFileSync(join(folder, 'dev.jsonl.gz')))
    .toString('utf8')
    .split('\n')
  return lines.flatMap((text) => {
    if (!text.includes('"provider": "bedrock"') && !text.includes('"provider":"bedrock"')) return []
    const line = JSON.parse(text) as Recording & { readonly provider: string; readonly suspectSynthetic?: boolean }
    return line.provider === 'bedrock' && !line.suspectSynthetic ? [line] : []
  })
}

/** The bytes of a stream: those that were recorded, else its events in the framing that they came in. */
export function bytesOf({ responseBody, responseEncoding, family }: Recording): Uint8Array {
  if (responseEncoding === 'base64') {
    const bytes = Buffer.from(responseBody, 'base64')
    // Some cassettes hold base64 themselves.
    return bytes.subarray(0, 7).toString() === 'base64:' ? Buffer.from(bytes.subarray(7).toString(), 'base64') : bytes
  }
  const write = framings['aws-event-stream'].write
  const frames = responseBody.split('\n').flatMap((line) => {
    if (line.trim() === '') return []
    const json = JSON.parse(line) as Record<string, object>
    if (family === 'bedrock-invoke')
      return [write({ event: 'chunk', data: { bytes: Buffer.from(line).toString('base64') } })]
    return Object.entries(json).map(([event, data]) => write({ event, data: { ...data } }))
  })
  return Buffer.concat(frames)
}

interface Event {
  readonly name: string
  readonly data: Loose
}

/** JSON of a shape that is looked at and not checked. */
export interface Loose {
  readonly [key: string]: Loose
}

/** The events of a stream, by AWS's own decoder. */
export function eventsOf(recording: Recording): Event[] {
  const bytes = bytesOf(recording)
  const events: Event[] = []
  for (let at = 0; at < bytes.length; ) {
    const length = new DataView(bytes.buffer, bytes.byteOffset + at).getUint32(0)
    const { headers, body } = codec.decode(bytes.subarray(at, at + length))
    events.push({
      name: String(headers[':event-type']?.value),
      data: JSON.parse(Buffer.from(body).toString('utf8')) as Loose,
    })
    at += length
  }
  return events
}

type Finish = AnswerMeaning['finish']

const FINISH: Readonly<Record<string, Finish>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  tool_use: 'tool-calls',
  guardrail_intervened: 'content-filter',
  content_filtered: 'content-filter',
}

function finishOf(raw: unknown): Finish {
  return FINISH[String(raw)] ?? 'stop'
}

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')
const isOwn = (call: Loose | undefined): boolean =>
  textIn(call?.['type']) === 'server_tool_use' || textIn(call?.['name']).startsWith('nova_')

function tokens(usage: Loose | undefined): Pick<AnswerMeaning, 'usage'> {
  if (!usage) return {}
  const [input, output, read, written] = [
    'inputTokens',
    'outputTokens',
    'cacheReadInputTokens',
    'cacheWriteInputTokens',
  ].map((key) => Number(usage[key] ?? 0)) as [number, number, number, number]
  return { usage: { input: input + read + written, output, cacheRead: read } }
}

/** What a whole answer of Converse says. */
export function converseMeaning(body: Loose): AnswerMeaning {
  const content = (body['output']?.['message']?.['content'] ?? []) as unknown as readonly Loose[]
  return {
    text: content
      .map(
        (one) =>
          textIn(one['text']) +
          listed(one['citationsContent']?.['content'])
            .map((part) => textIn(part['text']))
            .join(''),
      )
      .join(''),
    reasoning: content.map((one) => textIn(one['reasoningContent']?.['reasoningText']?.['text'])).join(''),
    calls: content.flatMap(({ toolUse }) =>
      toolUse && !isOwn(toolUse) ? [{ name: textIn(toolUse['name']), arguments: toolUse['input'] }] : [],
    ),
    finish: finishOf(body['stopReason']),
    ...tokens(body['usage']),
  }
}

function listed(value: unknown): readonly Loose[] {
  return Array.isArray(value) ? (value as Loose[]) : []
}

/** What a stream of Converse says. */
export function converseStreamMeaning(events: readonly Event[]): AnswerMeaning {
  let [text, reasoning, usage, stop] = ['', '', undefined as Loose | undefined, undefined as unknown]
  const calls = new Map<unknown, { name: string; json: string; own: boolean }>()
  for (const { name, data } of events) {
    const index: unknown = data['contentBlockIndex']
    const { toolUse } = data['start'] ?? {}
    if (toolUse) calls.set(index, { name: textIn(toolUse['name']), json: '', own: isOwn(toolUse) })
    const delta = data['delta'] ?? {}
    if (name === 'contentBlockDelta') {
      text += textIn(delta['text'])
      reasoning += textIn(delta['reasoningContent']?.['text'])
      const call = calls.get(index)
      if (call) call.json += textIn(delta['toolUse']?.['input'])
    }
    if (name === 'messageStop') stop = data['stopReason']
    if (name === 'metadata') usage = data['usage']
  }
  const made = [...calls.values()].filter(({ own }) => !own)
  return {
    text,
    reasoning,
    calls: made.map(({ name, json }) => ({ name, arguments: JSON.parse(json || '{}') as unknown })),
    finish: finishOf(stop),
    ...tokens(usage),
  }
}
