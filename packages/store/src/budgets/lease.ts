/** Which share of which window: a life has one of each at most. */
export interface LeaseKey {
  readonly life: string
  readonly budget: string
  readonly win: string
  readonly startsAt: number
  /** Absent of a window for ever. */
  readonly endsAt?: number
}

/**
 * A change of a lease. A process run sends one change of a lease at a time, and repeats it unchanged until it is
 * answered. `seq` fences them: it is one more than that of the last change that was answered, and continues, as an
 * epoch, behind all numbers of a lease that the process has forgotten. So a repetition changes nothing, and a new
 * request is never taken for one. Amounts are nano-dollars.
 */
export type LeaseChange =
  | {
      readonly kind: 'ask'
      readonly seq: number
      /** The least that is of use. */
      readonly need: number
      /** What all who wait need. */
      readonly want: number
      /** What the life reserves in 10 s. */
      readonly pace: number
      /** No request waits for it: it is granted ahead of its use, and nothing is recalled for it. */
      readonly isSpare?: boolean
      /** The recall whose answers this ask has waited for. */
      readonly recall?: number
      /** Of a request that was admitted in this window: it may be over. */
      readonly isLate?: boolean
    }
  | {
      readonly kind: 'give'
      readonly seq: number
      readonly amount: number
      /** The recall that this answers; 0 = none. */
      readonly answered: number
    }

/** What is known of a window, as the store has it at that moment. */
export interface WindowState {
  readonly limit: bigint
  readonly spent: bigint
  /** What all lives may spend beyond it. */
  readonly leased: bigint
  /** What this life may, of that. */
  readonly own: bigint
}

export type LeaseAnswer =
  | { readonly kind: 'changed'; readonly delta: number; readonly state: WindowState }
  | {
      readonly kind: 'denied'
      readonly state: WindowState
      /** Lives that have been asked to give back what they do not need, and have not answered. */
      readonly waitingFor: number
      readonly recall: number
    }
  /** The life is over: it gets nothing any more. */
  | { readonly kind: 'closed' }
  /** There is no such budget any more. */
  | { readonly kind: 'gone' }
  /** The window is not current. `now`: Unix milliseconds of the store's clock, by which windows go. */
  | { readonly kind: 'not-now'; readonly now: number }

/** What a life is told each second. */
export interface Pulse {
  /** The store's clock, Unix milliseconds. */
  readonly now: number
  readonly isClosed: boolean
  /** Lives that were seen of late, this one included. */
  readonly lives: number
  /** Windows of which this life is to give back what it does not need. */
  readonly recalled: readonly { readonly budget: string; readonly win: string; readonly recall: number }[]
}

/** How long after it was last seen a life counts as there, in milliseconds. */
export const SEEN = 4_000
