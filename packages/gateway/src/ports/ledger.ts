import type { FinishReason, Loss } from '@headgate/core/canonical'
import { isCount, NO_COUNT, type Usage, uncountable, withoutFields } from '@headgate/core/canonical'
import type { ErrorKind } from '@headgate/core/errors'
import type { KeyRights } from './key-rights.ts'
import type { RateLimit } from './rate-limit.ts'

/** Who calls: what `authenticate` made of a credential. */
export interface Principal extends KeyRights {
  /** Id of the key, never the key. */
  readonly id: string
  readonly name?: string
  /** Where it is used: `development`, `staging`, `production`, or another name. */
  readonly environment?: string
  /** Ids of those whose budgets hold for it beside its own. */
  readonly owners?: Partial<Readonly<Record<'project' | 'member' | 'organization', string>>>
  /** How much `owners.member` may ask at most, with all of their keys together. */
  readonly memberLimits?: RateLimit
  /**
   * Present = it belongs to its project instead of a person: what it stores is there to all service keys of the
   * project.
   */
  readonly service?: true
  /** Present = the keys of its project have each other's stored responses. */
  readonly sharesResponses?: true
  /** How much it may ask at most, beside what bounds its project and the models. */
  readonly limits?: RateLimit
  /** Until when `traces` is given what goes over the wire for it, Unix milliseconds; absent = nothing is. */
  readonly tracedUntil?: number
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
  readonly status?: number | undefined
  /** Absent when it served. */
  readonly failure?: ErrorKind | undefined
  /**
   * What the upstream charges for it, at the price of its own model: integer nano-dollars; 0 where the upstream refused
   * or was never reached; null where price or usage are not known, as of a call that broke off after it was sent.
   */
  readonly cost: number | null
  /** Whether `cost` is an estimate: the response broke off before its upstream had reported usage. Absent = no. */
  readonly estimated?: boolean | undefined
  /** The price that was applied; null when none was. */
  readonly priceId: string | null
}

/** What one request that reached a provider cost and how it went: a row of `usage`. */
export interface UsageRow {
  /** UUIDv7, made once: two tries to store a row are one row. */
  readonly id: string
  /** The `x-request-id` of the answer. */
  readonly requestId: string
  /** Id of the principal. */
  readonly principal: string
  /** What the caller said of it, by name; absent = nothing. */
  readonly tags?: Readonly<Record<string, string>> | undefined
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
  /**
   * Absent, as a whole or by field, where the upstream did not say it in a whole number from 0 to 2^53 - 1: unknown,
   * not zero.
   */
  readonly usage?: Partial<Usage> | undefined
  /** Whether some of the usage is an estimate: the answer broke off before its upstream had counted it. Absent = no. */
  readonly estimated?: boolean | undefined
  /** What upstreams charge for all attempts: integer nano-dollars below 2^53; null when that of one is not known. */
  readonly cost: number | null
  /**
   * What counts for the caller: the cost of what was served, in integer nano-dollars below 2^53; 0 for a request that
   * failed and for a search that was empty or cached; null where it is not known.
   */
  readonly charged: number | null
  /** The price that was applied to what was served; null when none was. */
  readonly priceId: string | null
  readonly billed: boolean
  /** Why it is billed or not: `served`, `failed`, `canceled`, `cut`, `price-unknown`, `usage-unknown`. */
  readonly why: string
  readonly finish?: FinishReason | undefined
  readonly failure?: ErrorKind | undefined
  /** Losses of the request, then those of the answer (paths start with `response.`). */
  readonly losses: readonly Loss[]
  /** Unix time in milliseconds. */
  readonly startedAt: number
  /** Milliseconds until the first byte of the answer went out; absent when none did. */
  readonly firstByteMs?: number | undefined
  readonly durationMs: number
  readonly attempts: readonly AttemptRow[]
}

/** Where usage rows go. The end of an answer waits for `settle`; a failure of it never reaches the caller. */
export interface Ledger {
  settle(row: UsageRow): void | Promise<void>
}

function known(amount: number | null): number | null {
  return isCount(amount) ? amount : null
}

const NONE: readonly string[] = []

/** Names of the amounts that are neither unknown nor integers below 2^53. */
function oddCosts({ cost, charged, attempts }: UsageRow): readonly string[] {
  if (cost !== known(cost)) return ['cost']
  if (charged !== known(charged)) return ['charged']
  for (let at = 0; at < attempts.length; at++) {
    const amount = attempts[at]?.cost ?? null
    if (amount !== known(amount)) return [`attempts[${at}].cost`]
  }
  return NONE
}

/**
 * The row as a ledger can hold it, mostly itself: a number that is out of range is taken out, and declared among the
 * losses.
 */
export function recordable(row: UsageRow): UsageRow {
  const { usage, losses } = row
  const odd = usage ? uncountable(usage) : []
  const costs = oddCosts(row)
  if (odd.length === 0 && costs.length === 0) return row
  // What was written anew for the caller has declared it already, by the upstream's own names.
  const isDeclared = losses.some(({ reason }) => reason === NO_COUNT)
  const lost = [...(isDeclared ? [] : odd.map((field) => `response.usage.${field}`)), ...costs]
  return {
    ...row,
    ...(usage && { usage: withoutFields(usage, odd) }),
    cost: known(row.cost),
    charged: known(row.charged),
    attempts: row.attempts.map((attempt) => ({ ...attempt, cost: known(attempt.cost) })),
    losses: [...losses, ...lost.map((path) => ({ path, kind: 'dropped' as const, reason: NO_COUNT }))],
  }
}
