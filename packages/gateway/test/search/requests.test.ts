import { describe, expect, it } from 'vitest'
import { readParameters } from '../../src/families/search/parameters.ts'
import { listBackend, results, search, startSearch } from './backends.ts'

const all = { by: 'offset', perCall: 10 } as const

describe('A search that can not be carried out', () => {
  it.each([
    [{}, 'q'],
    [{ q: ' ' }, 'q'],
    [{ q: 'x'.repeat(2_049) }, 'q'],
    [{ q: 'x', num: 0 }, 'num'],
    [{ q: 'x', num: 11 }, 'num'],
    [{ q: 'x', num: '3.5' }, 'num'],
    [{ q: 'x', num: 'ten' }, 'num'],
    [{ q: 'x', start: 0 }, 'start'],
    [{ q: 'x', start: -1 }, 'start'],
    [{ q: 'x', start: 101 }, 'start'],
    [{ q: 'x', start: 92 }, 'start'],
    [{ q: 'x', siteSearch: '/path' }, 'siteSearch'],
    [{ q: 'x', siteSearch: 'example.com', siteSearchFilter: 'x' }, 'siteSearchFilter'],
    [{ q: 'x', dateRestrict: 'h5' }, 'dateRestrict'],
    [{ q: 'x', dateRestrict: 'd0' }, 'dateRestrict'],
    [{ q: 'x', gl: 'germany' }, 'gl'],
    [{ q: 'x', hl: '!' }, 'hl'],
    [{ q: 'x', lr: 'lang_' }, 'lr'],
    [{ q: 'x', safe: 'yes' }, 'safe'],
    [{ q: 'x', searchType: 'video' }, 'searchType'],
    [{ q: 'x', searchType: 'image' }, 'searchType'],
    [{ q: 'x', cx: 'unknown:cx' }, 'cx'],
  ])('is a 400 that names the parameter: %j', async (parameters, param) => {
    const gateway = await startSearch({ backends: [listBackend(all, results(5))] })
    const { status, body } = await search(gateway, parameters as Record<string, string>)
    expect(status).toBe(400)
    expect(body.error).toMatchObject({
      code: 400,
      status: 'INVALID_ARGUMENT',
      errors: [{ domain: 'global', reason: 'badRequest', location: param, locationType: 'parameter' }],
    })
    expect(gateway.rows).toEqual([])
  })

  it('is a 400 where a parameter is there twice', async () => {
    const gateway = await startSearch({ backends: [listBackend(all, [])] })
    expect((await gateway.call('/customsearch/v1?q=a&q=b')).status).toBe(400)
  })

  it('is a 405 to HEAD: it would be paid for, and nobody would read it', async () => {
    const gateway = await startSearch({ backends: [listBackend(all, results(5))] })
    const answer = await gateway.call('/customsearch/v1?q=x', { method: 'HEAD' })
    expect([answer.status, answer.headers.get('allow'), gateway.rows]).toEqual([405, 'GET', []])
  })

  it('is a 401 in the shape of its callers without a key, and with one in the query only', async () => {
    const gateway = await startSearch({ backends: [listBackend(all, [])] })
    const response = await gateway.call('/customsearch/v1?q=x&key=sk-caller-0123456789', {
      headers: { 'x-no-key': '1' },
    })
    expect(response.status).toBe(401)
    expect(await response.json()).toMatchObject({
      error: { code: 401, status: 'UNAUTHENTICATED', errors: [{ reason: 'authError' }] },
    })
  })

  it('is a 400 for a vendor that is not there, naming those that are', async () => {
    const gateway = await startSearch({ backends: [listBackend(all, [])] })
    const { status, body } = await search(gateway, { q: 'x' }, { vendor: 'openai' })
    expect(status).toBe(400)
    expect(body.error?.message).toContain('Known search backends: alpha')
  })

  it('is a 405 for a POST and a 404 where the gateway has no search', async () => {
    const gateway = await startSearch({ backends: [listBackend(all, [])] })
    expect((await gateway.post('/customsearch/v1?q=x', {})).status).toBe(405)
    const without = await startSearch(undefined)
    const { status, body } = await search(without, { q: 'x' })
    expect(status).toBe(404)
    expect(body.error).toMatchObject({ status: 'NOT_FOUND', errors: [{ reason: 'notFound' }] })
    expect(without.gateway.openapi()['paths']).not.toHaveProperty('/customsearch/v1')
  })
})

