import type { RefusalRecord, RefusingLimit, UnauthenticatedRefusal } from '@headgate/gateway/ports'

/** Stored request without a call of a provider. */
export interface RecordedRefusal extends Omit<RefusalRecord, 'message' | 'limit' | 'id'> {
  /** UUIDv7 of the row. */
  readonly id: string
  readonly limit: RefusingLimit | undefined
}

/** Encrypted sentences that the callers of a batch got. */
export interface SealedMessages {
  readonly id: string
  /** Start of the newest of their requests. */
  readonly at: number
  readonly sealed: string
}

/** Exact number of requests without calls of one minute, key, model and kind of failure. */
export interface RefusalCount {
  /** Start of the minute in Unix milliseconds. */
  readonly minute: number
  readonly principal: string
  readonly model: string
  readonly failure: string
  requests: number
  /** Id of the newest recorded request; empty = none. */
  newest: string
}

/** Number of refused requests of an unknown caller. */
export interface UnauthenticatedCount {
  /** Start of the hour in Unix milliseconds. */
  readonly hour: number
  /** IP address; empty = all others. */
  readonly address: string
  readonly reason: UnauthenticatedRefusal['reason']
  requests: number
  /** Unix milliseconds. */
  lastAt: number
}

/** Encrypted messages of a request of which a call failed. */
export interface SealedWords {
  readonly requestId: string
  /** Id of the key. */
  readonly key: string
  readonly at: number
  /** Time of deletion. */
  readonly endsAt: number
  readonly sealed: string
}

/** Records of about one second. */
export interface RefusalBatch {
  /** Id of the book that the batch is from. */
  readonly book: string
  /** Increases with each batch of a book. A repeated number is not written again. */
  readonly number: number
  readonly rows: readonly RecordedRefusal[]
  /** Sentences of `rows`; undefined = there are no rows. */
  readonly messages: SealedMessages | undefined
  readonly counts: readonly RefusalCount[]
  readonly unauthenticated: readonly UnauthenticatedCount[]
  readonly words: readonly SealedWords[]
}
