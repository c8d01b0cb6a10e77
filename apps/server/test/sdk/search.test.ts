import { customsearch, type customsearch_v1 } from '@googleapis/customsearch'
import { type LoopbackUpstream, type Received, startUpstream, type UpstreamReply } from '@headgate/conformance'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readDiscoveryDocument } from './discovery-document.ts'
import { API_KEY, gatewayFolder } from './gateway.ts'
import { type LocalGateway, openGateway } from './local-gateway.ts'
import { brave, linkOf, RESULTS, serper } from './search-vendors.ts'

type Parameters = customsearch_v1.Params$Resource$Cse$List

const problemsOf = readDiscoveryDocument('Search')
if (!problemsOf)
  process.stderr.write('Answers are not held against the discovery document: HEADGATE_RECORDINGS names no folder.\n')

const VENDORS = { brave, serper } as const
type Vendor = keyof typeof VENDORS
const NAMES = Object.keys(VENDORS) as readonly Vendor[]

/** A `cx` as Custom Search gave them out. */
const CX = 'partner-pub-1234567890:abc/d'

const failing = (status: number, headers: Record<string, string> = {}): UpstreamReply => ({
  kind: 'whole',
  status,
  headers,
  body: { message: 'The upstream says no.' },
})

describe('@googleapis/customsearch, with the root URL of a running gateway', () => {
  const upstreams = new Map<Vendor, LoopbackUpstream>()
  let gateway: LocalGateway
  let remove = (): void => {}
  beforeAll(async () => {
    for (const name of NAMES) upstreams.set(name, await startUpstream())
    const backends = Object.fromEntries(
      NAMES.map((name) => [name, { apiKey: 'key-of-the-backend', baseUrl: upstream(name).origin }]),
    )
    const engines = { [CX]: { backend: 'serper', title: 'Our sites', sites: ['example.com/docs'] } }
    const folder = gatewayFolder(
      {},
      { search: { backends, engines }, times: { backoff: 1 } },
      NAMES.map((name) => `packages/search/${name}`),
    )
    remove = folder.remove
    gateway = await openGateway(folder.path)
  })
  beforeEach(() => {
    for (const name of NAMES) upstream(name).answer(VENDORS[name])
  })
  afterAll(async () => {
    await gateway?.end()
    remove()
    for (const one of upstreams.values()) await one.close()
  })

  const upstream = (name: Vendor): LoopbackUpstream => upstreams.get(name) ?? expect.unreachable()
  const client = (apiKey = API_KEY) =>
    customsearch({
      version: 'v1',
      rootUrl: `${gateway.url}/`,
      headers: { authorization: `Bearer ${apiKey}` },
      retry: false,
    })

  /** What comes of a search: the answer, checked against the vendor's own description, and what was lost on the way. */
  async function search(parameters: Parameters, headers: Record<string, string> = {}, apiKey?: string) {
    const answer = await client(apiKey).cse.list(parameters, { headers })
    expect(problemsOf?.(answer.data) ?? []).toEqual([])
    // Its types say that these are a plain object, which they are only with HTTP/2.
    const said = new Headers(Object(answer.headers))
    return {
      data: answer.data,
      lost: said.get('headgate-lost')?.split(', ') ?? [],
      vendor: said.get('headgate-vendor'),
    }
  }

  /** The failure that the client throws. */
  async function failure(parameters: Parameters, headers: Record<string, string> = {}, apiKey?: string) {
    const error: unknown = await client(apiKey)
      .cse.list(parameters, { headers })
      .then(
        () => expect.unreachable('The search was answered.'),
        (cause: unknown) => cause,
      )
    const response = Reflect.get(Object(error), 'response')
    return {
      status: Reflect.get(Object(response), 'status'),
      error: Reflect.get(Object(Reflect.get(Object(response), 'data')), 'error'),
    }
  }

  const links = (data: customsearch_v1.Schema$Search): (string | null | undefined)[] =>
    data.items?.map(({ link }) => link) ?? []
  const arrived = (name: Vendor): unknown[] =>
    upstream(name).received.map(({ path, query, body }: Received) => [path, [...query].toSorted(), body])

  describe.each(NAMES)('finds what %s has', (name) => {
    const pinned = { vendor: name }

    it('whole: the answer has all that the API has', async () => {
      const { data, lost, vendor } = await search({ q: 'routing' }, pinned)
      expect([vendor, lost]).toEqual([name, []])
      expect(links(data)).toEqual(Array.from({ length: 10 }, (_, index) => linkOf(name, index + 1)))
      expect(data).toMatchObject({
        kind: 'customsearch#search',
        queries: { request: [{ searchTerms: 'routing', count: 10, startIndex: 1 }], nextPage: [{ startIndex: 11 }] },
        searchInformation: { totalResults: expect.stringMatching(/^\d+$/) },
      })
      const [first] = data.items ?? []
      expect(first).toMatchObject({
        kind: 'customsearch#result',
        displayLink: 'www.example.com',
        formattedUrl: linkOf(name, 1),
      })
      expect(first?.title).toMatch(/^Result 1 of \w+$/)
      expect(first?.snippet).toBe('All about routing & result 1')
      expect(first?.htmlSnippet).toBe('All about <b>routing</b> &amp; result 1')
    })

    it.each([
      { start: 1, num: 3 },
      { start: 4, num: 3 },
      { start: 8, num: 7 },
      { start: RESULTS - 1, num: 10 },
    ])('from result $start, $num at most', async ({ start, num }) => {
      const { data } = await search({ q: 'routing', start, num }, pinned)
      const expected = Array.from({ length: Math.min(num, RESULTS - start + 1) }, (_, index) =>
        linkOf(name, start + index),
      )
      expect(links(data)).toEqual(expected)
    })

    it('nothing beyond its end: no items, and no next page', async () => {
      const { data } = await search({ q: 'routing', start: RESULTS + 1 }, pinned)
      expect(data.items).toBeUndefined()
      expect(data.queries?.nextPage).toBeUndefined()
      expect(data.queries?.previousPage).toMatchObject([{ startIndex: RESULTS - 9 }])
    })

    it.each<Parameters>([
      { siteSearch: 'example.com' },
      { siteSearch: 'other.example', siteSearchFilter: 'e' },
      { dateRestrict: 'm6' },
      { gl: 'de' },
      { hl: 'de' },
      { lr: 'lang_de' },
      { safe: 'active' },
      { exactTerms: 'whole phrase' },
      { excludeTerms: 'unwanted' },
      { orTerms: 'either other' },
      { fileType: 'pdf' },
      { lowRange: '1', highRange: '5' },
      { hq: 'appended' },
      { sort: 'date' },
      { rights: 'cc_publicdomain' },
    ])('with %o, or says that it is lost', async (parameters) => {
      await search({ q: 'routing' }, pinned)
      const without = arrived(name)
      upstream(name).answer(VENDORS[name])
      const { data, lost } = await search({ q: 'routing', ...parameters }, pinned)
      const [parameter = ''] = Object.keys(parameters)
      const isSaid = JSON.stringify(arrived(name)) !== JSON.stringify(without)
      expect([isSaid, lost.some((one) => one.split(';')[0] === parameter)]).toContain(true)
      expect(data.queries?.request?.[0]).toMatchObject({ searchTerms: 'routing' })
    })

    it('on the sites that are asked for, whatever it answers', async () => {
      const { data } = await search({ q: 'routing', siteSearch: 'elsewhere.example' }, pinned)
      expect([data.items, data.searchInformation?.totalResults]).toEqual([undefined, '0'])
      const { data: excluded } = await search(
        { q: 'routing', siteSearch: 'example.com', siteSearchFilter: 'e' },
        pinned,
      )
      expect(excluded.items).toBeUndefined()
    })

    it('as images, or a 400 says that it has none', async () => {
      const asked = { q: 'routing', searchType: 'image', num: 2 }
      const found = await search(asked, pinned).catch(() => undefined)
      if (!found) {
        expect(await failure(asked, pinned)).toMatchObject({
          status: 400,
          error: { errors: [{ location: 'searchType' }] },
        })
        return
      }
      expect(found.data.items).toHaveLength(2)
      expect(found.data.items?.[0]).toMatchObject({
        link: expect.stringMatching(/^https:/),
        image: { thumbnailLink: 'https://thumb.example.com/1.png', contextLink: linkOf(name, 1) },
      })
    })
  })

  it.runIf(problemsOf)('answers by a description that knows when an answer is wrong', async () => {
    const { data } = await search({ q: 'routing' })
    const [first, ...rest] = data.items ?? []
    expect(problemsOf?.({ ...data, found: true })).toEqual([' additionalProperties'])
    expect(problemsOf?.({ ...data, items: [{ ...first, title: 7 }, ...rest] })).toEqual(['/items/0/title type'])
  })

  it('finds by a cx of the configuration, with the sites and the title of its engine', async () => {
    const { data, vendor } = await search({ q: 'routing', cx: CX })
    expect([vendor, data.context]).toEqual(['serper', { title: 'Our sites' }])
    expect(data.queries?.request?.[0]?.cx).toBe(CX)
    expect(JSON.stringify(arrived('serper'))).toContain('example.com/docs')
  })

  it('takes a key in the query, and makes nothing of it', async () => {
    await search({ q: 'routing', key: 'AIza-of-the-old-days' } as Parameters)
    expect(JSON.stringify(arrived('brave'))).not.toContain('AIza')
    expect(await failure({ q: 'routing', key: API_KEY } as Parameters, {}, 'wrong')).toMatchObject({ status: 401 })
  })

  describe('tells failures in the shape of the API', () => {
    it.each<[string, Parameters, string]>([
      ['without words', {}, 'q'],
      ['with too many results a page', { q: 'x', num: 11 }, 'num'],
      ['with none', { q: 'x', num: 0 }, 'num'],
      ['from before the first', { q: 'x', start: 0 }, 'start'],
      ['beyond the hundredth', { q: 'x', start: 92, num: 10 }, 'start'],
      ['by an unknown cx', { q: 'x', cx: 'nobody:knows' }, 'cx'],
      ['by a cx that every object has', { q: 'x', cx: 'constructor' }, 'cx'],
    ])('a search %s is a 400', async (_, parameters, location) => {
      expect(await failure(parameters)).toMatchObject({
        status: 400,
        error: {
          code: 400,
          status: 'INVALID_ARGUMENT',
          errors: [{ domain: 'global', reason: 'badRequest', location }],
        },
      })
    })

    it('an unknown vendor is a 400 that names those that are known', async () => {
      const { status, error } = await failure({ q: 'x' }, { vendor: 'nobody' })
      expect([status, error.message]).toEqual([400, expect.stringContaining('brave, serper')])
    })

    it('a wrong key is a 401', async () => {
      const { status, error } = await failure({ q: 'x' }, {}, 'wrong')
      expect([status, error]).toMatchObject([
        401,
        { code: 401, status: 'UNAUTHENTICATED', errors: [{ reason: 'authError' }] },
      ])
    })

    it('backends that want callers to wait are a 429', async () => {
      for (const name of NAMES) upstream(name).answer(failing(429, { 'retry-after': '5000' }))
      const { status, error } = await failure({ q: 'limits' })
      expect([status, error]).toMatchObject([
        429,
        { code: 429, status: 'RESOURCE_EXHAUSTED', errors: [{ reason: 'rateLimitExceeded' }] },
      ])
    })

    it.each([500, 401, 402])('backends that all answer %i are a 500', async (upstreamStatus) => {
      for (const name of NAMES) upstream(name).answer(failing(upstreamStatus))
      const { status, error } = await failure({ q: 'trouble' })
      expect([status, error]).toMatchObject([
        500,
        { code: 500, errors: [{ domain: 'global', reason: 'backendError' }] },
      ])
      expect(JSON.stringify(error)).not.toContain('key-of-the-backend')
    })
  })

  const searchWhileOneFails = async (count: number): Promise<void> => {
    upstream('brave').answer(({ query }) => (query.get('q')?.endsWith('7') ? { kind: 'reset' } : failing(503)))
    const found = new Map<string, number>()
    const queries = Array.from({ length: count }, (_, index) => `routing ${index}`)
    const worker = async (): Promise<void> => {
      for (let q = queries.pop(); q !== undefined; q = queries.pop()) {
        const { data, vendor } = await search({ q, num: 5 })
        const outcome = `${vendor}: ${data.items?.length}`
        found.set(outcome, (found.get(outcome) ?? 0) + 1)
      }
    }
    await Promise.all(Array.from({ length: 20 }, worker))
    expect([...found]).toEqual([['serper: 5', count]])
    // The second is asked once a search, and the first only now and then: nobody waits for it.
    expect(upstream('serper').received).toHaveLength(count)
    expect(upstream('brave').received.length).toBeLessThan(count / 2)
  }
  const name = 'has no failure in %i searches while the first backend fails'
  it.each([100])(name, searchWhileOneFails)
  it.each([1_000])(name, { tags: ['full'] }, searchWhileOneFails)
})
