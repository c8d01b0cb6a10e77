import { int, ints, table, text } from './declare.ts'
import { FIRST_BYTE_CLASSES } from './first-bytes.ts'

/** A column per class; statements build their names. */
const firstByteClasses: object = ints(FIRST_BYTE_CLASSES)

/** Summed columns of calls. */
export const ATTEMPT_MEASURES = ['calls', 'saved', 'duration_ms'] as const
/** Summed columns of requests, without the first-byte histogram. */
export const REQUEST_MEASURES = ['requests', 'charged'] as const

/** Sums by minute of what happened lately, of all nodes. Kept for 48 hours. */
export const MINUTE_TABLES = {
  /** Upstream calls, by the minute in which they ended. */
  attempt_minutes: table({
    columns: {
      provider: text,
      /** Start of the minute. */
      minute: int,
      /** Empty if the provider has only one endpoint. */
      endpoint: text,
      /** Kind of the failure; empty = the call succeeded. */
      kind: text,
      calls: int,
      /** Failed calls of requests that another call served. */
      saved: int,
      duration_ms: int,
      /** End of the last call, Unix milliseconds. */
      last_at: int,
      /** Key of the newest row of `usage` with this call: `at` with 15 digits, a slash and `id`. */
      last_row: text,
    },
    key: ['provider', 'minute', 'endpoint', 'kind'],
    clustered: true,
    indexes: { by_minute: '(minute)', failed: "(provider, minute) WHERE kind <> ''" },
  }),

  /** Requests, by the minute in which they began. */
  usage_minutes: table({
    columns: {
      minute: int,
      provider: text,
      model: text,
      outcome: text,
      /** Kind of the failure; empty = none. */
      failure: text,
      ...ints(REQUEST_MEASURES),
      ...firstByteClasses,
    },
    key: ['minute', 'provider', 'model', 'outcome', 'failure'],
    clustered: true,
  }),
}
