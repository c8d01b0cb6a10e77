import { type HttpRequest, signed } from '@headgate/core/provider'
import { defineSearchBackend, type SearchItem } from '@headgate/core/search'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { examineSearchBackend, type SearchUpstreamFacts } from '../src/index.ts'
import {
  keylessExample,
  keylessFacts,
  SEARCH_KEY,
  type SearchDeviation,
  searchExample,
  searchFactsOf,
  shelf,
} from './search-backends.ts'

type Example = Parameters<typeof searchExample>[0]

/** What the kit says of a search backend with this deviation. */
async function findings(
  only: RegExp,
  id: Example,
  deviation: SearchDeviation,
  upstream: Partial<SearchUpstreamFacts> = {},
): Promise<string> {
  const found = await examineSearchBackend(searchExample(id, deviation), searchFactsOf(id, upstream), only)
  return found.map(({ message }) => message).join('\n')
}

/** The request with another value of a query parameter. */
function withParameter(request: HttpRequest, name: string, value: string | undefined): HttpRequest {
  const [path, query] = request.url.split('?')
  const parameters = new URLSearchParams(query)
  if (value === undefined) parameters.delete(name)
  else parameters.set(name, value)
  return { ...request, url: `${path}?${parameters}` }
}

const MANIFEST = /^describes itself/
const REQUEST = /^sends requests as its vendor/
const CARRIES = /^sends the parameters/
const WORDS = /^writes operators/
const RESULTS = /^returns title, link/
const GAPS = /^accepts results that lack/
const MARKUP = /^returns titles and snippets/
const EMPTY = /^returns no results for a search without/
const PAGES = /^returns the same list/
const END = /^leads from page to page/
const FILTER = /^numbers the remaining/
const BROKEN = /^treats broken responses/
const ERRORS = /^distinguishes its vendor's failures/
const KEYLESS = /^works without a key/
const SECRECY = /^keeps its key/

