import { within } from '../../../checks/check.ts'
import { show } from '../../../show.ts'
import { testCall } from '../../../test-call.ts'
import type { SearchHarness } from '../harness.ts'
import { MOST, PER_PAGE, reachOf, type SearchCheck, said } from './check.ts'

const PATIENCE_MS = 2_000
/** Word that no document contains. */
const NOWHERE = 'xqzwvkjyxqzw'

/** Checks that the backend finds the documents in the facts. */
export const findCheck: SearchCheck = {
  name: 'finds the documents in the facts',
  async run({ facts, harness }) {
    const findings: string[] = []
    for (const { q, first } of facts.find ?? []) {
      const found = await harness.search({ q })
      const [item] = found.answer.items
      findings.push(
        ...found.answer.problems.map(
          (problem) => `The response to "${q}" is not a Custom Search response: ${problem}.`,
        ),
        ...(item?.title === first
          ? []
          : [
              `A search for "${q}" finds ${show(item?.title)} first, expected ${show(first)}. (${said(found).slice(0, 80)})`,
            ]),
        ...found.answer.items
          .filter(({ link }) => !/^https?:\/\//.test(link))
          .map(
            ({ link }) =>
              `A search for "${q}" finds the link ${show(link)}: \`link\` must be an absolute http or https URL.`,
          ),
        ...found.answer.items
          .filter(({ title, snippet }) => /<\/?(b|strong|em|mark)>/i.test(title + snippet))
          .map(
            ({ title, snippet }) =>
              `A search for "${q}" finds ${show([title, snippet])}: set \`markup: true\`, or return plain text.`,
          ),
      )
    }
    return findings
  },
}

export const findNothingCheck: SearchCheck = {
  name: 'returns no results for a search without matches',
  async run({ harness }) {
    const found = await harness.search({ q: NOWHERE })
    const { items, total } = found.answer
    if (found.status !== 200) return [`A search without matches fails: ${said(found)}.`]
    return items.length === 0 && total === '0'
      ? []
      : [
          `A search for a word that no document contains returns ${items.length} results with a total of ${total}: expected no results and "0".`,
        ]
  },
}

export const ownPagesCheck: SearchCheck = {
  name: 'returns the same list with every page size',
  async run({ facts, harness }) {
    for (const { q } of facts.find ?? []) {
      const whole = await linksOf(harness, q, PER_PAGE)
      if (new Set(whole).size !== whole.length) return [`A search for "${q}" finds a link twice: ${show(whole)}.`]
      for (let num = 1; num < PER_PAGE; num++) {
        const links = await linksOf(harness, q, num)
        if (links.join() !== whole.join())
          return [
            `A search for "${q}" with page size ${num} returns ${show(links)}, with page size ${PER_PAGE} ${show(whole)}: the order of results must not depend on \`limit\` and \`offset\`.`,
          ]
      }
    }
    return []
  },
}

/** Links of a search, page by page, until one page after the last with results. */
async function linksOf(harness: SearchHarness, q: string, num: number): Promise<string[]> {
  const links: string[] = []
  for (let start = 1; start <= Math.min(MOST, reachOf(harness)); start += num) {
    const found = await harness.search({ q, start, num: Math.min(num, MOST - start + 1) })
    if (found.answer.items.length === 0) break
    links.push(...found.answer.items.map(({ link }) => link))
  }
  return links
}

export const ownSitesCheck: SearchCheck = {
  name: "restricts results to the caller's sites",
  async run({ facts, harness }) {
    const findings: string[] = []
    for (const { q } of facts.find ?? []) {
      const [first] = (await harness.search({ q })).answer.items
      if (!first) continue
      const { hostname } = new URL(first.link)
      const on = await harness.search({ q, siteSearch: hostname })
      const off = await harness.search({ q, siteSearch: hostname, siteSearchFilter: 'e' })
      findings.push(
        ...(on.answer.items[0]?.link === first.link
          ? []
          : [
              `A search for "${q}" on ${hostname} does not find ${first.link} first, but a search without a site does: ${said(on).slice(0, 120)}`,
            ]),
        ...(off.answer.items.some(({ link }) => new URL(link).hostname === hostname)
          ? [`A search for "${q}" that excludes ${hostname} finds it: read \`exclude\` of \`siteSearch\`.`]
          : []),
      )
    }
    return findings
  },
}

/** Caller that disconnects: `run` receives an aborted signal. */
export const ownAbortCheck: SearchCheck = {
  name: 'stops when the caller disconnects',
  async run({ facts, harness: { backend } }) {
    const { search } = backend
    if (!('run' in search)) return ['The backend has neither a `baseUrl` nor a `search` that runs in-process.']
    const q = facts.find?.[0]?.q ?? 'gateways'
    const query = { q, limit: PER_PAGE, offset: 0, page: 0, parameters: {} }
    const ended = await within(
      PATIENCE_MS,
      search.run(query, AbortSignal.abort(), testCall()).then(
        () => true,
        () => true,
      ),
    )
    return ended ? [] : ['`run` never ends after its signal aborts: listen to the signal wherever it waits.']
  },
}
