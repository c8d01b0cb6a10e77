import type { CountedRequest, RateCounters, RateSlot, SharedRates } from '@headgate/gateway/ports'
import type { AllocationsState } from './outages.ts'
import type { FleetTimers } from './timers.ts'

export interface AllocationsOptions {
  readonly shared: SharedRates
  /** Id of the node's process run. */
  readonly node: string
  /** Monotonic clock in milliseconds; default: the clock of the process. */
  readonly clock?: (() => number) | undefined
  /** Default: timers that do not keep the process running. */
  readonly timers?: FleetTimers | undefined
  /** Called when the store becomes unreachable, and when limits are counted for all nodes again. */
  readonly onChange?: ((state: AllocationsState) => void) | undefined
  /** Number of nodes until the first reply of the store; default 1. */
  readonly nodes?: number | undefined
  /** Maximum number of limits; default 100,000. */
  readonly most?: number | undefined
}

/** Counters of rate limits that several nodes share. */
export interface Allocations extends RateCounters {
  /** Number of limits with counts. */
  readonly size: number
  /** Number of exchanges with the store. */
  readonly exchanges: number
  state(): AllocationsState
  /**
   * Resolves after the first exchange. If the store is new, it resolves once other nodes had the time to declare their
   * counts, at most 2.5 seconds later.
   */
  ready(): Promise<void>
  adopt(ask: CountedRequest): RateSlot
  /** Returns all units and idle places to the store. Later requests are counted in this node only. */
  end(): Promise<void>
}
