import { show } from '../../../show.ts'
import type { FoundItem } from '../answer.ts'
import type { Result, SearchUpstreamFacts } from '../facts.ts'
import { resultsOf } from '../results.ts'
import { hold, PER_PAGE, type RemoteSearchSubject, refused, type SearchCheck, said } from './check.ts'
import { FIELDS, type Field, isTold, shapeProblems } from './fields.ts'

/** Between what zones of time, and days without an hour, make of the same date. */
const DAY_MS = 86_400_000

export const resultsCheck: SearchCheck<RemoteSearchSubject> = {
  name: 'brings title, link, snippet, date and picture of each result out, as far as its vendor has them',
  async run(subject) {
    const due = resultsOf(PER_PAGE)
    const vendor = hold(subject, due)
    const found = await subject.bench.search({ q: 'gateways' })
    const { items } = found.answer
    if (items.length !== due.length)
      return [`A search finds ${items.length} of ${due.length} results: ${said(found)}.${refused(vendor)}`]
    return [
      ...shapeProblems(found.answer, subject.upstream).map((problem) => `Of a search that finds something ${problem}.`),
      ...linkProblems(due, items),
      ...FIELDS.filter(({ field }) => isTold(subject.upstream, field)).flatMap((field) =>
        fieldProblems(due, items, field, subject.upstream),
      ),
    ]
  },
}

function linkProblems(due: readonly Result[], items: readonly FoundItem[]): string[] {
  const wrong = due.findIndex(({ url }, index) => items[index]?.link !== url)
  if (wrong === -1) return []
  return [
    `The link of items[${wrong}] is ${show(items[wrong]?.link)}, the vendor's is ${show(due[wrong]?.url)}: mend \`link\` of the item.`,
  ]
}

function fieldProblems(
  due: readonly Result[],
  items: readonly FoundItem[],
  of: Field,
  upstream: SearchUpstreamFacts,
): string[] {
  const { field, found, member } = of
  const wrong = due.findIndex((result, index) => !isSame(field, items[index]?.[found] ?? '', result, upstream))
  if (wrong === -1) return []
  const came = items[wrong]?.[found] ?? ''
  const hint = /<\/?[a-z]/i.test(came)
    ? ' There are tags in it: where the vendor documents HTML, say `markup: true`.'
    : ''
  return [
    `The vendor's ${field} ${show(due[wrong]?.[field])} comes out as ${show(came)}: mend \`${member}\` of the item.${hint}`,
  ]
}

function isSame(field: keyof Result, found: string, result: Result, upstream: SearchUpstreamFacts): boolean {
  if (field !== 'date') return found === result[field]
  const distance = Math.abs(Date.parse(found) - Date.parse(result.date))
  if (!Number.isNaN(distance)) return distance <= DAY_MS
  // What is no date to JavaScript is right where the vendor says it so.
  const answer = JSON.stringify(upstream.write([result], { more: false, total: 1, query: 'gateways' }))
  return found !== '' && answer.includes(JSON.stringify(found))
}

export const emptyCheck: SearchCheck<RemoteSearchSubject> = {
  name: 'answers a search that finds nothing with nothing',
  async run(subject) {
    const { bench } = subject
    const vendor = hold(subject, [])
    const found = await bench.search({ q: 'nothing of the kind' })
    const { items, total, next, problems } = found.answer
    if (found.status !== 200)
      return [
        `A search that finds nothing fails: ${said(found)}.${refused(vendor)} Read a list that is empty or absent as one without items.`,
      ]
    return [
      ...(items.length === 0
        ? []
        : [`A search that finds nothing has ${items.length} results, the first is ${items[0]?.link}.`]),
      ...(total === '0'
        ? []
        : [`A search that finds nothing has totalResults ${show(total)}, due is "0": look at \`total\`.`]),
      ...(next === undefined ? [] : ['A search that finds nothing has a next page: look at `more`.']),
      ...problems.map(
        (problem) => `Of a search that finds nothing the answer is no answer of Custom Search: ${problem}.`,
      ),
      ...(bench.rows.at(-1)?.billed === false ? [] : ['A search that finds nothing is billed.']),
    ]
  },
}
