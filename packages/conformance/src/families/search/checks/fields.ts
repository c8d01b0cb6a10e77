import type { FoundItem, SearchAnswer } from '../answer.ts'
import { differing, nodesOf, type Path } from '../body.ts'
import type { Result, SearchUpstreamFacts } from '../facts.ts'
import { resultOf } from '../results.ts'

/** A field of a result, and what callers and adapters call it. */
export interface Field {
  readonly field: Exclude<keyof Result, 'url'>
  readonly found: keyof FoundItem
  readonly member: string
}

export const FIELDS: readonly Field[] = [
  { field: 'title', found: 'title', member: 'title' },
  { field: 'text', found: 'snippet', member: 'snippet' },
  { field: 'date', found: 'published', member: 'published' },
  { field: 'thumbnail', found: 'thumbnail', member: 'thumbnail' },
]

/** Where a vendor's answer has a field of one of these results; none = it has no such field. */
export function placesOf(
  upstream: SearchUpstreamFacts,
  results: readonly Result[],
  index: number,
  field: keyof Result,
): Path[] {
  const about = { more: false, total: results.length, query: 'gateways' }
  const other = resultOf(results.length + 1)[field]
  const changed = results.map((result, at) => (at === index ? { ...result, [field]: other } : result))
  return differing(upstream.write(results, about), upstream.write(changed, about))
}

/** Whether the vendor has a field at all. */
export function isTold(upstream: SearchUpstreamFacts, field: keyof Result): boolean {
  return placesOf(upstream, [resultOf(1)], 0, field).length > 0
}

/** What is wrong with an answer, apart from what a vendor says itself in a `pagemap` that goes through as it is. */
export function shapeProblems({ problems, pagemapProblems }: SearchAnswer, upstream: SearchUpstreamFacts): string[] {
  const whole = upstream.write([resultOf(1)], { more: false, total: 1, query: 'gateways' })
  const isOwn = nodesOf(whole).some(([path]) => path.at(-1) === 'pagemap')
  return [...problems, ...(isOwn ? [] : pagemapProblems)].map(
    (problem) => `the answer is no answer of Custom Search: ${problem}`,
  )
}

/** Texts that code makes of what is not there. */
const MADE_UP = /\bundefined\b|\bnull\b|\bNaN\b|\[object|\bInvalid Date\b/

/** A text of a result that nobody wrote. */
export function madeUp(item: FoundItem): string | undefined {
  return Object.values(item).find((text: string) => MADE_UP.test(text))
}
