import { isObject, type Json, parse } from '@headgate/core/canonical'
import type { ResponseHeaders } from '../../edge/sink.ts'

/** Response as its caller received it, without headers that belong to one request only. */
export interface RepeatableResponse {
  readonly status: number
  readonly headers: ResponseHeaders
  readonly body: Uint8Array
}

/** Reason why a request was executed and its response cannot be repeated. */
export type LossReason = 'too-large' | 'incomplete' | 'removed' | 'unreadable'

export interface LostResponse {
  readonly lost: LossReason
}

/** Outcome of an execution. */
export type IdempotentOutcome = RepeatableResponse | LostResponse

/** Bytes of the number that precedes the head. */
const LENGTH = 4

/** Encodes an outcome: the length of its head, the head as JSON, the body. */
export function encodeOutcome(outcome: IdempotentOutcome): Buffer {
  const head = 'lost' in outcome ? outcome : { status: outcome.status, headers: outcome.headers }
  const text = Buffer.from(JSON.stringify(head))
  const length = Buffer.alloc(LENGTH)
  length.writeUInt32BE(text.length)
  return Buffer.concat('lost' in outcome ? [length, text] : [length, text, outcome.body])
}

/** Decodes an outcome. */
export function decodeOutcome(bytes: Uint8Array): IdempotentOutcome {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (all.length < LENGTH) return { lost: 'unreadable' }
  const end = LENGTH + all.readUInt32BE(0)
  const head = parse(all.toString('utf8', LENGTH, end))
  if (!isObject(head)) return { lost: 'unreadable' }
  const { lost, status, headers } = head
  if (isReason(lost)) return { lost }
  if (typeof status !== 'number' || !isObject(headers)) return { lost: 'unreadable' }
  return { status, headers: headersOf(headers), body: all.subarray(end) }
}

function isReason(value: unknown): value is LossReason {
  return value === 'too-large' || value === 'incomplete'
}

function headersOf(stored: Json): ResponseHeaders {
  const headers: ResponseHeaders = {}
  for (const [name, value] of Object.entries(stored))
    headers[name] = Array.isArray(value) ? value.map(String) : String(value)
  return headers
}
