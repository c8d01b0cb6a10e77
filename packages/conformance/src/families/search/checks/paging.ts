import type { VendorResult } from '../facts.ts'
import { resultsOf } from '../results.ts'
import { hold, MOST, PER_PAGE, type RemoteSearchTarget, reachOf, refused, type SearchCheck, said } from './check.ts'

/** More results than any search can page through. */
const LONG = 130
/** Lists that end within a page, with a page, and one result after a page. */
const SHORT = [1, 9, 10, 20, 21, 43]

/**
 * Page sizes for reading a list to its end: aligned with a vendor's pages, and not aligned. Core's tests cover all
 * sizes.
 */
const WALKED = [3, PER_PAGE]

/** All page sizes, and the page sizes of the short test scope. */
const EVERY = Array.from({ length: PER_PAGE }, (_, index) => index + 1)
const FEW = [1, 3, 7, PER_PAGE]

/** Advice on a wrong list, by the backend's kind of paging. */
const ADVICE = {
  offset: '`offset` is a number of results, and `limit` is at most `perCall`',
  page: "`page` starts at 0; `perCall` must be the vendor's page size, or absent if page sizes vary",
  none: '`limit` is the number of results from the first one',
} as const

function numbers(links: readonly string[]): string {
  return links.map((link) => link.split('/').at(-1)).join(', ') || 'none'
}

export const pagesCheck: SearchCheck<RemoteSearchTarget> = {
  name: 'returns the same list with every page size',
  async run(target) {
    const list = resultsOf(LONG)
    const due = list.slice(0, reachOf(target.harness))
    for (const num of target.scope === 'short' ? FEW : EVERY) {
      // Separate queries read each page independently; one query for all pages lets the gateway continue a list.
      const wrong =
        (await pageProblem(target, list, due, {
          num,
          step: apart(num),
          words: (start) => `page ${start} by ${num}`,
        })) ??
        (WALKED.includes(num)
          ? await pageProblem(target, list, due, { num, step: num, words: () => `all by ${num}` })
          : undefined)
      if (wrong !== undefined) return [wrong]
    }
    return []
  },
}

/**
 * Distance between the starts of two pages that are read independently: some ten pages per size, starting anywhere in
 * the vendor's pages.
 */
function apart(num: number): number {
  return num * Math.floor((PER_PAGE + 1) / num)
}

/** Pages of one size. */
interface Pages {
  readonly num: number
  /** Distance between the starts of two pages. */
  readonly step: number
  /** Query of a page. */
  words(start: number): string
}

async function pageProblem(
  target: RemoteSearchTarget,
  list: readonly VendorResult[],
  due: readonly VendorResult[],
  { num, step, words }: Pages,
): Promise<string | undefined> {
  const { paging } = target.harness.backend
  const vendor = hold(target, list)
  for (let start = 1; start <= MOST; start += step) {
    const count = Math.min(num, MOST - start + 1)
    const found = await target.harness.search({ q: words(start), num: count, start })
    const dueLinks = due.slice(start - 1, start - 1 + count).map(({ url }) => url)
    const links = found.answer.items.map(({ link }) => link)
    if (found.status === 200 && links.join() === dueLinks.join()) continue
    const what = found.status === 200 ? `the results ${numbers(links)}` : said(found)
    return `With num=${count} and start=${start} callers get ${what}; expected: ${numbers(dueLinks)}.${refused(vendor)} Paging is by ${paging.by}: ${ADVICE[paging.by]}.`
  }
  return undefined
}

export const endCheck: SearchCheck<RemoteSearchTarget> = {
  name: 'leads from page to page to the end of a list, and no further',
  async run(target) {
    const findings: string[] = []
    for (const length of SHORT) {
      const list = resultsOf(length)
      const due = list.slice(0, reachOf(target.harness)).map(({ url }) => url)
      const vendor = hold(target, list)
      const links: string[] = []
      let start: number | undefined = 1
      let pages = 0
      while (start !== undefined && pages <= MOST / PER_PAGE) {
        const found = await target.harness.search({ q: `a list of ${length}`, start })
        if (found.status !== 200)
          return [`A list of ${length} results fails at start=${start}: ${said(found)}.${refused(vendor)}`]
        links.push(...found.answer.items.map(({ link }) => link))
        start = found.answer.next
        pages++
      }
      if (links.join() !== due.join())
        findings.push(
          `For a list of ${length} results, callers that follow \`nextPage\` get ${numbers(links)}: \`more\` must tell if more results follow, and be absent if that is unknown.`,
        )
    }
    return findings.slice(0, 1)
  },
}
