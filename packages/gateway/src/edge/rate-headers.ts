import type { RateNames } from '@headgate/core/canonical'
import { chatCompletions } from '@headgate/core/formats'
import type { RateState } from '../ports/rates.ts'
import type { ResponseHeaders } from './sink.ts'

/**
 * Response headers with the limits of requests and tokens per minute. Default names: those in chat completions. No
 * vendor has headers for concurrent requests.
 */
export function rateHeaders(
  states: readonly RateState[],
  names: RateNames | undefined = chatCompletions.rateNames,
): ResponseHeaders | undefined {
  let headers: ResponseHeaders | undefined
  for (const state of states) {
    if (state.unit === 'concurrent' || !names) continue
    const [limit, remaining, reset] = names[state.unit]
    headers ??= {}
    headers[limit] = String(state.limit)
    headers[remaining] = String(state.remaining)
    headers[reset] = names.reset(state.resetMs)
  }
  return headers
}
