import type { ErrorKind } from '@headgate/core/errors'
import type { RequestTrace } from './ledger.ts'
import type { RequestOutcome } from './outcome.ts'

/** Budget or rate limit that refused a request. */
export interface RefusingLimit {
  readonly kind: 'budget' | 'rate-limit'
  /** Id of the budget; for a rate limit, its scope and owner: `model gpt-5`, `key key_1`. */
  readonly id: string
}

/** Request of a known caller that ended without a call of a provider. It has no usage row. */
export interface RefusalRecord {
  /** The `x-request-id` of the response. */
  readonly requestId: string
  /** Id of the principal. */
  readonly principal: string
  /** Empty if the path belongs to no family. */
  readonly family: string
  /** Format of the request; empty if it was refused before its body was read. */
  readonly format: string
  /** Model as the caller named it; empty if it was refused before its body was read. */
  readonly model: string
  /** HTTP status of the response. */
  readonly status: number
  /** `canceled` if the caller left; otherwise by the kind of the failure, see `outcomeWithoutCalls`. */
  readonly outcome: Extract<RequestOutcome, 'refused' | 'canceled' | 'failed'>
  readonly failure: ErrorKind
  /** Sentence that the caller got. It may quote the caller's data. */
  readonly message: string
  readonly limit: RefusingLimit | undefined
  readonly tags: Readonly<Record<string, string>> | undefined
  readonly endUser: string | undefined
  readonly session: string | undefined
  /** Unix time in milliseconds. */
  readonly startedAt: number
  readonly durationMs: number
  /** Id of the record, a UUIDv7; absent unless traces are exported. */
  readonly id?: string | undefined
  /** Absent unless traces are exported. */
  readonly trace?: RequestTrace | undefined
}

/** Request of an unknown caller that was refused. */
export interface UnauthenticatedRefusal {
  /** IP address of the caller; undefined if there is no socket. */
  readonly address: string | undefined
  /** `no-key`, `bad-key`, or the kind of another failure. */
  readonly reason: 'no-key' | ErrorKind
  /** Unix time in milliseconds. */
  readonly at: number
}

/** Messages of a request of which a call failed. They may quote prompts. */
export interface FailureWords {
  /** The `x-request-id` of the response. */
  readonly requestId: string
  /** Id of the principal. */
  readonly principal: string
  /** Unix time in milliseconds. */
  readonly startedAt: number
  /** Sentence that the caller got; undefined if the request was served. */
  readonly message: string | undefined
  /** Messages of the calls in the order of the usage row, at most 500 characters each; undefined = it did not fail. */
  readonly attempts: readonly (string | undefined)[]
}

/** Receiver of requests without usage rows and of the messages of failures. Its functions return fast and never throw. */
export interface RefusalSink {
  refused(refusal: RefusalRecord): void
  unauthenticated(refusal: UnauthenticatedRefusal): void
  /** Called at the end of a request of which a call failed. */
  words(words: FailureWords): void
}
