/** What a request counts for in a window of a budget, as journals hold it. */
export interface Spend {
  readonly budget: string
  readonly win: string
  readonly startsAt: number
  /** Absent of a window for ever. */
  readonly endsAt?: number
  /** Nano-dollars, a decimal integer. */
  readonly amount: string
  /** Part of `amount` that is held for unknown costs, a decimal integer; absent = 0. */
  readonly held?: string
  /** Nothing was reserved for it: it takes nothing of a lease. */
  readonly isFree?: true
}
