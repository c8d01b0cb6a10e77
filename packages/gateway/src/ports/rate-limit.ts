/** How much may be asked: whole numbers from 1 on. What is absent is not bounded. */
export interface RateLimit {
  /** Within any 60 seconds. */
  readonly requestsPerMinute?: number
  /** Input and output together, within any 60 seconds. */
  readonly tokensPerMinute?: number
  /** At a time. */
  readonly concurrent?: number
}
