import type { Principal } from './ledger.ts'
import type { RateLimit } from './rate-limit.ts'

export type { RateLimit } from './rate-limit.ts'

/** What is counted within a minute, or at a time. */
export type RateUnit = 'requests' | 'tokens' | 'concurrent'

/** Whose a limit is. */
export type RateScope = 'key' | 'member' | 'project' | 'model'

/** A limit that holds for a request. */
export interface AppliedLimit {
  readonly scope: RateScope
  /** What is counted together: id of the key or the person, name of the project, pattern of models. */
  readonly id: string
  readonly limit: RateLimit
}

/**
 * The limits that hold for a request, each scope and id once; `model` is as the caller named it. Asked once a request,
 * so it is quick.
 */
export type LimitsOf = (principal: Principal, model: string) => readonly AppliedLimit[]

/** About how many tokens a request will use. */
export interface RateEstimate {
  readonly input: number
  /** Beyond a limit as much as fits into an empty minute counts. */
  readonly output: number
}

/** A request that is about to be served. */
export interface RateAsk {
  readonly principal: Principal
  /** As the caller named it; the engine of a search. */
  readonly model: string
  /** Asked where tokens are bounded. Absent: it has none, and no limit of tokens holds for it. */
  readonly estimate?: (() => RateEstimate) | undefined
}

/** How much of a limit is left. */
export interface RateState {
  readonly unit: RateUnit
  readonly limit: number
  readonly remaining: number
  /** Until it is whole again, in milliseconds; 0 where that is not known. */
  readonly resetMs: number
}

/** Why a request is not served now. */
export interface RateRefusal extends RateState {
  readonly scope: RateScope
  readonly id: string
  /** How much of the unit it would take. */
  readonly asked: number
  /** When it would be served if nobody else asks; absent = never, as it is more than the limit. */
  readonly retryAfterMs?: number
  /** What is left of the tightest limits, for headers. */
  readonly states: readonly RateState[]
}

/** A request that has its place. */
export interface RatePlace {
  /** What is left of the tightest limits, for headers. */
  readonly states: readonly RateState[]
  /**
   * Gives the place back, and says how many tokens it was; undefined = nobody knows, the estimate stays. A second time
   * does nothing.
   */
  leave(tokens: number | undefined): void
}

/** Keeps requests within so many a minute, and at a time. */
export interface RateLimits {
  /** Undefined where nothing bounds it. A place is left once. Rejects with HeadgateError where it can not be known. */
  take(ask: RateAsk): RatePlace | RateRefusal | undefined | Promise<RatePlace | RateRefusal | undefined>
}

/** A request as it is counted. */
export interface CountedAsk {
  /** At least one. */
  readonly limits: readonly AppliedLimit[]
  /** Absent where no limit of tokens holds for it. */
  readonly tokens?: RateEstimate | undefined
}

/** Counts what was asked by limit: in this process, or wherever several share their counts. */
export interface RateCounters {
  /** Takes a place within all of the limits, or within none. */
  take(ask: CountedAsk): RatePlace | RateRefusal | Promise<RatePlace | RateRefusal>
}
