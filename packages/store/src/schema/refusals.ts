import { int, json, maybe, table, text, uuid } from './declare.ts'

/** Requests without calls of providers, failures by hour, and messages of failures. Times are Unix milliseconds. */
export const REFUSAL_TABLES = {
  /** Requests of known callers that ended without a call: a bounded sample, at most 100,000 rows. */
  refusals: table({
    columns: {
      at: int,
      id: uuid,
      request_id: text,
      principal: text,
      family: text,
      format: text,
      model: text,
      status: int,
      /** `refused`, `canceled` or `failed`. */
      outcome: text,
      failure: text,
      tags: maybe(json),
      end_user: maybe(text),
      session: maybe(text),
      duration_ms: int,
      /** `budget` or `rate-limit`; null = another reason. */
      limit_kind: maybe(text),
      limit_id: maybe(text),
      /** Id in `refusal_messages`. */
      messages: text,
    },
    key: ['at', 'id'],
    indexes: { by_key: '(principal, at)' },
  }),

  /** Sentences that callers got, by request, encrypted together: one row a second. */
  refusal_messages: table({
    columns: {
      id: text,
      /** Start of the newest of its requests. */
      at: int,
      sealed: text,
    },
    key: ['id'],
    indexes: { by_time: '(at)' },
  }),

  /** Exact numbers of requests without calls, by minute; kept for two days. */
  refusal_minutes: table({
    columns: {
      /** Start of the minute. */
      minute: int,
      principal: text,
      /** Empty = unknown, and the rest above the limit of a second. */
      model: text,
      failure: text,
      requests: int,
    },
    key: ['minute', 'principal', 'model', 'failure'],
    clustered: true,
  }),

  /** Exact numbers of requests without calls, by hour; kept for 35 days. */
  refusal_hours: table({
    columns: {
      /** Start of the hour. */
      hour: int,
      principal: text,
      model: text,
      failure: text,
      requests: int,
      /** Newest recorded request; empty = none. */
      newest: text,
    },
    key: ['hour', 'principal', 'model', 'failure'],
    clustered: true,
  }),

  /** Refused requests of unknown callers by hour; kept for 7 days. At most 1,000 addresses an hour. */
  unauthenticated_hours: table({
    columns: {
      /** Start of the hour. */
      hour: int,
      /** IP address; empty = all others. */
      address: text,
      reason: text,
      requests: int,
      last_at: int,
    },
    key: ['hour', 'address', 'reason'],
    clustered: true,
  }),

  /** Failed rows of `usage` by hour and kind of failure. */
  usage_failure_hours: table({
    columns: {
      /** Start of the hour. */
      hour: int,
      failure: text,
      provider: text,
      principal: text,
      requests: int,
      /** Id of the newest request. */
      newest: text,
    },
    key: ['hour', 'failure', 'provider', 'principal'],
    clustered: true,
  }),

  /** Messages of failed requests and calls, kept for one day. */
  request_words: table({
    columns: {
      request_id: text,
      key_id: text,
      at: int,
      /** Time of its deletion. */
      ends_at: int,
      /** Encrypted. */
      sealed: text,
    },
    key: ['request_id'],
    indexes: { by_end: '(ends_at)' },
  }),
}
