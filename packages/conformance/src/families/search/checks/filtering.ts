import type { VendorResult } from '../facts.ts'
import { queryOf, type SearchParameters } from '../harness.ts'
import { resultOf, resultsOf } from '../results.ts'
import { hold, type RemoteSearchTarget, reachOf, refused, type SearchCheck, said } from './check.ts'

/** List with results that must be removed. */
interface FilterCase {
  readonly what: string
  readonly wanted: SearchParameters
  readonly list: readonly VendorResult[]
  /** Expected results from the part of the list that can be read. */
  keep(seen: readonly VendorResult[]): VendorResult[]
}

/** Variants of a link to one page. */
const TWINS: readonly ((url: string) => string)[] = [
  (url) => url,
  (url) => url.replace('https:', 'http:'),
  (url) => `${url}/`,
  (url) => `${url}#part`,
]

/** Repeats the first of every three results after the third. */
function withDuplicates(list: readonly VendorResult[]): VendorResult[] {
  return list.flatMap((result, index) => {
    const earlier = list[index - 2]
    const twin = TWINS[index % TWINS.length]
    return index % 3 === 2 && earlier && twin ? [result, { ...earlier, url: twin(earlier.url) }] : [result]
  })
}

function pageOf({ url }: VendorResult): string {
  const { host, pathname } = new URL(url)
  return host + pathname.replace(/\/$/, '')
}

/** Links that cannot be followed. */
const NOWHERE = ['javascript:alert(1)', 'ftp://example.com/guides/1', '/guides/1', 'no link', '']

function withNowhere(list: readonly VendorResult[]): VendorResult[] {
  return list.flatMap((result, index) => {
    const url = NOWHERE[index / 4]
    return url === undefined ? [result] : [{ ...result, url }, result]
  })
}

const SITES = ['example.org', 'docs.example.org', 'example.com', 'notexample.org', 'example.org.example.com']
const manySites = Array.from({ length: 48 }, (_, index) => resultOf(index + 1, SITES[index % SITES.length]))

function isOnSite({ url }: VendorResult): boolean {
  return /^(?:.+\.)?example\.org$/.test(new URL(url).hostname)
}

const FILTERS: readonly FilterCase[] = [
  {
    what: 'with duplicates',
    wanted: {},
    list: withDuplicates(resultsOf(36)),
    keep: (seen) => seen.filter((result, index) => seen.findIndex((one) => pageOf(one) === pageOf(result)) === index),
  },
  {
    what: 'with invalid links',
    wanted: {},
    list: withNowhere(resultsOf(36)),
    keep: (seen) => seen.filter(({ url }) => !NOWHERE.includes(url)),
  },
  {
    what: 'of several sites',
    wanted: { siteSearch: 'example.org' },
    list: manySites,
    keep: (seen) => seen.filter(isOnSite),
  },
  {
    what: 'of several sites',
    wanted: { siteSearch: 'example.org', siteSearchFilter: 'e' },
    list: manySites,
    keep: (seen) => seen.filter((result) => !isOnSite(result)),
  },
]

export const filterCheck: SearchCheck<RemoteSearchTarget> = {
  name: 'numbers the remaining results after duplicates and results of other sites are removed',
  async run(target) {
    for (const filter of FILTERS) {
      for (const num of [10, 7, 3]) {
        const problem = await filterProblem(target, filter, num)
        if (problem !== undefined) return [problem]
      }
    }
    return []
  },
}

async function filterProblem(
  target: RemoteSearchTarget,
  { what, wanted, list, keep }: FilterCase,
  num: number,
): Promise<string | undefined> {
  const due = keep(list.slice(0, reachOf(target.harness))).map(({ url }) => url)
  const vendor = hold(target, list)
  for (let start = 1; start <= due.length + num; start += num) {
    const search = { q: `${what} by ${num}`, ...wanted, num, start }
    const found = await target.harness.search(search)
    const links = found.answer.items.map(({ link }) => link).join(', ')
    const dueLinks = due.slice(start - 1, start - 1 + num).join(', ')
    if (found.status === 200 && links === dueLinks) continue
    const got = found.status === 200 ? links || 'nothing' : said(found)
    return `From a list ${what}, ${queryOf(search)} returns ${got}; expected: ${dueLinks || 'nothing'}.${refused(vendor)} Return all \`items\` unchanged: core removes results that must not be returned.`
  }
  return undefined
}
