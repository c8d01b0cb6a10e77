import type { Result } from '../facts.ts'
import { resultsOf } from '../results.ts'
import { hold, MOST, PER_PAGE, type RemoteSearchSubject, reachOf, refused, type SearchCheck, said } from './check.ts'

/** More than any search can reach. */
const LONG = 130
/** Lists that end within a page, with one, and just after one. */
const SHORT = [1, 9, 10, 20, 21, 43]

/**
 * Lengths in which a list is read on to its end: with a vendor's pages, and across them. That every length leads there
 * is core's own test.
 */
const WALKED = [3, PER_PAGE]

/** Lengths of pages, and those of the short extent. */
const EVERY = Array.from({ length: PER_PAGE }, (_, index) => index + 1)
const FEW = [1, 3, 7, PER_PAGE]

/** What a mistake in the list comes from, by the way in which the backend can be read. */
const MENDS = {
  offset: '`offset` counts results, `limit` is at most `perCall`',
  page: "`page` counts pages from 0; `perCall` must be the length of the vendor's pages, and be absent where they have several",
  none: '`limit` is how many results are wanted from the first',
} as const

function numbers(links: readonly string[]): string {
  return links.map((link) => link.split('/').at(-1)).join(', ') || 'none'
}

export const pagesCheck: SearchCheck<RemoteSearchSubject> = {
  name: 'gives the same list page by page, for every length of a page, as at once',
  async run(subject) {
    const list = resultsOf(LONG)
    const due = list.slice(0, reachOf(subject.bench))
    for (const num of subject.extent === 'short' ? FEW : EVERY) {
      // Words of its own make each page one that is read by itself; the same words let the gateway go on in a list.
      const wrong =
        (await pageProblem(subject, list, due, {
          num,
          step: apart(num),
          words: (start) => `page ${start} by ${num}`,
        })) ??
        (WALKED.includes(num)
          ? await pageProblem(subject, list, due, { num, step: num, words: () => `all by ${num}` })
          : undefined)
      if (wrong !== undefined) return [wrong]
    }
    return []
  },
}

/**
 * From the start of one page that is read by itself to the next: some ten of each length, which begin anywhere in a
 * vendor's pages.
 */
function apart(num: number): number {
  return num * Math.floor((PER_PAGE + 1) / num)
}

/** Pages of one length. */
interface Pages {
  readonly num: number
  /** From the start of one to that of the next. */
  readonly step: number
  /** What is looked for. */
  words(start: number): string
}

async function pageProblem(
  subject: RemoteSearchSubject,
  list: readonly Result[],
  due: readonly Result[],
  { num, step, words }: Pages,
): Promise<string | undefined> {
  const { paging } = subject.bench.backend
  const vendor = hold(subject, list)
  for (let start = 1; start <= MOST; start += step) {
    const count = Math.min(num, MOST - start + 1)
    const found = await subject.bench.search({ q: words(start), num: count, start })
    const dueLinks = due.slice(start - 1, start - 1 + count).map(({ url }) => url)
    const links = found.answer.items.map(({ link }) => link)
    if (found.status === 200 && links.join() === dueLinks.join()) continue
    const what = found.status === 200 ? `the results ${numbers(links)}` : said(found)
    return `With num=${count} and start=${start} callers get ${what}; due: ${numbers(dueLinks)}.${refused(vendor)} Paging is by ${paging.by}: ${MENDS[paging.by]}.`
  }
  return undefined
}

export const endCheck: SearchCheck<RemoteSearchSubject> = {
  name: 'leads from page to page to the end of a list, and not past it',
  async run(subject) {
    const findings: string[] = []
    for (const length of SHORT) {
      const list = resultsOf(length)
      const due = list.slice(0, reachOf(subject.bench)).map(({ url }) => url)
      const vendor = hold(subject, list)
      const links: string[] = []
      let start: number | undefined = 1
      let pages = 0
      while (start !== undefined && pages <= MOST / PER_PAGE) {
        const found = await subject.bench.search({ q: `a list of ${length}`, start })
        if (found.status !== 200)
          return [`A list of ${length} results fails at start=${start}: ${said(found)}.${refused(vendor)}`]
        links.push(...found.answer.items.map(({ link }) => link))
        start = found.answer.next
        pages++
      }
      if (links.join() !== due.join())
        findings.push(
          `Of a list of ${length} results those who follow \`nextPage\` get ${numbers(links)}: \`more\` must say whether there are results after these, and be absent where that is not known.`,
        )
    }
    return findings.slice(0, 1)
  },
}