describe('A search backend fails the kit, which says what to fix, when it', () => {
  it('sends the credential in the wrong place, or twice', async () => {
    const credential = { kind: 'header', name: 'authorization', value: `Bearer ${SEARCH_KEY}` } as const
    expect(await findings(REQUEST, 'page', { credential })).toMatch(
      'expects the credential in the header `x-example-key`, but it is in the header `authorization`: `credential` must be',
    )
    expect(await findings(REQUEST, 'page', { request: (right) => withParameter(right, 'key', SEARCH_KEY) })).toMatch(
      "The backend's key is in the query parameter `key`, where logs and errors can expose it: send it only in the place that `credential` names.",
    )
  })

  it('asks at the wrong path, with the wrong method, or past its base URL', async () => {
    expect(
      await findings(REQUEST, 'page', { request: (right) => ({ ...right, url: right.url.replace('/v1', '/v2') }) }),
    ).toMatch('The adapter sent GET /v2/search, but the upstream serves GET /v1/search: fix `method` and `url`')
    expect(await findings(REQUEST, 'none', { request: (right) => ({ ...right, method: 'PUT' }) })).toMatch(
      'The adapter sent PUT /v1/search',
    )
    const request = (right: HttpRequest) => ({ ...right, url: `https://api.example.com${right.url}` })
    expect(await findings(MANIFEST, 'page', { request })).toMatch(
      /goes to https:\/\/api\.example\.com\/v1\/search\?\S+, which is not below `baseUrl`: return/,
    )
    expect(await findings(MANIFEST, 'page', { baseUrl: 'https://api.example.com' })).toMatch(
      '`baseUrl` of the config is ignored',
    )
  })

  it('says nothing of the kind of its body, or sends cookies', async () => {
    const request = (right: HttpRequest) => ({
      ...right,
      headers: { cookie: 'a=b' },
      body: { bytes: JSON.stringify(right.body && 'json' in right.body && right.body.json), type: 'text/plain' },
    })
    const found = await findings(REQUEST, 'none', { request })
    expect(found).toMatch('The body is JSON, but its `content-type` is text/plain: return it as `body: { json }`')
    expect(found).toMatch('The header `cookie` was sent')
  })

  it('does not get to its vendor, which is said once', async () => {
    const credential = signed({
      sign() {
        throw new Error('There is no key.')
      },
    })
    const found = await examineSearchBackend(searchExample('page', { credential }), searchFactsOf('page'))
    expect(found).toEqual([
      {
        check: 'reaches its vendor',
        message: expect.stringMatching(/^No request reached the vendor: status 500, .* Fix `baseUrl`/),
      },
    ])
  })

  it('encodes the words twice', async () => {
    const request = (right: HttpRequest, { q }: { q: string }) => withParameter(right, 'q', encodeURIComponent(q))
    expect(await findings(REQUEST, 'page', { request })).toMatch(
      /received the query "gr%C3%B6%C3%9Fe.*send `q` unchanged, encoded once/,
    )
  })

  it('does not describe itself as the others do', async () => {
    const loose = defineSearchBackend(
      {
        id: 'example',
        title: '',
        config: z.object({ apiKey: z.string().optional(), baseUrl: z.url().default('https://api.example.com') }),
        env: { apiKey: ['EXAMPLE_KEY'] },
      },
      ({ baseUrl }) => ({ ...searchExample('page')({ apiKey: 'a' }), baseUrl, paging: { by: 'page', perCall: 50 } }),
    )
    const found = (await examineSearchBackend(loose, searchFactsOf('page'), MANIFEST)).map(({ message }) => message)
    expect(found).toEqual([
      expect.stringMatching('`title` is empty'),
      expect.stringMatching('use `z.strictObject`'),
      expect.stringMatching('`env.apiKey` begins with EXAMPLE_KEY: its first variable must be EXAMPLE_API_KEY'),
      expect.stringMatching(
        '`env.baseUrl` begins with nothing: its first variable must be EXAMPLE_BASE_URL or EXAMPLE_SEARCH_BASE_URL',
      ),
      expect.stringMatching('`enable` is "configured", but the backend works without a key: set it to "asked"'),
      expect.stringMatching('`paging.perCall` is 50, but the vendor accepts at most 20'),
    ])
  })

  it('says that it carries what it does not send', async () => {
    expect(await findings(CARRIES, 'page', { supports: ['gl'] })).toMatch(
      '`supports` names `gl`, but a search with gl=de sends the same request as a search without it: add it to the request, or remove it from `supports`',
    )
    expect(await findings(CARRIES, 'offset', { request: (right) => withParameter(right, 'gl', 'us') })).toMatch(
      'The vendor does not see gl=fr in the documented place of the request; the request was GET /v1/search',
    )
  })

  it('looks for what is to be left out', async () => {
    const request = (right: HttpRequest) => ({ ...right, url: right.url.replace('off=', 'on=') })
    expect(await findings(CARRIES, 'offset', { request })).toMatch(
      'A search that excludes a site (siteSearchFilter=e) sends the same request as a search of that site: read `include` and `exclude`',
    )
    expect(await findings(CARRIES, 'offset', { request: (right) => withParameter(right, 'off', undefined) })).toMatch(
      /sends the same request as a search of all sites, and headgate-lost does not name it/,
    )
  })

  it('comes only close to a span, and does not say so', async () => {
    expect(await findings(CARRIES, 'none', { changes: () => [] })).toMatch(
      'dateRestrict=w2 sends the same request as dateRestrict=w1, and headgate-lost names neither: send `count` or `since`',
    )
  })

  it('has words of its own where operators are due', async () => {
    const request = (right: HttpRequest, { q }: { q: string }) => withParameter(right, 'q', q.replaceAll('-', ' '))
    expect(await findings(WORDS, 'page', { request })).toMatch(
      '`operators` names `excludeTerms`, but the query of a search with excludeTerms=zebra is "gateways  zebra": send `q` unchanged.',
    )
  })

  it('loses a date, or takes another field for the snippet', async () => {
    const response: SearchDeviation['response'] = ({ body }, right) => ({
      items: right(body).map(({ published: _, ...item }) => ({ ...item, snippet: item.title })),
    })
    const found = await findings(RESULTS, 'offset', { response })
    expect(found).toMatch(
      'The vendor\'s text "What guide 1 says of gateways." is returned as "Guide 1 to gateways": fix `snippet`',
    )
    expect(found).toMatch(/The vendor's date "2026-01-28T12:00:00.000Z" is returned as "": fix `published`/)
  })

  it('lets markup through, or takes plain text for markup', async () => {
    expect(await findings(RESULTS, 'page', { markup: false })).toMatch(
      'is returned as "<strong>What guide 1 says of gateways.</strong>": fix `snippet` of the item. It contains tags: if the vendor documents HTML, set `markup: true`.',
    )
    expect(await findings(MARKUP, 'offset', { markup: true }, { markup: false })).toMatch(
      /is returned as the title "All & .*The vendor has plain text: return it unchanged, without `markup`/,
    )
  })

  it('needs every field of a result', async () => {
    const response: SearchDeviation['response'] = ({ body }, right) => ({
      items: right(body).map((item) => ({
        ...item,
        title: item.title?.trim() ?? fail(),
        published: String(item.published),
      })),
    })
    const found = await findings(GAPS, 'offset', { response })
    expect(found).toMatch(
      /the second of three results has no title, callers get 0 results \(status 500.*treat fields as optional/,
    )
    expect(found).toMatch(
      'the second of three results has no date, callers read "undefined": omit `published` in this case.',
    )
  })

  it('takes an empty list for a failure, or counts what is not there', async () => {
    const needy: SearchDeviation['response'] = ({ body }, right) => ({
      items: right(body).length > 0 ? right(body) : fail(),
    })
    expect(await findings(EMPTY, 'offset', { response: needy })).toMatch('A search without matches fails: status 500')
    const proud: SearchDeviation['response'] = ({ body }, right) => ({ items: right(body), total: 1_000 })
    expect(await findings(EMPTY, 'offset', { response: proud })).toMatch(
      'has totalResults "1000", expected "0": check `total`',
    )
  })

  it('counts pages from the wrong number', async () => {
    const request = (right: HttpRequest, { page }: { page: number }) =>
      withParameter(right, 'page', String(Math.max(1, page)))
    expect(await findings(PAGES, 'page', { request })).toMatch(
      /^With num=1 and start=23 callers get the results 3; expected: 23\. Paging is by page: `page` starts at 0/,
    )
  })

  it('leaves out where to begin, or asks for more than its vendor gives', async () => {
    expect(await findings(PAGES, 'offset', { request: (right) => withParameter(right, 'from', undefined) })).toMatch(
      'With num=1 and start=12 callers get the results 1; expected: 12. Paging is by offset: `offset` is a number of results',
    )
    expect(await findings(PAGES, 'none', { paging: { by: 'none', maxResults: 50 } })).toMatch(
      /With num=1 and start=23 callers get status 400, .* The vendor rejected a request: limit is 23, but the vendor accepts 20 at most\./,
    )
  })

  it('says that its pages have one length, and they have several', async () => {
    expect(await findings(PAGES, 'endless', { paging: { by: 'page', perCall: 10 } })).toMatch(
      /or absent if page sizes vary\.$/,
    )
  })

  it('is wrong about whether there is more', async () => {
    const response: SearchDeviation['response'] = ({ body }, right) => ({ items: right(body), more: false })
    expect(await findings(END, 'page', { response })).toMatch(
      /^For a list of 21 results, callers that follow `nextPage` get 1, 2, .* 20: `more` must tell if more results follow/,
    )
  })

  it('takes out duplicates itself', async () => {
    const response: SearchDeviation['response'] = ({ body }, right) => ({ items: right(body).filter(isFirst) })
    expect(await findings(FILTER, 'offset', { response })).toMatch(
      /^From a list with duplicates, q=.* Return all `items` unchanged: core removes results that must not be returned\.$/,
    )
  })

  it('makes results of what has no link, or no list of what is none', async () => {
    const inventive: SearchDeviation['response'] = ({ body }) => ({
      items: listOf(body).map((one) => ({
        title: one.title,
        link: String(new URL(String(one.url), 'https://example.com')),
      })),
    })
    const found = await findings(BROKEN, 'offset', { response: inventive })
    expect(found).toMatch(
      /When the upstream responds with 7001 as `results\[0\].*, callers get the result .*omit results without a link/,
    )
  })

  it('throws where it should read an error: the kit prints what', async () => {
    const readError = (): never => {
      throw new RangeError('there is no code 7')
    }
    expect(await findings(ERRORS, 'page', { readError })).toMatch(
      '`readError` threw RangeError: there is no code 7: fix it.',
    )
  })

  it('reads errors as something else, or as results', async () => {
    const readError = ({ status }: { status: number }) =>
      status >= 400 ? ({ kind: 'invalid-request', message: 'It failed.' } as const) : undefined
    const found = await findings(ERRORS, 'page', { readError })
    expect(found).toMatch('failure "status 429" is "rate-limited", so callers get status 429; they got status 400')
    expect(found).toMatch(
      'failure "status 500" is "upstream", so the gateway must call the upstream 4 times; it was called 1 times. Fix `readError`',
    )
    const quota = {
      name: '200 with an error',
      kind: 'our-quota',
      reply: { kind: 'whole', body: { error: 'No credits.' } },
    } as const
    expect(await findings(ERRORS, 'page', {}, { failures: [quota] })).toMatch(
      'failure "200 with an error" is "our-quota", so callers get status 500; they got status 200, ',
    )
  })

  it('tells its key in an error', async () => {
    // Core takes out what signing put into the request, as it stands there.
    const encoded = Buffer.from(SEARCH_KEY).toString('base64')
    const credential = signed({ sign: () => ({ 'x-example-key': encoded }) })
    const readError = ({ status }: { status: number }) =>
      status >= 400 ? ({ kind: 'upstream', message: `The key ${SEARCH_KEY} failed.` } as const) : undefined
    expect(await findings(SECRECY, 'page', { credential, readError })).toMatch(
      /The backend's key was exposed \d+ times, first in: .*The key <the key>… Do not return strings from `readError`/,
    )
  })

  it('sends a key where it has none, or leaves out what stands for it', async () => {
    const credential = { kind: 'header', name: 'authorization', value: 'Bearer undefined' } as const
    const careless = await examineSearchBackend(keylessExample('x-access', credential), keylessFacts, KEYLESS)
    expect(careless.map(({ message }) => message)).toEqual([
      'Without a key, the header `authorization` was sent as "Bearer undefined": set `credential` to { kind: \'none\' } in this case.',
    ])
    const silent = await examineSearchBackend(keylessExample('x-other'), keylessFacts, KEYLESS)
    expect(silent.map(({ message }) => message)).toEqual([
      'Without a key, the vendor requires the header `x-access: keyless`, but got none: add it to `headers` of the request.',
    ])
  })
})

describe('A search backend in this process fails the kit when it', () => {
  const find = [{ q: 'gateways', first: 'Gateways' }]

  it('finds something else first, or has no link to it', async () => {
    const backwards = shelf(async (titles, { offset, limit }) => titles.toReversed().slice(offset, offset + limit))
    const found = await examineSearchBackend(backwards, { config: {}, find }, /^finds the documents/)
    expect(found.map(({ message }) => message)).toEqual([
      expect.stringMatching('A search for "gateways" finds "Gateways, part 24" first, expected "Gateways".'),
    ])
  })

  it('finds other things on other pages', async () => {
    const moody = shelf(async (titles, { offset, limit }) => titles.slice(offset * 2, offset * 2 + limit))
    const found = await examineSearchBackend(moody, { config: {}, find }, /^returns the same list/)
    expect(found.map(({ message }) => message)).toEqual([
      expect.stringMatching('the order of results must not depend on'),
    ])
  })

  it('goes on after the caller has left', async () => {
    const deaf = shelf(() => new Promise(() => {}))
    const found = await examineSearchBackend(deaf, { config: {}, find }, /^stops when/)
    expect(found.map(({ message }) => message)).toEqual([
      expect.stringMatching('`run` never ends after its signal aborts'),
    ])
  })

  it('is not said to find anything', async () => {
    const honest = shelf(async (titles) => titles)
    const found = await examineSearchBackend(honest, { config: {} }, MANIFEST)
    expect(found.map(({ message }) => message)).toEqual([
      expect.stringMatching('have no `find`: add what it must find'),
    ])
  })
})

function fail(): never {
  throw new TypeError('It is not there.')
}

function isFirst({ link }: SearchItem, index: number, items: readonly SearchItem[]): boolean {
  const page = (url: string) => url.replace(/^https?:/, '').replace(/[/#]$|#part$/, '')
  return items.findIndex((item) => page(item.link) === page(link)) === index
}

function listOf(body: unknown): { url: string; title: string; published: string }[] {
  const { results } = body as { results?: unknown }
  return Array.isArray(results) ? results.filter((one) => typeof one === 'object' && one !== null) : []
}
