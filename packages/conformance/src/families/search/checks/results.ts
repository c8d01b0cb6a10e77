import { show } from '../../../show.ts'
import type { FoundItem } from '../answer.ts'
import type { SearchUpstreamFacts, VendorResult } from '../facts.ts'
import { resultsOf } from '../results.ts'
import { hold, PER_PAGE, type RemoteSearchTarget, refused, type SearchCheck, said } from './check.ts'
import { FIELDS, type Field, isTold, shapeProblems } from './fields.ts'

/** Tolerance for time zones and for dates without a time. */
const DAY_MS = 86_400_000

export const resultsCheck: SearchCheck<RemoteSearchTarget> = {
  name: 'returns title, link, snippet, date and image of each result, as far as its vendor has them',
  async run(target) {
    const due = resultsOf(PER_PAGE)
    const vendor = hold(target, due)
    const found = await target.harness.search({ q: 'gateways' })
    const { items } = found.answer
    if (items.length !== due.length)
      return [`A search returns ${items.length} of ${due.length} results: ${said(found)}.${refused(vendor)}`]
    return [
      ...shapeProblems(found.answer, target.upstream).map((problem) => `For a search with matches, ${problem}.`),
      ...linkProblems(due, items),
      ...FIELDS.filter(({ field }) => isTold(target.upstream, field)).flatMap((field) =>
        fieldProblems(due, items, field, target.upstream),
      ),
    ]
  },
}

function linkProblems(due: readonly VendorResult[], items: readonly FoundItem[]): string[] {
  const wrong = due.findIndex(({ url }, index) => items[index]?.link !== url)
  if (wrong === -1) return []
  return [
    `The link of items[${wrong}] is ${show(items[wrong]?.link)}, but the vendor's is ${show(due[wrong]?.url)}: fix \`link\` of the item.`,
  ]
}

function fieldProblems(
  due: readonly VendorResult[],
  items: readonly FoundItem[],
  of: Field,
  upstream: SearchUpstreamFacts,
): string[] {
  const { field, found, member } = of
  const wrong = due.findIndex((result, index) => !isSame(field, items[index]?.[found] ?? '', result, upstream))
  if (wrong === -1) return []
  const came = items[wrong]?.[found] ?? ''
  const hint = /<\/?[a-z]/i.test(came) ? ' It contains tags: if the vendor documents HTML, set `markup: true`.' : ''
  return [
    `The vendor's ${field} ${show(due[wrong]?.[field])} is returned as ${show(came)}: fix \`${member}\` of the item.${hint}`,
  ]
}

function isSame(
  field: keyof VendorResult,
  found: string,
  result: VendorResult,
  upstream: SearchUpstreamFacts,
): boolean {
  if (field !== 'date') return found === result[field]
  const distance = Math.abs(Date.parse(found) - Date.parse(result.date))
  if (!Number.isNaN(distance)) return distance <= DAY_MS
  // A date that JavaScript cannot parse is correct if the vendor writes it this way.
  const answer = JSON.stringify(upstream.write([result], { more: false, total: 1, query: 'gateways' }))
  return found !== '' && answer.includes(JSON.stringify(found))
}

export const emptyCheck: SearchCheck<RemoteSearchTarget> = {
  name: 'returns no results for a search without matches',
  async run(target) {
    const { harness } = target
    const vendor = hold(target, [])
    const found = await harness.search({ q: 'nothing of the kind' })
    const { items, total, next, problems } = found.answer
    if (found.status !== 200)
      return [
        `A search without matches fails: ${said(found)}.${refused(vendor)} Treat an empty or absent list as no items.`,
      ]
    return [
      ...(items.length === 0
        ? []
        : [`A search without matches has ${items.length} results; the first is ${items[0]?.link}.`]),
      ...(total === '0'
        ? []
        : [`A search without matches has totalResults ${show(total)}, expected "0": check \`total\`.`]),
      ...(next === undefined ? [] : ['A search without matches has a next page: check `more`.']),
      ...problems.map(
        (problem) => `The response to a search without matches is not a Custom Search response: ${problem}.`,
      ),
      ...(harness.rows.at(-1)?.billed === false ? [] : ['A search without matches is billed.']),
    ]
  },
}
