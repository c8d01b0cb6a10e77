import type { Frame, Reply } from '../../../src/canonical/format.ts'
import type { Json } from '../../../src/canonical/json.ts'
import type { Loss } from '../../../src/canonical/loss.ts'
import type { Part } from '../../../src/canonical/part.ts'
import type { ChatRequest } from '../../../src/canonical/request.ts'
import type { Target } from '../../../src/canonical/target.ts'
import { responses } from '../../../src/formats/responses/index.ts'
import { readFrames } from '../../../src/formats/sse.ts'

/** The vendor's newest generation, one that does not reason, and a server that imitates the vendor. */
export const NEWEST: Target = { model: 'gpt-5.4', signer: 'gpt' }
export const OLD: Target = { model: 'gpt-4o', signer: 'gpt' }
export const OTHER: Target = { model: 'llama-4' }

export function request(fields: Partial<ChatRequest> = {}): ChatRequest {
  const messages = [{ role: 'user' as const, blocks: [{ type: 'text' as const, text: 'Hi' }] }]
  return { model: 'm', messages, stream: false, streamUsage: true, paths: {}, ...fields }
}

export const reply = (fields: Partial<ChatRequest> = {}): Reply => ({
  id: 'req1',
  model: 'the-model',
  request: request(fields),
})

export interface Written {
  readonly body: Json
  /** `path;kind`, without the reasons. */
  readonly lost: readonly string[]
}

export function write(fields: Partial<ChatRequest>, target: Target = NEWEST): Written {
  const losses: Loss[] = []
  const { body } = responses.writeRequest(request(fields), target, losses)
  return { body: plain(body), lost: said(losses) }
}

/** Writes what a caller of the format sent to a provider of it. */
export function rewritten(body: Json, target: Target = NEWEST): Written {
  const losses: Loss[] = []
  const written = responses.writeRequest(responses.readRequest(body), target, losses)
  return { body: plain(written.body), lost: said(losses) }
}

export function said(losses: readonly Loss[]): string[] {
  return losses.map(({ path, kind }) => `${path};${kind}`)
}

export function plain(value: Json): Json {
  return JSON.parse(JSON.stringify(value)) as Json
}

/** An answer as the vendor's documentation has it. */
export function answer(output: readonly Json[], fields: Json = {}): Json {
  return {
    id: 'resp_1',
    object: 'response',
    created_at: 1_750_000_000,
    status: 'completed',
    model: 'gpt-5.4',
    output,
    ...fields,
  }
}

export function message(id: string, ...content: Json[]): Json {
  return { type: 'message', id, role: 'assistant', status: 'completed', content }
}

export function text(said: string, fields: Json = {}): Json {
  return { type: 'output_text', text: said, annotations: [], logprobs: [], ...fields }
}

export function frame(event: Json): Frame {
  return { event: String(event['type']), data: JSON.stringify(event) }
}

export function partsOf(events: readonly Json[], signer = 'gpt'): Part[] {
  const reader = responses.readStream({ signer })
  return [...events.flatMap((event) => reader.push(frame(event))), ...reader.end()]
}

/** The events that parts are written as. */
export function eventsOf(parts: readonly Part[], to: Reply = reply(), losses: Loss[] = []): Json[] {
  const writer = responses.writeStream(to, losses)
  const stream = parts.map((part) => writer.push(part)).join('') + writer.end()
  return readFrames(stream).map(({ data }) => JSON.parse(data) as Json)
}
