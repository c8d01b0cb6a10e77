import type { Loss } from '../canonical/loss.ts'
import type { FinishReason } from '../canonical/response.ts'
import { isCount, NO_COUNT, type Usage, uncountable, withoutFields } from '../canonical/usage.ts'
import type { ErrorKind } from '../errors.ts'

/** Who calls: what `authenticate` made of a credential. */
export interface Principal {
  /** Id of the key, never the key. */
  readonly id: string
  readonly name?: string
  /** Models it may call, `*` stands for any text. Absent = all; none where `search` or `scopes` say what it may do. */
  readonly models?: readonly string[]
  /**
   * Search engines, by their `cx`, and search backends, by name, that it may use; `*` stands for any text. Absent = all; none where
   * `models` or `scopes` say what it may do.
   */
  readonly search?: readonly string[]
  /** What else it may do, in words of whoever asks: the program knows `metrics`. */
  readonly scopes?: readonly string[]
}

/** One call of an upstream. */
export interface AttemptRow {
  readonly provider: string
  /** The provider's own name of the model. */
  readonly model: string
  /** Unix time in milliseconds. */
  readonly startedAt: number
  readonly durationMs: number
  /** HTTP status of the upstream; absent when no answer came. */
  readonly status?: number
  /** Absent when it served. */
  readonly failure?: ErrorKind
}

/** What one request that reached a provider cost and how it went: a row of `usage`. */
export interface UsageRow {
  /** The `x-request-id` of the answer. */
  readonly requestId: string
  /** Id of the principal. */
  readonly principal: string
  /** Id of the family: `chat`, `search`. */
  readonly family: string
  /** Format of the caller. */
  readonly format: string
  /** Model as the caller named it. */
  readonly model: string
  /** Instance that served, or that failed last. */
  readonly provider: string
  /** The provider's own name of the model. */
  readonly providerModel: string
  readonly stream: boolean
  /** Whether the bytes passed, or were translated from the provider's format. */
  readonly translated: boolean
  /** HTTP status that the caller got. */
  readonly status: number
  /** Absent, as a whole or by field, where the upstream did not say it in a whole number from 0 to 2^53 - 1: unknown, not zero. */
  readonly usage?: Partial<Usage>
  /** Whether some of the usage is an estimate: the answer broke off before its upstream had counted it. Absent = no. */
  readonly estimated?: boolean
  /** Integer nano-dollars below 2^53; null when the price or the usage is not known. */
  readonly cost: number | null
  /** The price that was applied. */
  readonly priceId: string | null
  readonly billed: boolean
  /** Why it is billed or not: `served`, `failed`, `cancelled`, `cut`, `price-unknown`, `usage-unknown`. */
  readonly why: string
  readonly finish?: FinishReason
  readonly failure?: ErrorKind
  /** Losses of the request, then those of the answer (paths start with `response.`). */
  readonly losses: readonly Loss[]
  /** Unix time in milliseconds. */
  readonly startedAt: number
  /** Milliseconds until the first byte of the answer went out; absent when none did. */
  readonly firstByteMs?: number
  readonly durationMs: number
  readonly attempts: readonly AttemptRow[]
}

/** Where usage rows go. The end of an answer waits for `settle`; a failure of it never reaches the caller. */
export interface Ledger {
  settle(row: UsageRow): void | Promise<void>
}

/** The row as a ledger can hold it, mostly itself: a number that is out of range is taken out, and declared among the losses. */
export function recordable(row: UsageRow): UsageRow {
  const { usage, cost, losses } = row
  const odd = usage ? uncountable(usage) : []
  const isCostly = cost !== null && !isCount(cost)
  if (odd.length === 0 && !isCostly) return row
  // What was written anew for the caller has declared it already, by the upstream's own names.
  const isDeclared = losses.some(({ reason }) => reason === NO_COUNT)
  const lost = isDeclared ? [] : odd.map((field) => `response.usage.${field}`)
  return {
    ...row,
    ...(usage && { usage: withoutFields(usage, odd) }),
    cost: isCostly ? null : cost,
    losses: [...losses, ...[...lost, ...(isCostly ? ['cost'] : [])].map((path) => ({ path, kind: 'dropped' as const, reason: NO_COUNT }))],
  }
}
