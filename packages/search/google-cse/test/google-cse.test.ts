import { testSearchBackend } from '@headgate/conformance'
import { googleCse } from '../src/index.ts'

// Answers as in https://developers.google.com/custom-search/v1/reference/rest/v1/Search
testSearchBackend(googleCse, {
  config: { apiKey: 'stork.above.the.chimney', cx: '017:engine' },
  credential: { header: 'x-goog-api-key', value: 'stork.above.the.chimney' },
  upstream: {
    path: '/customsearch/v1',
    method: 'GET',
    read: ({ query }) => ({
      q: query.get('cx') === '017:engine' && query.get('q'),
      limit: Number(query.get('num') ?? 10),
      offset: Number(query.get('start') ?? 1) - 1,
    }),
    write: (results, { more, total }) => ({
      kind: 'customsearch#search',
      queries: { request: [{ count: results.length }], ...(more && { nextPage: [{ startIndex: 11 }] }) },
      searchInformation: { searchTime: 0.3, totalResults: String(total) },
      ...(results.length > 0 && {
        items: results.map(({ url, title, text, date, thumbnail }) => ({
          kind: 'customsearch#result',
          title,
          link: url,
          snippet: text,
          pagemap: { cse_thumbnail: [{ src: thumbnail }], metatags: [{ 'article:published_time': date }] },
        })),
      }),
    }),
    supports: {
      siteSearch: ['example.org', ({ query }) => query.get('siteSearch') === 'example.org'],
      siteSearchFilter: ['e', ({ query }) => query.get('siteSearchFilter') === 'e'],
      safe: ['active', ({ query }) => query.get('safe') === 'active'],
      dateRestrict: ['m6', ({ query }) => query.get('dateRestrict') === 'm6'],
    },
    maxLimit: 10,
    error: (status) => ({ error: { code: status, message: 'It did not work.', errors: [{ reason: 'badRequest' }] } }),
  },
})
