import type { RateNames } from '../../canonical/format.ts'

let last = { second: 0, text: '' }

/** Time in RFC 3339, rounded up to seconds. The last result is cached, since most calls in a second have the same. */
function momentText(at: number): string {
  const second = Math.ceil(at / 1_000)
  if (last.second !== second) last = { second, text: `${new Date(second * 1_000).toISOString().slice(0, 19)}Z` }
  return last.text
}

/**
 * Rate-limit headers of the vendor.
 * @see https://platform.claude.com/docs/en/api/rate-limits#response-headers
 */
export const rateNames: RateNames = {
  requests: [
    'anthropic-ratelimit-requests-limit',
    'anthropic-ratelimit-requests-remaining',
    'anthropic-ratelimit-requests-reset',
  ],
  tokens: [
    'anthropic-ratelimit-tokens-limit',
    'anthropic-ratelimit-tokens-remaining',
    'anthropic-ratelimit-tokens-reset',
  ],
  reset: (ms) => momentText(Date.now() + ms),
}
