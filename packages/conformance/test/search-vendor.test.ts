import { describe, expect, it } from 'vitest'
import { readSearchAnswer } from '../src/families/search/answer.ts'
import { differing, nodesOf, put, showPath } from '../src/families/search/body.ts'
import { resultOf, resultsOf } from '../src/families/search/results.ts'
import { createVendor } from '../src/families/search/vendor.ts'
import type { SearchUpstreamFacts, VendorResult } from '../src/index.ts'
import type { Received } from '../src/upstream.ts'

const facts: SearchUpstreamFacts = {
  path: '/search',
  method: 'GET',
  read: ({ query }) => ({
    q: query.get('q'),
    ...(query.has('limit') && { limit: Number(query.get('limit')) }),
    ...(query.has('page') && { page: Number(query.get('page')) }),
    ...(query.has('offset') && { offset: Number(query.get('offset')) }),
  }),
  write: (results, about) => ({ about, results: results.map(({ title }) => title) }),
  maxLimit: 20,
  error: (status) => ({ failed: status }),
}

/** What a vendor that holds a list of 30 answers. */
function answerTo(query: string, upstream = facts) {
  const vendor = createVendor(upstream, resultsOf(30))
  const request: Received = {
    method: 'GET',
    path: '/search',
    query: new URLSearchParams(query),
    headers: {},
    body: '',
    raw: '',
    bytes: new Uint8Array(),
    parts: [],
    closed: Promise.resolve('whole'),
  }
  return { reply: vendor.answer(request), refusals: vendor.refusals }
}

function guides(from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, index) => `Guide ${from + index} to gateways`)
}

describe("The kit's vendor of search results", () => {
  it('serves what it reads in a request: an offset, a page of a length, or a page of its own', () => {
    const about = { total: 30, query: 'a' }
    expect(answerTo('q=a&limit=5&offset=3').reply).toMatchObject({
      body: { about: { ...about, more: true }, results: guides(4, 8) },
    })
    expect(answerTo('q=a&limit=10&page=2').reply).toMatchObject({
      body: { about: { ...about, more: false }, results: guides(21, 30) },
    })
    expect(answerTo('q=a&page=1').reply).toMatchObject({ body: { results: guides(11, 17) } })
    expect(answerTo('q=a&limit=10&page=9').reply).toMatchObject({ status: 200, body: { results: [] } })
  })

  it('refuses what it can not read, or more than it gives, and says why', () => {
    const refused = { reply: { status: 400, body: { failed: 400 } } }
    expect(answerTo('q=')).toMatchObject({ ...refused, refusals: ['q is ""'] })
    expect(answerTo('q=a&limit=21')).toMatchObject({
      ...refused,
      refusals: ['limit is 21, but the vendor accepts 20 at most'],
    })
    expect(answerTo('q=a&limit=ten')).toMatchObject({
      ...refused,
      refusals: ['limit is NaN, which is not an integer from 1'],
    })
    expect(answerTo('q=a&page=-1&limit=5')).toMatchObject({
      ...refused,
      refusals: ['page is -1, which is not an integer from 0'],
    })
    const throwing: SearchUpstreamFacts = {
      ...facts,
      write() {
        throw new TypeError('no results')
      },
    }
    expect(answerTo('q=a', throwing)).toMatchObject({
      ...refused,
      refusals: ['`read` or `write` of the facts throws: TypeError: no results'],
    })
  })
})

describe('The kit finds its way in a body', () => {
  const written = (result: VendorResult) => ({
    results: [{ title: result.title, deep: { date: result.date } }],
    count: 1,
  })
  const body = written(resultOf(1))

  it('names every value, and puts another in its place or takes it out', () => {
    const paths = nodesOf(body).map(([path]) => showPath(path))
    expect(paths).toEqual([
      'results',
      'results[0]',
      'results[0].title',
      'results[0].deep',
      'results[0].deep.date',
      'count',
    ])
    expect(put(body, ['results', 0, 'title'], null)).toEqual({
      results: [{ ...body.results[0], title: null }],
      count: 1,
    })
    expect(put(body, ['results', 0], undefined)).toEqual({ results: [], count: 1 })
  })

  it('sees where a field stands by what changes with it', () => {
    expect(differing(body, written({ ...resultOf(1), date: 'another' }))).toEqual([['results', 0, 'deep', 'date']])
    expect(differing(body, written({ ...resultOf(1), text: 'another' }))).toEqual([])
  })
})

describe('The kit reads an answer of Custom Search', () => {
  it('and says what is wrong with its shape', () => {
    const { problems, pagemapProblems } = readSearchAnswer({
      items: [{ title: 7, pagemap: { metatags: [{ 'article:published_time': null }] } }],
    })
    expect(problems).toContain('`kind` is not "customsearch#search"')
    expect(problems).toContain('`searchInformation.totalResults` is undefined')
    expect(problems).toContain('`items[0]`: title is 7, no text')
    expect(pagemapProblems).toEqual(['`items[0]`: article:published_time is null, no text'])
    expect(readSearchAnswer({ items: [] }).problems).toContain('`items` is empty; it must be absent')
  })
})
