import { int, maybe, table, text } from './declare.ts'

/** Requests that are executed once. */
export const IDEMPOTENCY_TABLES = {
  /** Execution of a request with an idempotency key, and its response. */
  idempotent_responses: table({
    columns: {
      /** Digest of the key's id and the idempotency key. */
      id: text,
      /** Id of the request that is executed. */
      run: text,
      /** Encrypted digest of the request. */
      request: text,
      /** Encrypted response; null while the request runs. */
      outcome: maybe(text),
      /** Time of deletion, Unix milliseconds. A running request has ended by then. */
      ends_at: int,
    },
    key: ['id'],
    indexes: { by_end: '(ends_at)' },
  }),
}
