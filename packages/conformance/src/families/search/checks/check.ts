import type { Check } from '../../../checks/check.ts'
import type { Extent } from '../../../extent.ts'
import { isObject } from '../../../json.ts'
import type { Found, SearchBench } from '../bench.ts'
import type { Result, SearchAdapter, SearchFacts, SearchUpstreamFacts } from '../facts.ts'
import { createVendor, type SearchVendor } from '../vendor.ts'

/** Target of a check. */
export interface SearchSubject {
  readonly adapter: SearchAdapter<unknown>
  readonly facts: SearchFacts<unknown>
  readonly bench: SearchBench
  readonly extent: Extent
}

/** Target with an upstream. */
export interface RemoteSearchSubject extends SearchSubject {
  readonly upstream: SearchUpstreamFacts
}

export type SearchCheck<S = SearchSubject> = Check<S>

/** Maximum number of results of a search. */
export const MOST = 100
/** Maximum number of results on a page. */
export const PER_PAGE = 10

/** Replaces the upstream by a vendor with this list of results. */
export function hold({ bench, upstream }: RemoteSearchSubject, list: readonly Result[]): SearchVendor {
  const vendor = createVendor(upstream, list)
  bench.upstream.answer((request) => vendor.answer(request))
  return vendor
}

/** Number of results that the backend can page through. */
export function reachOf({ backend: { paging } }: SearchBench): number {
  return Math.min(paging.reach ?? MOST, MOST)
}

/** The caller's response, for messages about something else. */
export function said({ status, body, text }: Found): string {
  const error = isObject(body) && isObject(body['error']) ? body['error']['message'] : undefined
  return `status ${status}, ${(typeof error === 'string' ? error : text.slice(0, 200)).replace(/\.$/, '')}`
}

/** The vendor's reasons to reject a request, for messages about its consequences. */
export function refused({ refusals }: SearchVendor): string {
  return refusals[0] === undefined ? '' : ` The vendor rejected a request: ${refusals[0]}.`
}
