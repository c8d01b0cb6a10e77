import type { FinishReason, Loss } from '@headgate/core/canonical'
import { isCount, NO_COUNT, type Usage, uncountable, withoutFields } from '@headgate/core/canonical'
import type { ErrorKind } from '@headgate/core/errors'
import type { KeyRights } from './key-rights.ts'
import type { RateLimit } from './rate-limit.ts'
import type { RoutingDecision } from './routing.ts'

/** Authenticated caller, as `authenticate` returns it. */
export interface Principal extends KeyRights {
  /** Id of the key, never the key itself. */
  readonly id: string
  readonly name?: string
  /** Environment of the key: `development`, `staging`, `production`, or another name. */
  readonly environment?: string
  /** Ids of the owners whose budgets apply in addition to the key's budgets. */
  readonly owners?: Partial<Readonly<Record<'project' | 'member' | 'organization', string>>>
  /** Rate limit of `owners.member`, over all of their keys. */
  readonly memberLimits?: RateLimit
  /**
   * Present if the key belongs to its project instead of a person. All service keys of the project can use what it
   * stores.
   */
  readonly service?: true
  /** Present if the keys of its project share their stored responses. */
  readonly sharesResponses?: true
  /** Rate limit of the key, in addition to the limits of its project and of models. */
  readonly limits?: RateLimit
  /** Time until which requests are traced, Unix time in milliseconds; absent = they are not. */
  readonly tracedUntil?: number
}

/** Trace context of a request, for exporters of traces. */
export interface RequestTrace {
  /** Method and path template: `POST /v1/messages`. */
  readonly route: string
  /** The caller's `traceparent`; absent if there is no valid one. */
  readonly parent?: string | undefined
  /** The caller's `tracestate`. */
  readonly state?: string | undefined
  /** True if the request has a separate trace that links to the caller's; otherwise it is part of the caller's. */
  readonly isLinked?: true | undefined
  /** The caller's decision to export its trace. Absent if the caller is not trusted to decide. */
  readonly isSampled?: boolean | undefined
}

/** Upstream call of a request. */
export interface AttemptRow {
  /** Family of the call, if the request has another one: `search` for a search on behalf of a model. */
  readonly family?: string | undefined
  readonly provider: string
  /** Name of the endpoint; absent if the provider has only one. */
  readonly endpoint?: string | undefined
  /** The provider's name of the model. */
  readonly model: string
  /** Unix time in milliseconds. */
  readonly startedAt: number
  readonly durationMs: number
  /** HTTP status of the upstream; absent if no response arrived. */
  readonly status?: number | undefined
  /** Absent if the attempt succeeded. */
  readonly failure?: ErrorKind | undefined
  /** Error code of the upstream or of the connection: at most 64 letters, digits and `_.:-`. Absent without a code. */
  readonly code?: string | undefined
  /**
   * Cost of the call at the price of its model, in integer nano-dollars. 0 if the upstream rejected the call or was
   * never reached. Null if the price or the usage is unknown, for example because the call broke off after it was sent.
   */
  readonly cost: number | null
  /** True if `cost` is an estimate, because the response broke off before the upstream reported its usage. */
  readonly estimated?: boolean | undefined
  /** Id of the price that was applied; null = none. */
  readonly priceId: string | null
  /** Span id that the upstream got in `traceparent`: 16 hexadecimal digits. Absent if it got none. */
  readonly spanId?: string | undefined
}

/** Usage row: cost and outcome of one request that reached a provider. */
export interface UsageRow {
  /** UUIDv7, created once, so that a repeated write does not add a row. */
  readonly id: string
  /** The `x-request-id` of the response. */
  readonly requestId: string
  /** Id of the principal. */
  readonly principal: string
  /** Tags that the caller sent, by name. */
  readonly tags?: Readonly<Record<string, string>> | undefined
  /** End user on whose behalf the caller acts, as the caller claims; at most 128 characters. */
  readonly endUser?: string | undefined
  /** Session or conversation of the caller's client, as the caller claims; at most 128 characters. */
  readonly session?: string | undefined
  /** Id of the family: `chat`, `search`. */
  readonly family: string
  /** Format of the caller's request. */
  readonly format: string
  /** Model as the caller named it. */
  readonly model: string
  /** Instance that served the request, or that failed last. */
  readonly provider: string
  /** Endpoint of the instance; absent if it has only one. */
  readonly endpoint?: string | undefined
  /** Routing policy; absent for families without providers. */
  readonly policy?: string | undefined
  /** Absent if only one endpoint was considered. */
  readonly routing?: RoutingDecision | undefined
  /** The provider's name of the model. */
  readonly providerModel: string
  readonly stream: boolean
  /** True if the response was translated from the provider's format; false for bypass. */
  readonly translated: boolean
  /** HTTP status of the response to the caller. */
  readonly status: number
  /**
   * Reported usage. Absent, as a whole or by field, if the upstream did not report integers from 0 to 2^53 - 1: unknown
   * is not zero.
   */
  readonly usage?: Partial<Usage> | undefined
  /** True if part of the usage is an estimate, because the response broke off before the upstream reported it. */
  readonly estimated?: boolean | undefined
  /** Cost of all attempts in integer nano-dollars below 2^53; null if any of them is unknown. */
  readonly cost: number | null
  /**
   * Cost that counts for the caller, which is the cost of what was served, in integer nano-dollars below 2^53. 0 for
   * failed requests and for searches without results or from the cache. Null if it is unknown.
   */
  readonly charged: number | null
  /** Id of the price of what was served; null = none. */
  readonly priceId: string | null
  readonly billed: boolean
  /** Reason for `billed`: `served`, `failed`, `canceled`, `cut`, `price-unknown`, `usage-unknown`. */
  readonly why: string
  readonly finish?: FinishReason | undefined
  readonly failure?: ErrorKind | undefined
  /** Losses of the request, then of the response (with paths that start with `response.`). */
  readonly losses: readonly Loss[]
  /** Unix time in milliseconds. */
  readonly startedAt: number
  /** Milliseconds until the first byte of the response was sent; absent if none was. */
  readonly firstByteMs?: number | undefined
  readonly durationMs: number
  readonly attempts: readonly AttemptRow[]
  /** Absent unless traces are exported. */
  readonly trace?: RequestTrace | undefined
}

/** Receiver of usage rows. The end of a response waits for `settle`. Its failures never reach the caller. */
export interface Ledger {
  settle(row: UsageRow): void | Promise<void>
}

function known(amount: number | null): number | null {
  return isCount(amount) ? amount : null
}

const NONE: readonly string[] = []

/** Names of the amounts that are neither null nor integers from 0 to 2^53 - 1. */
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
 * The row with only numbers that a ledger can store. A number out of range is removed and reported as a loss. Returns
 * the row unchanged if all numbers are valid.
 *
 * @example
 * ```ts
 * await table.insert(recordable(row))
 * ```
 */
export function recordable(row: UsageRow): UsageRow {
  const { usage, losses } = row
  const odd = usage ? uncountable(usage) : []
  const costs = oddCosts(row)
  if (odd.length === 0 && costs.length === 0) return row
  // A translated response has reported it already, with the upstream's names.
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
