import type { Principal, RequestTrace } from '../ports/ledger.ts'
import type { Incoming } from './sink.ts'

/** Version 00; later versions may have more fields. Ids of zeros and the version ff are invalid. */
const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]([\da-f])(?:-.*)?$/
const LENGTH = 55
/** Maximum length of `tracestate`. */
const MAX_STATE = 512
/** Printable characters. */
const STATE = /^[\x20-\x7e]+$/

/**
 * Trace of a request, for its usage row. A header that is sent twice, or is invalid, is ignored.
 * @see https://www.w3.org/TR/trace-context/
 */
export function requestTraceOf(
  { method, headers }: Pick<Incoming, 'method' | 'headers'>,
  path: string,
  { tracing = 'parent' }: Pick<Principal, 'tracing'>,
): RequestTrace {
  const route = `${method} ${path}`
  const given = headers['traceparent']
  if (typeof given !== 'string' || tracing === 'ignore') return { route }
  const value = given.trim()
  const [, flags] = TRACEPARENT.exec(value) ?? []
  if (flags === undefined || (value.startsWith('00') && value.length !== LENGTH)) return { route }
  const state = headers['tracestate']
  return {
    route,
    parent: value.slice(0, LENGTH),
    state: typeof state === 'string' && state.length <= MAX_STATE && STATE.test(state) ? state : undefined,
    isLinked: tracing === 'link' || undefined,
    isSampled: tracing === 'trusted' ? Number.parseInt(flags, 16) % 2 === 1 : undefined,
  }
}
