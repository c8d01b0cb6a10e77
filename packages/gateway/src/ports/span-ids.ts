import type { UsageRow } from './ledger.ts'

const DASHES = /-/g
/** Position of the last 16 digits of a UUID without dashes. */
const HALF = 16
/** Position and end of the trace id in `traceparent`. */
const TRACE_ID = [3, 35] as const

/**
 * Trace id of a request: its caller's, or the id of its row without dashes. The last 7 bytes of a row's id, a UUIDv7,
 * are random, which samplers rely on.
 * @see https://www.w3.org/TR/trace-context-2/#random-trace-id-flag
 */
export function traceIdOf({ id, trace }: Pick<UsageRow, 'id' | 'trace'>): string {
  return trace?.parent === undefined || trace.isLinked ? digitsOf(id) : trace.parent.slice(...TRACE_ID)
}

/** Span id of a request, from its row's id. */
export function spanIdOf(rowId: string): string {
  return digitsOf(rowId).slice(HALF)
}

/** Span id of a part of a request, such as its attempt `index` (from 0). Two parts never have the same id. */
export function childSpanId(rowId: string, index: number): string {
  const own = spanIdOf(rowId)
  const low = (Number.parseInt(own.slice(8), 16) ^ (index + 1)) >>> 0
  return own.slice(0, 8) + low.toString(16).padStart(8, '0')
}

function digitsOf(id: string): string {
  return id.replace(DASHES, '').toLowerCase()
}
