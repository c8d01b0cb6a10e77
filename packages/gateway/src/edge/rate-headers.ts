import type { RateState } from '../ports/rates.ts'
import type { AnswerHeaders } from './sink.ts'

const DAY = 86_400_000
const HOUR = 3_600_000
const MINUTE = 60_000

/** A time as the vendor of chat completions writes it: `250ms`, `1s`, `1.5s`, `6m0s`. */
export function durationText(ms: number): string {
  if (ms === 0) return '0s'
  if (ms < 1_000) return `${ms}ms`
  if (ms < MINUTE) return `${ms / 1_000}s`
  const rest = `${Math.floor((ms % HOUR) / MINUTE)}m${(ms % MINUTE) / 1_000}s`
  return ms < HOUR ? rest : `${Math.floor(Math.min(ms, DAY) / HOUR)}h${rest}`
}

let last = { second: 0, text: '' }

/**
 * A moment as RFC 3339 has it, in whole seconds, none too early. The last one is kept: within a second most are the
 * same.
 */
function momentText(at: number): string {
  const second = Math.ceil(at / 1_000)
  if (last.second !== second) last = { second, text: `${new Date(second * 1_000).toISOString().slice(0, 19)}Z` }
  return last.text
}

/** The formats that have headers of rate limits. */
export type RateForm = 'chat-completions' | 'messages'

const NAMES = {
  'chat-completions': {
    requests: ['x-ratelimit-limit-requests', 'x-ratelimit-remaining-requests', 'x-ratelimit-reset-requests'],
    tokens: ['x-ratelimit-limit-tokens', 'x-ratelimit-remaining-tokens', 'x-ratelimit-reset-tokens'],
  },
  messages: {
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
  },
} as const

/**
 * What the headers of an answer say of rate limits: of requests and tokens of a minute; for what is under way at a time
 * no vendor has one.
 * @see https://platform.openai.com/docs/guides/rate-limits#rate-limits-in-headers
 * @see https://platform.claude.com/docs/en/api/rate-limits#response-headers
 */
export function rateHeaders(states: readonly RateState[], form: RateForm): AnswerHeaders | undefined {
  let headers: AnswerHeaders | undefined
  for (const state of states) {
    if (state.unit === 'concurrent') continue
    const [limit, remaining, reset] = NAMES[form][state.unit]
    headers ??= {}
    headers[limit] = String(state.limit)
    headers[remaining] = String(state.remaining)
    headers[reset] = form === 'chat-completions' ? durationText(state.resetMs) : momentText(Date.now() + state.resetMs)
  }
  return headers
}
