import type { Check } from '../../../checks/check.ts'
import { isObject } from '../../../json.ts'
import type { TestScope } from '../../../scope.ts'
import type { SearchAdapter, SearchFacts, SearchUpstreamFacts, VendorResult } from '../facts.ts'
import type { SearchHarness, SearchOutcome } from '../harness.ts'
import { createVendor, type SearchVendor } from '../vendor.ts'

/** Target of a check. */
export interface SearchTarget {
  readonly adapter: SearchAdapter<unknown>
  readonly facts: SearchFacts<unknown>
  readonly harness: SearchHarness
  readonly scope: TestScope
}

/** Target with an upstream. */
export interface RemoteSearchTarget extends SearchTarget {
  readonly upstream: SearchUpstreamFacts
}

export type SearchCheck<S = SearchTarget> = Check<S>

/** Maximum number of results of a search. */
export const MOST = 100
/** Maximum number of results on a page. */
export const PER_PAGE = 10

/** Replaces the upstream by a vendor with this list of results. */
export function hold({ harness, upstream }: RemoteSearchTarget, list: readonly VendorResult[]): SearchVendor {
  const vendor = createVendor(upstream, list)
  harness.upstream.answer((request) => vendor.answer(request))
  return vendor
}

/** Number of results that the backend can page through. */
export function reachOf({ backend: { paging } }: SearchHarness): number {
  return Math.min(paging.maxResults ?? MOST, MOST)
}

/** The caller's response, for messages about something else. */
export function said({ status, body, text }: SearchOutcome): string {
  const error = isObject(body) && isObject(body['error']) ? body['error']['message'] : undefined
  return `status ${status}, ${(typeof error === 'string' ? error : text.slice(0, 200)).replace(/\.$/, '')}`
}

/** The vendor's reasons to reject a request, for messages about its consequences. */
export function refused({ refusals }: SearchVendor): string {
  return refusals[0] === undefined ? '' : ` The vendor rejected a request: ${refusals[0]}.`
}
