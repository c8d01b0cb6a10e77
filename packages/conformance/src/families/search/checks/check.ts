import type { Check } from '../../../checks/check.ts'
import type { Extent } from '../../../extent.ts'
import { isObject } from '../../../json.ts'
import type { Found, SearchBench } from '../bench.ts'
import type { Result, SearchAdapter, SearchFacts, SearchUpstreamFacts } from '../facts.ts'
import { createVendor, type SearchVendor } from '../vendor.ts'

/** What a check looks at. */
export interface SearchSubject {
  readonly adapter: SearchAdapter<unknown>
  readonly facts: SearchFacts<unknown>
  readonly bench: SearchBench
  readonly extent: Extent
}

/** A subject with an upstream. */
export interface RemoteSearchSubject extends SearchSubject {
  readonly upstream: SearchUpstreamFacts
}

export type SearchCheck<S = SearchSubject> = Check<S>

/** Most results that a search has. */
export const MOST = 100
/** Most results of one page. */
export const PER_PAGE = 10

/** From now on the upstream is a vendor that holds this list. */
export function hold({ bench, upstream }: RemoteSearchSubject, list: readonly Result[]): SearchVendor {
  const vendor = createVendor(upstream, list)
  bench.upstream.answer((request) => vendor.answer(request))
  return vendor
}

/** How far a list of the backend can be read. */
export function reachOf({ backend: { paging } }: SearchBench): number {
  return Math.min(paging.reach ?? MOST, MOST)
}

/** What a caller got, for messages about something else. */
export function said({ status, body, text }: Found): string {
  const error = isObject(body) && isObject(body['error']) ? body['error']['message'] : undefined
  return `status ${status}, ${(typeof error === 'string' ? error : text.slice(0, 200)).replace(/\.$/, '')}`
}

/** Why the vendor did not take what it got, for messages about what came of it. */
export function refused({ refusals }: SearchVendor): string {
  return refusals[0] === undefined ? '' : ` The vendor refused a request: ${refusals[0]}.`
}
