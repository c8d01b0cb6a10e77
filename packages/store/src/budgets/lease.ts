/** Identifies a lease. A process run has at most one lease per window. */
export interface LeaseKey {
  readonly run: string
  readonly budget: string
  readonly win: string
  readonly startsAt: number
  /** Absent if the window is permanent. */
  readonly endsAt?: number
}

/**
 * Change of a lease. A process run sends one change per lease at a time, and repeats it unchanged until it is answered.
 * `seq` fences them: it increases by 1 with each answered change, and starts above all numbers of a lease that the
 * process has forgotten. A repetition therefore changes nothing, and a new request is never mistaken for one. Amounts
 * are nano-dollars.
 */
export type LeaseChange =
  | {
      readonly kind: 'ask'
      readonly seq: number
      /** Minimum useful amount. */
      readonly need: number
      /** Sum that all waiting requests need. */
      readonly want: number
      /** Amount that the process reserves in 10 s. */
      readonly pace: number
      /** Lease in advance of its use. No request waits for it, and nothing is recalled for it. */
      readonly isSpare?: boolean
      /** Recall whose answers this request has waited for. */
      readonly recall?: number
      /** True if the request was admitted in this window, which may have ended since. */
      readonly isLate?: boolean
    }
  | {
      readonly kind: 'give'
      readonly seq: number
      readonly amount: number
      /** Recall that this change answers; 0 = none. */
      readonly answered: number
    }

/** Amounts of a window in the store. */
export interface WindowState {
  readonly limit: bigint
  readonly spent: bigint
  /** Amount leased to all process runs, in addition to `spent`. */
  readonly leased: bigint
  /** Part of `leased` that this process run has. */
  readonly own: bigint
}

export type LeaseReply =
  | { readonly kind: 'changed'; readonly delta: number; readonly state: WindowState }
  | {
      readonly kind: 'denied'
      readonly state: WindowState
      /** Number of process runs that have not answered the recall. */
      readonly waitingFor: number
      readonly recall: number
    }
  /** The process run is closed and gets no more leases. */
  | { readonly kind: 'closed' }
  /** The budget no longer exists. */
  | { readonly kind: 'gone' }
  /** The window is not current. `now`: the store's clock, which determines windows, in Unix milliseconds. */
  | { readonly kind: 'not-now'; readonly now: number }

/** Answer to a heartbeat. */
export interface Pulse {
  /** The store's clock, Unix milliseconds. */
  readonly now: number
  readonly isClosed: boolean
  /** Process runs with a recent heartbeat, including this one. */
  readonly runs: number
  /** Windows in which this process run must return unused leases. */
  readonly recalled: readonly { readonly budget: string; readonly win: string; readonly recall: number }[]
}

/** Time after its last heartbeat during which a process run counts as active, in milliseconds. */
export const SEEN = 4_000
