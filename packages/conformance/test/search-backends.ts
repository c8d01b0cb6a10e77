import type { Credential, HttpRequest, HttpResponse, Json } from '@headgate/core/provider'
import {
  type Backend,
  defineSearchBackend,
  type SearchItem,
  type SearchPage,
  type SearchQuery,
} from '@headgate/core/search'
import { z } from 'zod'
import type { SearchFacts, SearchUpstreamFacts } from '../src/index.ts'

/** A word that does not look like a key, so that only whoever knows it can hide it. */
export const SEARCH_KEY = 'zebra.of.the.example'

type Example = 'offset' | 'page' | 'endless' | 'none'

function object(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** The results of an answer, whatever stands where they are due. */
function itemsOf(body: unknown): SearchItem[] {
  const results: unknown = object(body)?.['results']
  return (Array.isArray(results) ? results : []).flatMap((value: unknown) => {
    const result = object(value)
    const link = text(result?.['url'])
    if (!result || link === undefined) return []
    const { title, content, published, image } = result
    return {
      title: text(title),
      link,
      snippet: text(content),
      published: text(published),
      thumbnail: text(object(image)?.['src']),
    }
  })
}

function flag(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined
}

function get(query: Record<string, string | number | undefined>): HttpRequest {
  const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  )
  return { method: 'GET', url: `/v1/search?${new URLSearchParams(given)}` }
}

function post(body: object): HttpRequest {
  return { method: 'POST', url: '/v1/search', body: { json: body } }
}

function sites(siteSearch: SearchQuery['siteSearch']): Record<string, string | undefined> {
  const hosts = (list: readonly { host: string }[] = []) => list.map(({ host }) => host).join(',') || undefined
  return { on: hosts(siteSearch?.include), off: hosts(siteSearch?.exclude) }
}

const response = ({ body }: HttpResponse): SearchPage => ({ items: itemsOf(body), more: flag(object(body)?.['more']) })

/** How a vendor of each kind of paging documents itself, and an adapter that takes it at its word. */
const BACKENDS: Readonly<Record<Example, { backend: Omit<Backend, 'credential'>; upstream: SearchUpstreamFacts }>> = {
  /** It begins anywhere, and says nothing of what follows. */
  offset: {
    backend: {
      paging: { by: 'offset', perCall: 50 },
      supports: ['siteSearch', 'gl', 'dateRestrict', 'safe'],
      operators: ['exactTerms', 'fileType'],
      search: {
        request: ({ q, limit, offset, siteSearch, gl, dateRestrict, safe }) =>
          get({
            q,
            count: limit,
            from: offset,
            gl,
            since: dateRestrict?.since,
            safe: safe === undefined ? undefined : String(safe),
            ...sites(siteSearch),
          }),
        response: ({ body }) => ({ items: itemsOf(body) }),
      },
    },
    upstream: {
      path: '/v1/search',
      method: 'GET',
      read: ({ query }) => ({
        q: query.get('q'),
        limit: Number(query.get('count') ?? 10),
        offset: Number(query.get('from') ?? 0),
      }),
      write: (results) => ({
        results: results.map(({ url, title, text, date, thumbnail }) => ({
          url,
          title,
          content: text,
          published: date,
          image: { src: thumbnail },
        })),
      }),
      supports: {
        gl: ['fr', ({ query }) => query.get('gl') === 'fr'],
        siteSearchFilter: ['e', ({ query }) => query.get('off') === 'example.org' && !query.has('on')],
      },
      maxLimit: 50,
      error: (status) => ({ code: status, message: 'This did not work.' }),
    },
  },
  /** Pages of twenty, in HTML. */
  page: {
    backend: {
      paging: { by: 'page', perCall: 20 },
      operators: 'all',
      markup: true,
      search: { request: ({ q, limit, page }) => get({ q, count: limit, page: page + 1 }), response },
    },
    upstream: {
      path: '/v1/search',
      method: 'GET',
      read: ({ query }) => ({
        q: query.get('q'),
        limit: Number(query.get('count') ?? 20),
        page: Number(query.get('page') ?? 1) - 1,
      }),
      write: (results, { more }) => ({
        more,
        results: results.map(({ url, title, text, date }) => ({
          url,
          title,
          content: `<strong>${text}</strong>`,
          published: date.slice(0, 10),
        })),
      }),
      maxLimit: 20,
    },
  },
  /** Pages of lengths of their own. */
  endless: {
    backend: {
      paging: { by: 'page' },
      search: { request: ({ q, page }) => get({ q, page }), response: ({ body }) => ({ items: itemsOf(body) }) },
    },
    upstream: {
      path: '/v1/search',
      method: 'GET',
      read: ({ query }) => ({ q: query.get('q'), page: Number(query.get('page')) }),
      write: (results) => ({ results: results.map(({ url, title, text }) => ({ url, title, content: text })) }),
    },
  },
  /** So many from the first. */
  none: {
    backend: {
      paging: { by: 'none', maxResults: 20 },
      supports: ['dateRestrict'],
      changes: ({ dateRestrict }) => ((dateRestrict?.count ?? 1) > 1 ? ['dateRestrict'] : []),
      search: {
        request: ({ q, limit, dateRestrict }) => post({ query: q, max_results: limit, time_range: dateRestrict?.unit }),
        response,
      },
    },
    upstream: {
      path: '/v1/search',
      method: 'POST',
      read: ({ body }) => ({ q: body?.['query'], limit: body?.['max_results'] ?? 5 }),
      write: (results) => ({ results: results.map(({ url, title, text }) => ({ url, title, content: text })) }),
      maxLimit: 20,
      keylessPath: '/v1/search',
    },
  },
}

