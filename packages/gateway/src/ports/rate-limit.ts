/** Rate limit: integers of at least 1. Absent = unlimited. */
export interface RateLimit {
  /** Requests within any 60 seconds. */
  readonly requestsPerMinute?: number
  /** Input and output tokens within any 60 seconds. */
  readonly tokensPerMinute?: number
  /** Requests in progress at a time. */
  readonly concurrent?: number
}
