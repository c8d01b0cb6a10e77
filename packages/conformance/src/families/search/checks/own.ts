import { within } from '../../../checks/check.ts'
import { show } from '../../../show.ts'
import { testCall } from '../../../test-call.ts'
import type { SearchBench } from '../bench.ts'
import { MOST, PER_PAGE, reachOf, type SearchCheck, said } from './check.ts'

const PATIENCE_MS = 2_000
/** Nothing has this word in it. */
const NOWHERE = 'xqzwvkjyxqzw'

/** What a backend of this process finds is its own; that it finds it is not. */
export const findCheck: SearchCheck = {
  name: 'finds what it must find',
  async run({ facts, bench }) {
    const findings: string[] = []
    for (const { q, first } of facts.find ?? []) {
      const found = await bench.search({ q })
      const [item] = found.answer.items
      findings.push(
        ...found.answer.problems.map((problem) => `The answer to "${q}" is no answer of Custom Search: ${problem}.`),
        ...(item?.title === first
          ? []
          : [
              `A search for "${q}" finds ${show(item?.title)} first, due is ${show(first)}. (${said(found).slice(0, 80)})`,
            ]),
        ...found.answer.items
          .filter(({ link }) => !/^https?:\/\//.test(link))
          .map(
            ({ link }) =>
              `A search for "${q}" finds the link ${show(link)}: \`link\` must be a whole http or https URL.`,
          ),
        ...found.answer.items
          .filter(({ title, snippet }) => /<\/?(b|strong|em|mark)>/i.test(title + snippet))
          .map(
            ({ title, snippet }) =>
              `A search for "${q}" finds ${show([title, snippet])}: say \`markup: true\`, or give plain text.`,
          ),
      )
    }
    return findings
  },
}

export const findNothingCheck: SearchCheck = {
  name: 'answers a search that finds nothing with nothing',
  async run({ bench }) {
    const found = await bench.search({ q: NOWHERE })
    const { items, total } = found.answer
    if (found.status !== 200) return [`A search that finds nothing fails: ${said(found)}.`]
    return items.length === 0 && total === '0'
      ? []
      : [
          `A search for a word that is nowhere finds ${items.length} results and says that there are ${total}: due are none and "0".`,
        ]
  },
}

export const ownPagesCheck: SearchCheck = {
  name: 'gives the same list page by page, for every length of a page, as at once',
  async run({ facts, bench }) {
    for (const { q } of facts.find ?? []) {
      const whole = await linksOf(bench, q, PER_PAGE)
      if (new Set(whole).size !== whole.length) return [`A search for "${q}" finds a link twice: ${show(whole)}.`]
      for (let num = 1; num < PER_PAGE; num++) {
        const links = await linksOf(bench, q, num)
        if (links.join() !== whole.join())
          return [
            `A search for "${q}" by ${num} gives ${show(links)}, by ${PER_PAGE} ${show(whole)}: the order of results must not depend on \`limit\` and \`offset\`.`,
          ]
      }
    }
    return []
  },
}

/** All links of a search, page by page, up to one page after the last that has any. */
async function linksOf(bench: SearchBench, q: string, num: number): Promise<string[]> {
  const links: string[] = []
  for (let start = 1; start <= Math.min(MOST, reachOf(bench)); start += num) {
    const found = await bench.search({ q, start, num: Math.min(num, MOST - start + 1) })
    if (found.answer.items.length === 0) break
    links.push(...found.answer.items.map(({ link }) => link))
  }
  return links
}

export const ownSitesCheck: SearchCheck = {
  name: 'keeps to the sites that a caller names',
  async run({ facts, bench }) {
    const findings: string[] = []
    for (const { q } of facts.find ?? []) {
      const [first] = (await bench.search({ q })).answer.items
      if (!first) continue
      const { hostname } = new URL(first.link)
      const on = await bench.search({ q, siteSearch: hostname })
      const off = await bench.search({ q, siteSearch: hostname, siteSearchFilter: 'e' })
      findings.push(
        ...(on.answer.items[0]?.link === first.link
          ? []
          : [
              `A search for "${q}" on ${hostname} does not find ${first.link} first, which one without a site does: ${said(on).slice(0, 120)}`,
            ]),
        ...(off.answer.items.some(({ link }) => new URL(link).hostname === hostname)
          ? [`A search for "${q}" that leaves out ${hostname} finds it: read \`exclude\` of \`siteSearch\`.`]
          : []),
      )
    }
    return findings
  },
}

/** A caller that leaves: `run` gets it as the abort of its signal. */
export const ownAbortCheck: SearchCheck = {
  name: 'stops when the caller leaves',
  async run({ facts, bench: { backend } }) {
    const { search } = backend
    if (!('run' in search)) return ['The backend has neither a `baseUrl` nor a `search` that runs in this process.']
    const q = facts.find?.[0]?.q ?? 'gateways'
    const query = { q, limit: PER_PAGE, offset: 0, page: 0, parameters: {} }
    const ended = await within(
      PATIENCE_MS,
      search.run(query, AbortSignal.abort(), testCall()).then(
        () => true,
        () => true,
      ),
    )
    return ended
      ? []
      : ['`run` goes on after its signal has aborted, without an end: listen to the signal wherever it waits.']
  },
}
