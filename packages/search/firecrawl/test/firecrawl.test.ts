import { testSearchBackend } from '@headgate/conformance'
import { firecrawl } from '../src/index.ts'

// Answers as in https://docs.firecrawl.dev/api-reference/endpoint/search
testSearchBackend(firecrawl, {
  config: { apiKey: 'ember.under.the.ash' },
  credential: { header: 'authorization', value: 'Bearer ember.under.the.ash' },
  keyless: {},
  upstream: {
    path: '/v2/search',
    method: 'POST',
    read: ({ body }) => ({ q: body?.['query'], limit: body?.['limit'] ?? 10 }),
    write: (results) => ({
      success: true,
      data: {
        web: results.map(({ url, title, text }, index) => ({ url, title, description: text, position: index + 1 })),
      },
      creditsUsed: 2,
    }),
    supports: {
      siteSearch: ['example.org', ({ body }) => String(body?.['includeDomains']) === 'example.org'],
      siteSearchFilter: ['e', ({ body }) => String(body?.['excludeDomains']) === 'example.org'],
      gl: ['de', ({ body }) => body?.['country'] === 'DE'],
      safe: ['active', ({ body }) => body?.['safe'] === true],
      dateRestrict: ['w1', ({ body }) => body?.['tbs'] === 'qdr:w'],
      searchType: ['image', ({ body }) => JSON.stringify(body?.['sources']) === '[{"type":"images"}]'],
    },
    maxLimit: 100,
    error: () => ({ success: false, error: 'It did not work.' }),
  },
})
