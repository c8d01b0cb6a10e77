import type { Price, Usage } from '@headgate/core/canonical'
import type { RoutingPolicy } from '../../ports/routing.ts'
import type { WarmPrefix } from '../affinity/index.ts'

/**
 * Condition of a target: `well`; `low`, if a limit that the upstream reports is nearly reached; `full`, if a call would
 * exceed a limit; `ejected`, during a cooldown.
 */
export type TargetCondition = 'well' | 'low' | 'full' | 'ejected'

/** Model at an endpoint that can serve a request. */
export interface RankTarget {
  /** Identifies the provider, the endpoint and the model. */
  readonly key: string
  /** Position for the policy `priority`: lower numbers first. Targets with equal numbers share the requests. */
  readonly tier: number
  /** Part of the requests that the target gets, compared with the others; above 0. */
  readonly weight: number
  /** Price of the model there. Undefined: unknown, which is never free. */
  readonly price: Price | undefined
  /** Calls in progress. */
  readonly inFlight: number
  /** Maximum number of calls in progress; Infinity = unlimited. */
  readonly limit: number
  readonly state: TargetCondition
  /** End of the cooldown of an `ejected` target, in milliseconds of the same clock as `now`. */
  readonly until?: number | undefined
  /** Expected contents of its prompt cache. */
  readonly warm?: WarmPrefix | undefined
}

/** Request for an order of targets. */
export interface RankInput<T extends RankTarget = RankTarget> {
  readonly policy: RoutingPolicy
  /** Targets in the order of the configuration. */
  readonly targets: readonly T[]
  /** Expected usage, without cached tokens. */
  readonly expected: Usage
  /** True if the request asks for cache writes, which have a separate price. Default: false. */
  readonly writesCache?: boolean | undefined
  /** Milliseconds of the clock in `clock.ts`. */
  readonly now: number
}

/** Target with the reason for its place. */
export interface RankedTarget<T extends RankTarget = RankTarget> {
  readonly target: T
  /** Sentence without a full stop, written when it is read. */
  readonly why: string
}
