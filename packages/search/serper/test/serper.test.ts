import { testSearchBackend } from '@headgate/conformance'
import { serper } from '../src/index.ts'

// Answers as https://serper.dev/playground shows them.
testSearchBackend(serper, {
  config: { apiKey: 'heron.by.the.weir' },
  credential: { header: 'x-api-key', value: 'heron.by.the.weir' },
  upstream: {
    path: '/search',
    method: 'POST',
    read: ({ body }) => ({ q: body?.['q'], limit: body?.['num'] ?? 10, page: Number(body?.['page'] ?? 1) - 1 }),
    write: (results, { query }) => ({
      searchParameters: { q: query, type: 'search', engine: 'google' },
      organic: results.map(({ url, title, text, date }, index) => ({
        title,
        link: url,
        snippet: text,
        date,
        position: index + 1,
      })),
      credits: 1,
    }),
    supports: {
      gl: ['de', ({ body }) => body?.['gl'] === 'de'],
      hl: ['pt-BR', ({ body }) => body?.['hl'] === 'pt-br'],
      dateRestrict: ['m6', ({ body }) => body?.['tbs'] === 'qdr:m6'],
      searchType: ['image', ({ path }) => path === '/images'],
    },
    maxLimit: 10,
    error: (status) => ({ message: 'It did not work.', statusCode: status }),
  },
})
