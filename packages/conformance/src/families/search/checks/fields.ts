import type { FoundItem, SearchAnswer } from '../answer.ts'
import { differing, nodesOf, type Path } from '../body.ts'
import type { SearchUpstreamFacts, VendorResult } from '../facts.ts'
import { resultOf } from '../results.ts'

/** Field of a result, and its names for callers and adapters. */
export interface Field {
  readonly field: Exclude<keyof VendorResult, 'url'>
  readonly found: keyof FoundItem
  readonly member: string
}

export const FIELDS: readonly Field[] = [
  { field: 'title', found: 'title', member: 'title' },
  { field: 'text', found: 'snippet', member: 'snippet' },
  { field: 'date', found: 'published', member: 'published' },
  { field: 'thumbnail', found: 'thumbnail', member: 'thumbnail' },
]

/** Paths of a field in a vendor's response with these results. Empty if the vendor lacks the field. */
export function placesOf(
  upstream: SearchUpstreamFacts,
  results: readonly VendorResult[],
  index: number,
  field: keyof VendorResult,
): Path[] {
  const about = { more: false, total: results.length, query: 'gateways' }
  const other = resultOf(results.length + 1)[field]
  const changed = results.map((result, at) => (at === index ? { ...result, [field]: other } : result))
  return differing(upstream.write(results, about), upstream.write(changed, about))
}

/** Tells if the vendor has the field. */
export function isTold(upstream: SearchUpstreamFacts, field: keyof VendorResult): boolean {
  return placesOf(upstream, [resultOf(1)], 0, field).length > 0
}

/** Problems of a response, except in a vendor's `pagemap` that is passed on unchanged. */
export function shapeProblems({ problems, pagemapProblems }: SearchAnswer, upstream: SearchUpstreamFacts): string[] {
  const whole = upstream.write([resultOf(1)], { more: false, total: 1, query: 'gateways' })
  const isOwn = nodesOf(whole).some(([path]) => path.at(-1) === 'pagemap')
  return [...problems, ...(isOwn ? [] : pagemapProblems)].map(
    (problem) => `the response is not a Custom Search response: ${problem}`,
  )
}

/** Strings that code creates from missing values. */
const MADE_UP = /\bundefined\b|\bnull\b|\bNaN\b|\[object|\bInvalid Date\b/

/** String of a result that has no source in the vendor's response. */
export function madeUp(item: FoundItem): string | undefined {
  return Object.values(item).find((text: string) => MADE_UP.test(text))
}