/** How an example deviates from one that is right. */
export type SearchDeviation = Partial<Omit<Backend, 'search'>> & {
  request?(right: HttpRequest, query: SearchQuery): HttpRequest
  response?(answer: HttpResponse, right: (body: unknown) => SearchItem[]): SearchPage
}

/** An adapter that takes its vendor at its word, but for the deviation. */
export function searchExample(id: Example, { request, response, ...deviation }: SearchDeviation = {}) {
  const { search, ...right } = BACKENDS[id].backend
  if (!('request' in search)) throw new TypeError('An example has an upstream.')
  return defineSearchBackend(
    {
      id: 'example',
      title: 'Example',
      config: z.strictObject({ apiKey: z.string(), baseUrl: z.url().default('https://api.example.com') }),
      env: { apiKey: ['EXAMPLE_API_KEY'], baseUrl: ['EXAMPLE_BASE_URL'] },
    },
    ({ apiKey, baseUrl }) => ({
      baseUrl,
      credential: { kind: 'header', name: 'x-example-key', value: apiKey },
      ...right,
      ...deviation,
      search: {
        request: (query, call) => request?.(search.request(query, call), query) ?? search.request(query, call),
        response: (answer, query, earlier) => response?.(answer, itemsOf) ?? search.response(answer, query, earlier),
      },
    }),
  )
}

export function searchFactsOf(
  id: Example,
  upstream: Partial<SearchUpstreamFacts> = {},
): SearchFacts<{ apiKey: string }> {
  return {
    config: { apiKey: SEARCH_KEY },
    credential: { header: 'x-example-key', value: SEARCH_KEY },
    upstream: { ...BACKENDS[id].upstream, ...upstream },
  }
}

/**
 * One that works with and without a key, for which a header stands. `fallback` is the credential of those who have
 * none.
 */
export function keylessExample(header = 'x-access', fallback: Credential = { kind: 'none' }) {
  const { search, ...right } = BACKENDS.none.backend
  if (!('request' in search)) throw new TypeError('An example has an upstream.')
  return defineSearchBackend(
    {
      id: 'example',
      title: 'Example',
      config: z.strictObject({
        apiKey: z.string().exactOptional(),
        baseUrl: z.url().default('https://api.example.com'),
      }),
      env: { apiKey: ['EXAMPLE_API_KEY'], baseUrl: ['EXAMPLE_SEARCH_BASE_URL'] },
      enable: 'asked',
    },
    ({ apiKey, baseUrl }) => ({
      ...right,
      baseUrl,
      credential:
        apiKey === undefined ? fallback : { kind: 'header', name: 'authorization', value: `Bearer ${apiKey}` },
      search: {
        request(query, call) {
          const made = search.request(query, call)
          return apiKey === undefined ? { ...made, headers: { ...made.headers, [header]: 'keyless' } } : made
        },
        response: search.response,
      },
    }),
  )
}

export const keylessFacts: SearchFacts<{ apiKey?: string }> = {
  config: { apiKey: SEARCH_KEY },
  credential: { header: 'authorization', value: `Bearer ${SEARCH_KEY}` },
  keyless: {},
  keylessHeaders: { 'x-access': 'keyless' },
  upstream: BACKENDS.none.upstream,
}

/** A shelf in this process. */
const SHELF = [
  'Gateways',
  'Queues',
  'Gateways and queues',
  ...Array.from({ length: 24 }, (_, index) => `Gateways, part ${index + 1}`),
]

export function shelf(
  find: (titles: readonly string[], query: SearchQuery, signal: AbortSignal) => Promise<readonly string[]>,
) {
  return defineSearchBackend({ id: 'shelf', title: 'Shelf', config: z.strictObject({}), env: {} }, () => ({
    credential: { kind: 'none' },
    paging: { by: 'offset', perCall: 10 },
    corpus: 'own',
    search: {
      async run(query, signal) {
        const titles = SHELF.filter((title) => title.toLowerCase().includes(query.q.toLowerCase()))
        const found = await find(titles, query, signal)
        return {
          items: found.map((title) => ({ title, link: `https://shelf.example.com/${SHELF.indexOf(title)}` })),
          total: titles.length,
        }
      },
    },
  }))
}
