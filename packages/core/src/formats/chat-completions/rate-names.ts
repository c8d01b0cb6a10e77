import type { RateNames } from '../../canonical/format.ts'

const DAY = 86_400_000
const HOUR = 3_600_000
const MINUTE = 60_000

/** Duration in the notation of the vendor: `250ms`, `1s`, `1.5s`, `6m0s`. */
function durationText(ms: number): string {
  if (ms === 0) return '0s'
  if (ms < 1_000) return `${ms}ms`
  if (ms < MINUTE) return `${ms / 1_000}s`
  const rest = `${Math.floor((ms % HOUR) / MINUTE)}m${(ms % MINUTE) / 1_000}s`
  return ms < HOUR ? rest : `${Math.floor(Math.min(ms, DAY) / HOUR)}h${rest}`
}

/**
 * Rate-limit headers of OpenAI.
 * @see https://platform.openai.com/docs/guides/rate-limits#rate-limits-in-headers
 */
export const rateNames: RateNames = {
  requests: ['x-ratelimit-limit-requests', 'x-ratelimit-remaining-requests', 'x-ratelimit-reset-requests'],
  tokens: ['x-ratelimit-limit-tokens', 'x-ratelimit-remaining-tokens', 'x-ratelimit-reset-tokens'],
  reset: durationText,
}
