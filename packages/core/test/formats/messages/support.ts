import type { Block } from '../../../src/canonical/block.ts'
import type { Frame, Reply } from '../../../src/canonical/format.ts'
import { isObject, type Json } from '../../../src/canonical/json.ts'
import type { Loss } from '../../../src/canonical/loss.ts'
import type { Part } from '../../../src/canonical/part.ts'
import type { ChatRequest, Message } from '../../../src/canonical/request.ts'
import type { Target } from '../../../src/canonical/target.ts'
import { messages } from '../../../src/formats/messages/index.ts'

/** The newest generation, one that thinks on a budget, and an old one. */
export const NEWEST: Target = { model: 'claude-opus-5', signer: 'claude' }
export const MIDDLE: Target = { model: 'claude-sonnet-4-5', signer: 'claude' }
export const OLD: Target = { model: 'claude-3-haiku-20240307', signer: 'claude' }

export const reply: Reply = {
  id: 'req_1',
  model: 'the-model',
  request: { model: 'the-model', messages: [], stream: true, streamUsage: true, paths: {} },
}

export function user(...blocks: (Block | string)[]): Message {
  return { role: 'user', blocks: blocks.map(asBlock) }
}
export function assistant(...blocks: (Block | string)[]): Message {
  return { role: 'assistant', blocks: blocks.map(asBlock) }
}
export function system(...blocks: (Block | string)[]): Message {
  return { role: 'system', blocks: blocks.map(asBlock) }
}
export function call(id: string, args = '{}', name = 'f'): Block {
  return { type: 'tool-call', id, name, arguments: args }
}
export function result(id: string, text = 'ok'): Block {
  return { type: 'tool-result', id, blocks: [{ type: 'text', text }] }
}

function asBlock(block: Block | string): Block {
  return typeof block === 'string' ? { type: 'text', text: block } : block
}

export function request(fields: Partial<ChatRequest> = {}): ChatRequest {
  return { model: 'm', messages: [user('hi')], stream: false, streamUsage: true, paths: {}, ...fields }
}

export interface Written {
  body: Json
  losses: Loss[]
  /** `kind path`, without the reasons. */
  lost: string[]
  restore: ReturnType<typeof messages.writeRequest>['restore']
}

/** Writes a request and checks that nothing of it was touched. */
export function write(fields: Partial<ChatRequest>, target: Target = NEWEST): Written {
  const losses: Loss[] = []
  const { body, restore } = messages.writeRequest(freeze(request(fields)), target, losses)
  return {
    body: JSON.parse(JSON.stringify(body)) as Json,
    losses,
    lost: losses.map((loss) => `${loss.kind} ${loss.path}`),
    restore,
  }
}

export function freeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const part of Object.values(value)) freeze(part)
  return value
}

/** The value at a path of keys and indices. */
export function at(value: unknown, ...path: (string | number)[]): unknown {
  let found = value
  for (const key of path) found = Array.isArray(found) ? found[Number(key)] : isObject(found) ? found[key] : undefined
  return found
}

/** The frames of a stream's text, each of which must have an event line that names its type. */
export function framesOf(text: string): (Frame & { json: Json })[] {
  return text
    .split('\n\n')
    .filter((frame) => frame !== '')
    .map((frame) => {
      const [head = '', body = '', ...more] = frame.split('\n')
      if (!head.startsWith('event: ') || !body.startsWith('data: ') || more.length > 0)
        throw new Error(`Not a frame: ${frame}`)
      const data = body.slice(6)
      const json: unknown = JSON.parse(data)
      if (!isObject(json) || json['type'] !== head.slice(7))
        throw new Error(`The event line does not name the type: ${frame}`)
      return { event: head.slice(7), data, json }
    })
}

export function eventFrame(json: Json): Frame {
  return { event: String(json['type']), data: JSON.stringify(json) }
}

/** Reads a stream of events to its end. */
export function readAll(events: Json[], signer = 'claude'): Part[] {
  const reader = messages.readStream({ signer })
  return [...events.flatMap((event) => reader.push(eventFrame(event))), ...reader.end()]
}

/** Writes parts to the end of the stream. */
export function writeAll(parts: Part[], losses: Loss[] = []): string {
  const writer = messages.writeStream(reply, losses)
  return parts.map((part) => writer.push(part)).join('') + writer.end()
}

/** A copy without the paths of its nodes. */
export function placeless<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value, (key, inner: unknown) => (key === 'at' ? undefined : inner))) as Value
}
