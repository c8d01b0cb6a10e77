import { testSearchBackend } from '@headgate/conformance'
import { kagi } from '../src/index.ts'

const lens = (body: unknown): string => JSON.stringify(Object(body)['lens'])

// Answers as in https://kagi.redocly.app/openapi
testSearchBackend(kagi, {
  config: { apiKey: 'badger.below.the.beech' },
  credential: { header: 'authorization', value: 'Bearer badger.below.the.beech' },
  upstream: {
    path: '/api/v1/search',
    method: 'POST',
    read: ({ body }) => ({ q: body?.['query'], limit: body?.['limit'], page: Number(body?.['page'] ?? 1) - 1 }),
    write: (results) => ({
      meta: { trace: 't-1', ms: 200 },
      data: {
        search: results.map(({ url, title, text, date, thumbnail }) => ({
          url,
          title,
          snippet: text,
          time: date,
          image: { url: thumbnail },
        })),
      },
    }),
    supports: {
      siteSearch: ['example.org', ({ body }) => lens(body) === '{"sites_included":["example.org"]}'],
      siteSearchFilter: ['e', ({ body }) => lens(body) === '{"sites_excluded":["example.org"]}'],
      fileType: ['pdf', ({ body }) => lens(body) === '{"file_type":"pdf"}'],
      gl: ['de', ({ body }) => JSON.stringify(body?.['filters']) === '{"region":"DE"}'],
      safe: ['active', ({ body }) => body?.['safe_search'] === true],
    },
    error: (status) => ({
      meta: {},
      data: null,
      error: [{ code: `kagi.${status}`, url: 'https://help.kagi.com', message: 'It did not work.' }],
    }),
  },
})
