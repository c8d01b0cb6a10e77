import { describe, expect, it } from 'vitest'
import type { Paging, SearchItem } from '../../../core/src/search.ts'
import { listBackend, pageThrough, results, search, startSearch } from './backends.ts'

const PAGINGS: readonly (readonly [string, Paging])[] = [
  ['any result', { by: 'offset', perCall: 10 }],
  ['any result, few at a time', { by: 'offset', perCall: 3 }],
  ['pages of twenty', { by: 'page', perCall: 20, maxResults: 200 }],
  ['pages of ten', { by: 'page', perCall: 10 }],
  ['pages of a length of its own', { by: 'page' }],
  ['the first only', { by: 'none', maxResults: 100 }],
  ['the first twenty only', { by: 'none', maxResults: 20 }],
]

/** Everything twice, and things of another site and of no address in between. */
function untidy(): SearchItem[] {
  return results(130).flatMap((item, index) => [
    item,
    ...(index % 4 === 1 ? [{ ...item, link: `http://example.com/${index + 1}/#part` }] : []),
    ...(index % 5 === 2 ? [{ title: 'Elsewhere', link: `https://elsewhere.test/${index}` }] : []),
    ...(index % 7 === 3 ? [{ title: 'A file', link: 'ftp://example.com/file' }] : []),
  ])
}

describe.each(PAGINGS)('A backend that can be read from %s', (_, paging) => {
  const reach = Math.min(paging.maxResults ?? 100, 100)

  it.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])('gives one list in pages of %i', async (num) => {
    const gateway = await startSearch({ backends: [listBackend(paging, results(130))] })
    expect(await pageThrough(gateway, num)).toEqual(
      results(130)
        .slice(0, reach)
        .map(({ link }) => link),
    )
  })

  it.each([1, 4, 7, 10])('gives one list in pages of %i where results are left out', async (num) => {
    const gateway = await startSearch({ backends: [listBackend(paging, untidy(), { operators: 'all' })] })
    const links = await pageThrough(gateway, num, { siteSearch: 'example.com' })
    const due = results(130).map(({ link }) => link)
    expect(links).toEqual(due.slice(0, links.length))
    expect(links.length).toBeGreaterThan(Math.floor((reach * 100) / 180))
  })

  it('has an empty page beyond its end, not an error', async () => {
    const gateway = await startSearch({ backends: [listBackend(paging, results(12))] })
    const { status, body } = await search(gateway, { q: 'words', start: 91 })
    expect(status).toBe(200)
    expect(body).not.toHaveProperty('items')
    expect(body.queries).not.toHaveProperty('nextPage')
    expect(body.queries['previousPage']).toMatchObject([{ startIndex: 81, count: 10 }])
    expect(gateway.rows).toMatchObject([{ billed: false, why: 'empty' }])
  })

  it('knows how many there are once it was read to its end', async () => {
    const gateway = await startSearch({ backends: [listBackend(paging, results(8))] })
    const { body } = await search(gateway, { q: 'words' })
    expect(body.searchInformation.totalResults).toBe('8')
    expect(body.queries).not.toHaveProperty('nextPage')
  })
})

describe('A page that is asked for by itself', () => {
  it('is read at its place where the backend can begin there', async () => {
    const backend = listBackend({ by: 'page', perCall: 20, maxResults: 200 }, results(130))
    const gateway = await startSearch({ backends: [backend] })
    const { body } = await search(gateway, { q: 'words', start: 41, num: 10 })
    expect(body.items?.[0]?.link).toBe('https://example.com/41')
    expect(backend.queries).toMatchObject([{ limit: 20, offset: 40, page: 2 }])
  })

  it('is read over two pages of the backend where it lies on both', async () => {
    const backend = listBackend({ by: 'page', perCall: 10 }, results(130))
    const gateway = await startSearch({ backends: [backend] })
    const { body } = await search(gateway, { q: 'words', start: 16, num: 10 })
    expect(body.items?.map(({ link }) => link)).toEqual(
      results(25)
        .slice(15)
        .map(({ link }) => link),
    )
    expect(backend.queries.map(({ page }) => page)).toEqual([1, 2])
    expect(gateway.rows).toMatchObject([{ usage: { units: { searches: 2 } }, cost: 10_000_000, attempts: [{}, {}] }])
  })

  it('is numbered from the first result on where something in it is left out', async () => {
    const list = results(40)
    list.splice(12, 0, { ...(list[11] ?? { link: '' }) })
    const gateway = await startSearch({ backends: [listBackend({ by: 'offset', perCall: 10 }, list)] })
    const { body } = await search(gateway, { q: 'words', start: 11, num: 10 })
    expect(body.items?.map(({ link }) => link)).toEqual(
      results(20)
        .slice(10)
        .map(({ link }) => link),
    )
  })
})

describe('A backend that reaches less far than its last page', () => {
  it('gives no more than that, wherever it is read from', async () => {
    const gateway = await startSearch({
      backends: [listBackend({ by: 'page', perCall: 20, maxResults: 30 }, results(130))],
    })
    const { body } = await search(gateway, { q: 'words', start: 29, num: 4 })
    expect(body.items?.map(({ link }) => link)).toEqual(['https://example.com/29', 'https://example.com/30'])
    expect(body.queries).not.toHaveProperty('nextPage')
  })
})

describe('A list that was begun', () => {
  it('is read on, not again, and anew from its first page', async () => {
    const backend = listBackend({ by: 'page' }, results(50))
    const gateway = await startSearch({ backends: [backend] })
    await search(gateway, { q: 'words', num: 7 })
    await search(gateway, { q: 'words', num: 7, start: 8 })
    await search(gateway, { q: 'words', num: 7 })
    expect(backend.queries.map(({ page }) => page)).toEqual([0, 1, 0])
  })

  it('keeps nobody waiting for another caller beyond the own deadline', async () => {
    const list = results(50)
    let begin: (() => void) | undefined
    const begun = new Promise<void>((resolve) => {
      begin = resolve
    })
    const backend = listBackend({ by: 'page' }, list, {
      search: {
        run: async ({ page }, signal) => {
          if (page === 0) return { items: list.slice(0, 7) }
          begin?.()
          return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
        },
      },
    })
    const gateway = await startSearch({ backends: [backend] })
    await search(gateway, { q: 'words', num: 7 })
    const leave = new AbortController()
    const first = gateway.call('/customsearch/v1?q=words&num=7&start=8', { signal: leave.signal }).catch(() => 'left')
    await begun
    const { status } = await search(gateway, { q: 'words', num: 7, start: 8 }, { 'headgate-timeout-ms': '30' })
    expect(status).toBe(500)
    leave.abort()
    expect(await first).toBe('left')
  })

  it('is one list for callers that read on at once', async () => {
    const backend = listBackend({ by: 'page' }, results(50))
    const gateway = await startSearch({ backends: [backend] })
    await search(gateway, { q: 'words', num: 7 })
    const pages = await Promise.all([8, 8, 15].map((start) => search(gateway, { q: 'words', num: 7, start })))
    expect(pages.map(({ body }) => body.items?.[0]?.title)).toEqual(['Result 8', 'Result 8', 'Result 15'])
    expect(backend.queries.map(({ page }) => page)).toEqual([0, 1, 2])
  })
})
