/** Amount that a request counts for in a window of a budget, as stored in journals. */
export interface Spend {
  readonly budget: string
  readonly win: string
  readonly startsAt: number
  /** Absent if the window is permanent. */
  readonly endsAt?: number
  /** Nano-dollars, a decimal integer. */
  readonly amount: string
  /** Part of `amount` that is held for unknown costs, a decimal integer; absent = 0. */
  readonly held?: string
  /** Set if nothing was reserved: no lease pays for it. */
  readonly isFree?: true
}
