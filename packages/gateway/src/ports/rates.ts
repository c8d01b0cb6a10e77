import type { Principal } from './ledger.ts'
import type { RateLimit } from './rate-limit.ts'

export type { RateLimit } from './rate-limit.ts'

/** Unit of a rate limit. */
export type RateUnit = 'requests' | 'tokens' | 'concurrent'

/** Kind of owner of a rate limit. */
export type RateScope = 'key' | 'member' | 'project' | 'model'

/** Rate limit that applies to a request. */
export interface AppliedLimit {
  readonly scope: RateScope
  /**
   * Id of the key or person, name of the project, or pattern of models. Requests with the same id are counted together.
   */
  readonly id: string
  readonly limit: RateLimit
}

/**
 * Rate limits of a request, each scope and id once. `model` is the caller's name of the model. Called on every request,
 * so it must be fast.
 */
export type LimitsOf = (principal: Principal, model: string) => readonly AppliedLimit[]

/** Estimated tokens of a request. */
export interface RateEstimate {
  readonly input: number
  /** Output tokens. If they exceed a limit, what fits into an empty minute counts. */
  readonly output: number
}

/** A request that is about to be served. */
export interface RateRequest {
  readonly principal: Principal
  /** The caller's name of the model, or the search engine. */
  readonly model: string
  /**
   * Token estimate, called if a token limit applies. Absent if the request has no tokens; then token limits do not
   * apply.
   */
  readonly estimate?: (() => RateEstimate) | undefined
}

/** State of a rate limit. */
export interface RateState {
  readonly unit: RateUnit
  readonly limit: number
  readonly remaining: number
  /** Milliseconds until the limit is fully available again; 0 if unknown. */
  readonly resetMs: number
}

/** Refusal by a rate limit. */
export interface RateRefusal extends RateState {
  readonly scope: RateScope
  readonly id: string
  /** Amount of the unit that the request needs. */
  readonly asked: number
  /** Milliseconds until the request fits if no other request arrives; absent if it exceeds the limit and never fits. */
  readonly retryAfterMs?: number
  /** State of the tightest limits, for headers. */
  readonly states: readonly RateState[]
}

/** Slot of a request that was admitted. */
export interface RateSlot {
  /** State of the tightest limits, for headers. */
  readonly states: readonly RateState[]
  /**
   * Frees the slot and corrects the estimated tokens; undefined = unknown, the estimate stays. Further calls do
   * nothing.
   */
  leave(tokens: number | undefined): void
}

/** Enforcement of rate limits. */
export interface RateLimits {
  /**
   * Admits or refuses a request; undefined if no limit applies. Each slot is freed once. Rejects with HeadgateError if
   * the limits cannot be checked.
   */
  take(ask: RateRequest): RateSlot | RateRefusal | undefined | Promise<RateSlot | RateRefusal | undefined>
}

/** A request as the counters see it. */
export interface CountedRequest {
  /** Limits to count the request in; at least one. */
  readonly limits: readonly AppliedLimit[]
  /** Absent if no token limit applies. */
  readonly tokens?: RateEstimate | undefined
}

/** Counters of rate limits, in this process or shared by several. */
export interface RateCounters {
  /** Counts a request in all of its limits, or in none. */
  take(ask: CountedRequest): RateSlot | RateRefusal | Promise<RateSlot | RateRefusal>
  /**
   * Counts the place of a request that other counters have admitted, and that still runs. Absent if places of other
   * counters do not matter.
   */
  adopt?(ask: CountedRequest): RateSlot
}
