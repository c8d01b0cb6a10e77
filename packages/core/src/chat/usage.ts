/**
 * Tokens of one answer. Totals include their parts, whatever the vendor's own base is: `input` includes what was read from
 * and written to a cache, `output` includes reasoning. What an upstream did not say is absent, never zero.
 */
export interface Usage {
  input: number
  output: number
  cacheRead?: number
  cacheWrite?: number
  /** The share of `cacheWrite` that is kept for an hour. */
  cacheWriteLong?: number
  reasoning?: number
  audioInput?: number
  audioOutput?: number
  /** Searches that the provider ran. */
  webSearches?: number
}
