/** What a request counts for in a window of a budget, as journals hold it. */
export interface Spend {
  readonly budget: string
  readonly win: string
  readonly startsAt: number
  /** Absent of a window for ever. */
  readonly endsAt?: number
  /** Nano-dollars, a decimal integer. */
  readonly amount: string
  /** Nothing was reserved for it: it takes nothing of a lease. */
  readonly isFree?: true
}
