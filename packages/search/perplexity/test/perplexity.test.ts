import { testSearchBackend } from '@headgate/conformance'
import { perplexity } from '../src/index.ts'

// Answers as in https://docs.perplexity.ai/api-reference/search-post
testSearchBackend(perplexity, {
  config: { apiKey: 'lynx.on.the.ridge' },
  credential: { header: 'authorization', value: 'Bearer lynx.on.the.ridge' },
  upstream: {
    path: '/search',
    method: 'POST',
    read: ({ body }) => ({ q: body?.['query'], limit: body?.['max_results'] ?? 10 }),
    write: (results) => ({
      id: 's-1',
      results: results.map(({ url, title, text, date }) => ({ title, url, snippet: text, date: date.slice(0, 10) })),
    }),
    supports: {
      siteSearch: ['example.org', ({ body }) => String(body?.['search_domain_filter']) === 'example.org'],
      siteSearchFilter: ['e', ({ body }) => String(body?.['search_domain_filter']) === '-example.org'],
      gl: ['de', ({ body }) => body?.['country'] === 'DE'],
      lr: ['lang_de', ({ body }) => String(body?.['search_language_filter']) === 'de'],
      dateRestrict: ['d3', ({ body }) => /^\d\d\/\d\d\/\d{4}$/.test(String(body?.['search_after_date_filter']))],
    },
    maxLimit: 20,
  },
})