describe('The parameters of a search', () => {
  const everything = {
    q: 'cats',
    siteSearch: 'https://*.Example.com/docs/',
    dateRestrict: 'w2',
    gl: 'DE',
    hl: 'pt_BR',
    lr: 'lang_en',
    safe: 'active',
    exactTerms: 'two words',
    excludeTerms: 'not these',
    orTerms: 'one other',
    fileType: '.pdf',
    lowRange: '1',
    highRange: '5',
    hq: 'also',
    sort: 'date',
    fields: 'items(link)',
    unheard: 'of',
  }

  it('reach a backend that carries them, and are declared where it does not', async () => {
    const backend = listBackend(all, results(5), {
      supports: ['siteSearch', 'dateRestrict', 'gl', 'hl', 'lr', 'safe', 'fileType'],
    })
    const gateway = await startSearch({ backends: [backend] })
    const { headers } = await search(gateway, everything)
    expect(backend.queries[0]).toEqual({
      q: 'cats also',
      siteSearch: { include: [{ host: 'example.com', path: '/docs' }], exclude: [] },
      dateRestrict: { unit: 'w', count: 2, since: new Date(Date.now() - 14 * 86_400_000).toISOString().slice(0, 10) },
      gl: 'de',
      hl: 'pt-BR',
      lr: 'en',
      safe: true,
      fileType: 'pdf',
      parameters: {},
      limit: 10,
      offset: 0,
      page: 0,
    })
    expect(headers.get('headgate-lost')?.split(', ').sort()).toEqual(
      ['exactTerms', 'excludeTerms', 'fields', 'highRange', 'lowRange', 'orTerms', 'sort', 'unheard'].sort(),
    )
    expect(gateway.rows[0]?.losses.map(({ path }) => path)).toContain('exactTerms')
  })

  it('are written into the words where the backend understands them there', async () => {
    const backend = listBackend(all, results(5), { operators: 'all' })
    const gateway = await startSearch({ backends: [backend] })
    await search(gateway, everything)
    expect(backend.queries[0]?.q).toBe(
      'cats also site:example.com/docs "two words" -"not these" (one OR other) filetype:pdf 1..5',
    )
    await search(gateway, { q: 'cats', siteSearch: 'example.com', siteSearchFilter: 'e', excludeTerms: 'one' })
    expect(backend.queries[1]?.q).toBe('cats -site:example.com -one')
  })

  it('leave no operator without a word, which would be another search', async () => {
    const backend = listBackend(all, results(5), { operators: 'all' })
    const gateway = await startSearch({ backends: [backend] })
    await search(gateway, {
      q: 'cats',
      exactTerms: '"',
      excludeTerms: ' " ',
      orTerms: '"',
      fileType: '.',
      lowRange: ' ',
      hq: ' ',
    })
    await search(gateway, { q: 'cats', orTerms: '" one' })
    expect(backend.queries.map(({ q }) => q)).toEqual(['cats', 'cats one'])
  })

  it.each([
    ['2026-03-31', 'm1', '2026-02-28'],
    ['2024-02-29', 'y1', '2023-02-28'],
    ['2026-01-15', 'm2', '2025-11-15'],
    ['2026-01-15', 'd15', '2025-12-31'],
    ['2026-01-15', 'y9999', '1970-01-01'],
    ['2026-01-15', 'w9999', '1970-01-01'],
  ])('count back from %s by %s to %s', (today, dateRestrict, since) => {
    const query = `q=x&dateRestrict=${dateRestrict}`
    expect(readParameters(query, Date.parse(`${today}T12:00:00Z`)).dateRestrict?.since).toBe(since)
  })

  it.each([
    ['example.com.', 'https://example.com/a'],
    ['example.com', 'https://example.com./a'],
    ['example.com/é', 'https://example.com/%c3%a9/a'],
    ['BÜCHER.example', 'https://xn--bcher-kva.example/a'],
  ])('take the site %s for that of %s', async (siteSearch, link) => {
    const gateway = await startSearch({ backends: [listBackend(all, [{ link }, ...results(2, 'other.test')])] })
    expect((await search(gateway, { q: 'x', siteSearch })).body.items).toMatchObject([{ link }])
  })

  it('are all there, as they were written, for a backend that speaks the same API', async () => {
    const backend = listBackend(all, results(5), { supports: 'all' })
    const gateway = await startSearch({ backends: [backend] })
    const { headers } = await search(gateway, {
      q: 'cats',
      hq: 'also',
      sort: 'date',
      lr: 'lang_en|lang_de',
      siteSearch: 'example.com',
      siteSearchFilter: 'i',
    })
    expect(headers.get('headgate-lost')).toBeNull()
    expect(backend.queries[0]).toMatchObject({
      q: 'cats',
      parameters: { hq: 'also', sort: 'date', lr: 'lang_en|lang_de', siteSearch: 'example.com', siteSearchFilter: 'i' },
    })
  })

  it('ask for nothing where they ask for what happens anyway', async () => {
    const gateway = await startSearch({ backends: [listBackend(all, results(5))] })
    const { headers } = await search(gateway, { q: 'x', safe: 'off', filter: '1', c2coff: '0', key: 'k', alt: 'json' })
    expect(headers.get('headgate-lost')).toBeNull()
  })

  it('are a 400 where one is lost and headgate-strict forbids it', async () => {
    const gateway = await startSearch({ backends: [listBackend(all, results(5))] })
    const { status, body } = await search(gateway, { q: 'x', gl: 'de' }, { 'headgate-strict': 'true' })
    expect(status).toBe(400)
    expect(body.error).toMatchObject({ errors: [{ location: 'gl' }] })
  })

  it('choose the backend that carries them, where any may serve', async () => {
    const poor = listBackend(all, results(5))
    const rich = listBackend(all, results(5), { name: 'beta', supports: ['gl'] })
    const gateway = await startSearch({ backends: [poor, rich] })
    expect((await search(gateway, { q: 'x', gl: 'de' })).headers.get('headgate-vendor')).toBe('beta')
    expect((await search(gateway, { q: 'x' })).headers.get('headgate-vendor')).toBe('alpha')
    const pinned = await search(gateway, { q: 'x', gl: 'de' }, { vendor: 'alpha' })
    expect(pinned.headers.get('headgate-lost')).toBe('gl')
  })

  it('ask only those for images that have some', async () => {
    const image = {
      contextLink: 'https://example.com/',
      width: 10,
      height: 20,
      thumbnailLink: 'https://example.com/t.png',
    }
    const images = listBackend(all, [{ link: 'https://example.com/a.png', mime: 'image/png', image }], {
      name: 'beta',
      supports: ['searchType', 'imgSize'],
    })
    const gateway = await startSearch({ backends: [listBackend(all, results(5)), images] })
    const { body, headers } = await search(gateway, { q: 'x', searchType: 'image', imgSize: 'large' })
    expect(headers.get('headgate-vendor')).toBe('beta')
    expect(body.items).toMatchObject([{ link: 'https://example.com/a.png', mime: 'image/png', image }])
  })

  it('hold for results that a backend finds elsewhere', async () => {
    const list = [...results(2, 'example.com'), ...results(2, 'notexample.com'), ...results(2, 'sub.example.com')]
    const gateway = await startSearch({ backends: [listBackend(all, list)] })
    const { body, headers } = await search(gateway, { q: 'x', siteSearch: 'example.com' })
    expect(headers.get('headgate-lost')).toBe('siteSearch;changed')
    expect(body.items?.map(({ displayLink }) => displayLink)).toEqual([
      'example.com',
      'example.com',
      'sub.example.com',
      'sub.example.com',
    ])
    const rest = await search(gateway, { q: 'x', siteSearch: 'example.com', siteSearchFilter: 'e' })
    expect(rest.body.items?.map(({ displayLink }) => displayLink)).toEqual(['notexample.com', 'notexample.com'])
  })
})
