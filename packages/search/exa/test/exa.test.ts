import { testSearchBackend } from '@headgate/conformance'
import { exa } from '../src/index.ts'

// Answers as in https://exa.ai/docs/reference/search
testSearchBackend(exa, {
  config: { apiKey: 'marten.in.the.pines' },
  credential: { header: 'x-api-key', value: 'marten.in.the.pines' },
  upstream: {
    path: '/search',
    method: 'POST',
    read: ({ body }) => ({ q: body?.['query'], limit: body?.['numResults'] ?? 10 }),
    write: (results) => ({
      requestId: 'r-1',
      results: results.map(({ url, title, text, date, thumbnail }) => ({
        id: url,
        url,
        title,
        publishedDate: date,
        image: thumbnail,
        highlights: [text],
      })),
      costDollars: { total: 0.007 },
    }),
    supports: {
      siteSearch: ['example.org', ({ body }) => String(body?.['includeDomains']) === 'example.org'],
      siteSearchFilter: ['e', ({ body }) => String(body?.['excludeDomains']) === 'example.org'],
      gl: ['de', ({ body }) => body?.['userLocation'] === 'DE'],
      safe: ['active', ({ body }) => body?.['moderation'] === true],
      exactTerms: ['blue harbour', ({ body }) => String(body?.['includeText']) === 'blue harbour'],
      excludeTerms: ['zebra', ({ body }) => String(body?.['excludeText']) === 'zebra'],
      dateRestrict: ['d3', ({ body }) => /^\d{4}-\d\d-\d\dT00:00:00.000Z$/.test(String(body?.['startPublishedDate']))],
    },
    maxLimit: 100,
    error: () => ({ requestId: 'r-1', error: 'It did not work.', tag: 'INVALID_REQUEST_BODY' }),
  },
})
