const DASHES = /-/g
/** Position of the last 16 digits of a UUID without dashes. */
const HALF = 16

/**
 * Trace id of a request that its caller does not trace: its row's id, a UUIDv7. Its last 7 bytes are random, which
 * samplers rely on.
 * @see https://www.w3.org/TR/trace-context-2/#random-trace-id-flag
 */
export function traceIdOf(rowId: string): string {
  return rowId.replace(DASHES, '').toLowerCase()
}

/** Span id of a request, from its row's id. */
export function spanIdOf(rowId: string): string {
  return traceIdOf(rowId).slice(HALF)
}

/** Span id of a part of a request, such as its attempt `index` (from 0). Two parts never have the same id. */
export function childSpanId(rowId: string, index: number): string {
  const own = spanIdOf(rowId)
  const low = (Number.parseInt(own.slice(8), 16) ^ (index + 1)) >>> 0
  return own.slice(0, 8) + low.toString(16).padStart(8, '0')
}
