import { describe, expect, it } from 'vitest'
import { HeadgateError } from '../../src/index.ts'
import { SINKS } from '../support/gateway.ts'
import { listBackend, results, search, startSearch } from './backends.ts'

const all = { by: 'offset', perCall: 10 } as const

describe('The answer to a search', () => {
  it.each(SINKS)(
    'has everything that a client of the Custom Search JSON API looks for, through the sink %s',
    async (sink) => {
      const items = [
        {
          title: 'Cats & <dogs>',
          link: 'https://www.example.com/pets?x=1',
          snippet: 'All about\n cats, and "dogs".',
          published: '2026-01-02T03:04:05Z',
          thumbnail: 'https://img.example.com/1.png',
        },
        ...results(20),
      ]
      const gateway = await startSearch({ backends: [listBackend(all, items)] }, sink)
      const { status, headers, body } = await search(gateway, { q: 'cats dogs', num: 2, start: 1, gl: 'de' })
      expect(status).toBe(200)
      expect(headers.get('headgate-vendor')).toBe('alpha')
      expect(headers.get('headgate-lost')).toBe('gl')
      expect(headers.get('x-request-id')).toMatch(/^req_/)
      const page = {
        title: 'Custom Search - cats dogs',
        searchTerms: 'cats dogs',
        inputEncoding: 'utf8',
        outputEncoding: 'utf8',
        safe: 'off',
        gl: 'de',
      }
      expect(body).toMatchObject({
        kind: 'customsearch#search',
        url: { type: 'application/json', template: expect.stringMatching(/^\/customsearch\/v1\?q=\{searchTerms\}/) },
        queries: {
          request: [{ ...page, count: 2, startIndex: 1, totalResults: '3' }],
          nextPage: [{ ...page, count: 2, startIndex: 3 }],
        },
        context: { title: 'alpha' },
        searchInformation: {
          searchTime: expect.any(Number),
          formattedSearchTime: expect.stringMatching(/^\d\.\d\d$/),
          totalResults: '3',
        },
      })
      expect(body.queries).not.toHaveProperty('previousPage')
      expect(body.items?.[0]).toEqual({
        kind: 'customsearch#result',
        title: 'Cats & <dogs>',
        htmlTitle: '<b>Cats</b> &amp; &lt;<b>dogs</b>&gt;',
        link: 'https://www.example.com/pets?x=1',
        displayLink: 'www.example.com',
        snippet: 'All about cats, and "dogs".',
        htmlSnippet: 'All about <b>cats</b>, and &quot;<b>dogs</b>&quot;.',
        formattedUrl: 'https://www.example.com/pets?x=1',
        htmlFormattedUrl: 'https://www.example.com/pets?x=1',
        pagemap: {
          metatags: [{ 'article:published_time': '2026-01-02T03:04:05Z' }],
          cse_thumbnail: [{ src: 'https://img.example.com/1.png' }],
          cse_image: [{ src: 'https://img.example.com/1.png' }],
        },
      })
    },
  )

  it('reads titles and snippets of a backend that sends HTML', async () => {
    const items = [
      {
        title: '<strong>Cats</strong> &amp; dogs&#x27; <i>toys</i>',
        link: 'https://example.com',
        snippet: '1 &lt; 2 &hellip;',
      },
    ]
    const gateway = await startSearch({ backends: [listBackend(all, items, { markup: true })] })
    const { body } = await search(gateway, { q: 'x' })
    expect(body.items).toMatchObject([{ title: "Cats & dogs' toys", snippet: '1 < 2 …' }])
  })

  it('marks words of scripts that set no spaces, and no parts of words in others', async () => {
    const items = [
      {
        title: '休暇は年に二十五日',
        link: 'https://example.com',
        snippet: 'Leave and leaves of the cat, concatenated.',
      },
    ]
    const gateway = await startSearch({ backends: [listBackend(all, items)] })
    const { body } = await search(gateway, { q: '休暇 leave cat -dog site:example.com' })
    expect(body.items?.[0]).toMatchObject({
      htmlTitle: '<b>休暇</b>は年に二十五日',
      htmlSnippet: '<b>Leave</b> and leaves of the <b>cat</b>, concatenated.',
    })
  })

  it('has no items where nothing is found, and is not billed', async () => {
    const gateway = await startSearch({ backends: [listBackend(all, [])] })
    const { status, body } = await search(gateway, { q: 'x' })
    expect(status).toBe(200)
    expect(body).not.toHaveProperty('items')
    expect(body.searchInformation).toMatchObject({ totalResults: '0', formattedTotalResults: '0' })
    expect(gateway.rows).toMatchObject([
      {
        family: 'search',
        billed: false,
        why: 'empty',
        charged: 0,
        cost: 5_000_000,
        status: 200,
        usage: { units: { searches: 1 } },
      },
    ])
  })

  it('says what the backend knows: how many there are, other words, and fields of its own', async () => {
    const page = {
      items: [{ link: 'https://example.com', fields: { labels: [{ name: 'a' }], pagemap: { thing: [{ a: 'b' }] } } }],
      total: 8930,
      correction: 'words',
      fields: { promotions: [{ title: 'p' }] },
    }
    const backend = listBackend(all, [], { search: { run: async () => page } })
    const gateway = await startSearch({ backends: [backend] })
    const { body } = await search(gateway, { q: 'wrods' })
    expect(body).toMatchObject({
      searchInformation: { totalResults: '8930', formattedTotalResults: '8,930' },
      spelling: { correctedQuery: 'words', htmlCorrectedQuery: '<b>words</b>' },
      promotions: [{ title: 'p' }],
      items: [{ title: 'example.com', labels: [{ name: 'a' }], pagemap: { thing: [{ a: 'b' }] } }],
    })
  })

  it('is billed at the price of its calls, one row for all of them', async () => {
    const gateway = await startSearch({ backends: [listBackend({ by: 'offset', perCall: 4 }, results(30))] })
    await search(gateway, { q: 'x' })
    expect(gateway.rows).toMatchObject([
      {
        family: 'search',
        format: 'customsearch',
        model: 'alpha',
        provider: 'alpha',
        cost: 15_000_000,
        priceId: 'test',
        billed: true,
        why: 'served',
        usage: { input: 0, output: 0, units: { searches: 3 } },
        attempts: [{ provider: 'alpha' }, {}, {}],
      },
    ])
  })

  it('is not billed where the price is not known', async () => {
    const { price: _, ...backend } = listBackend(all, results(5))
    const gateway = await startSearch({
      backends: [backend, { backend: { ...backend, name: 'beta' }, price: 7_000_000 }],
    })
    await search(gateway, { q: 'x' })
    await search(gateway, { q: 'x' }, { vendor: 'beta' })
    expect(gateway.rows).toMatchObject([
      { cost: null, priceId: null, billed: false, why: 'price-unknown' },
      { cost: 7, priceId: 'config', billed: true, why: 'served' },
    ])
  })

  it('counts the calls of a backend that failed in between, and does not know what the failed one cost', async () => {
    const list = results(30)
    const alpha = listBackend({ by: 'offset', perCall: 4 }, list, {
      search: {
        run: async ({ offset, limit }) => {
          if (offset > 0) throw new HeadgateError('upstream', 'No more.')
          return { items: list.slice(0, limit) }
        },
      },
    })
    const beta = listBackend(all, list, { name: 'beta', price: { id: 'beta', calls: 7_000_000 } })
    const gateway = await startSearch({ backends: [alpha, beta] })
    await search(gateway, { q: 'x' })
    expect(gateway.rows).toMatchObject([
      {
        provider: 'beta',
        cost: null,
        charged: 7,
        usage: { units: { searches: 2 } },
        attempts: [{ cost: 5_000_000 }, { cost: null }, { cost: 7 }],
      },
    ])
  })

  it('costs nothing where all of it had been read before', async () => {
    const gateway = await startSearch({ backends: [listBackend({ by: 'page', perCall: 20 }, results(50))] })
    await search(gateway, { q: 'x', siteSearch: 'example.com' })
    await search(gateway, { q: 'x', siteSearch: 'example.com', start: 11 })
    expect(gateway.rows[1]).toMatchObject({ why: 'served', cost: 0, attempts: [] })
  })

  it.each([
    [{ total: -5 }, '31', 5_000_000],
    [{ total: 40.4 }, '40', 5_000_000],
    [{ total: 3 }, '31', 5_000_000],
    [{ total: 1e21 }, '9007199254740991', 5_000_000],
    [{ cost: -7 }, '31', 5_000_000],
    [{ cost: 0 }, '31', 0],
  ])('has whole numbers where its backend says %o', async (page, total, cost) => {
    const backend = listBackend(all, [], { search: { run: async () => ({ items: results(10), ...page }) } })
    const gateway = await startSearch({ backends: [backend] })
    const { body } = await search(gateway, { q: 'x', start: 21 })
    expect(body.searchInformation.totalResults).toBe(total)
    expect(gateway.rows).toMatchObject([{ cost }])
  })

  it('has texts on one line and of a length that can be read, whatever its backend sends', async () => {
    const item = {
      link: 'https://example.com',
      title: `\u001b[31m${'x'.repeat(100_000)}`,
      snippet: '<'.repeat(100_000),
    }
    const page = { items: [item], correction: 'red\u001b\nwords' }
    const gateway = await startSearch({ backends: [listBackend(all, [], { search: { run: async () => page } })] })
    const { body } = await search(gateway, { q: 'x' })
    expect(body['spelling']).toMatchObject({ correctedQuery: 'red words' })
    const [found] = body.items ?? []
    expect([found?.title.slice(0, 6), found?.title.length, found?.snippet.length]).toEqual(['[31mxx', 9_999, 10_000])
  })

  it.each([
    ['http:example.com/a', 'http://example.com/a'],
    ['https:\\\\example.com\\a', 'https://example.com/a'],
    ['https://exa\nmple.com/a', 'https://example.com/a'],
    ['https://example.com/\u001b[31m', 'https://example.com/%1B[31m'],
    [' https://example.com/a b ', 'https://example.com/a%20b'],
    ['HTTPS://Example.com/ü', 'HTTPS://Example.com/ü'],
  ])('has the link %j as everybody reads it', async (link, due) => {
    const gateway = await startSearch({ backends: [listBackend(all, [{ link }])] })
    expect((await search(gateway, { q: 'x' })).body.items).toMatchObject([{ link: due, formattedUrl: due }])
  })

  it('declares what each caller lost, where it is given again', async () => {
    const gateway = await startSearch({ backends: [listBackend(all, results(5))], cacheMs: 60_000 })
    const lost = []
    for (const parameters of [{ q: 'x', unheard: 'of' }, { q: 'x' }, { q: 'x', other: 'one' }]) {
      const { headers } = await search(gateway, parameters)
      lost.push([headers.get('headgate-cached'), headers.get('headgate-lost')])
    }
    expect(lost).toEqual([
      [null, 'unheard'],
      ['true', null],
      ['true', 'other'],
    ])
    expect(gateway.rows.map(({ losses }) => losses.length)).toEqual([1, 0, 1])
  })

  it('is given again to an identical search where that is configured, marked and not billed', async () => {
    const backend = listBackend(all, results(30))
    const gateway = await startSearch({ backends: [backend], cacheMs: 60_000 })
    const first = await search(gateway, { q: 'x' })
    const again = await search(gateway, { q: 'x', key: 'other', prettyPrint: 'false' })
    await search(gateway, { q: 'x', num: 5 })
    expect(first.headers.get('headgate-cached')).toBeNull()
    expect(again.headers.get('headgate-cached')).toBe('true')
    expect(again.body.items).toEqual(first.body.items)
    expect(backend.queries).toHaveLength(2)
    expect(gateway.rows[1]).toMatchObject({
      billed: false,
      why: 'cached',
      cost: 0,
      charged: 0,
      attempts: [],
      provider: 'alpha',
    })
  })

  it('is asked for each time where nothing is configured', async () => {
    const backend = listBackend(all, results(30))
    const gateway = await startSearch({ backends: [backend] })
    await search(gateway, { q: 'x' })
    await search(gateway, { q: 'x' })
    expect(backend.queries).toHaveLength(2)
  })
})
