import { testSearchBackend } from '@headgate/conformance'
import { you } from '../src/index.ts'

// Answers as in https://you.com/docs/api-reference/search/v1-search
testSearchBackend(you, {
  config: { apiKey: 'plover.on.the.sand' },
  credential: { header: 'x-api-key', value: 'plover.on.the.sand' },
  keyless: {},
  upstream: {
    path: '/v1/search',
    keylessPath: '/v1/agents/search',
    method: 'GET',
    read: ({ query }) => ({ q: query.get('query'), limit: Number(query.get('count') ?? 10) }),
    write: (results, { query }) => ({
      results: {
        web: results.map(({ url, title, text, date, thumbnail }) => ({
          url,
          title,
          description: 'A page.',
          snippets: [text],
          page_age: date,
          thumbnail_url: thumbnail,
        })),
      },
      metadata: { query, search_uuid: 'u-1', latency: 0.2 },
    }),
    supports: {
      siteSearch: ['example.org', ({ query }) => query.get('include_domains') === 'example.org'],
      siteSearchFilter: ['e', ({ query }) => query.get('exclude_domains') === 'example.org'],
      gl: ['de', ({ query }) => query.get('country') === 'DE'],
      lr: ['lang_zh-TW', ({ query }) => query.get('language') === 'ZH-HANT'],
      safe: ['active', ({ query }) => query.get('safesearch') === 'strict'],
      dateRestrict: ['m1', ({ query }) => query.get('freshness') === 'month'],
    },
    maxLimit: 100,
    error: () => ({ detail: 'It did not work.' }),
  },
})
