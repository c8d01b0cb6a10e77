import { testSearchBackend } from '@headgate/conformance'
import { brave } from '../src/index.ts'

// Answers as in https://api-dashboard.search.brave.com/api-reference/web/search/get
testSearchBackend(brave, {
  config: { apiKey: 'kestrel.over.the.fjord' },
  credential: { header: 'x-subscription-token', value: 'kestrel.over.the.fjord' },
  upstream: {
    path: '/res/v1/web/search',
    method: 'GET',
    read: ({ query }) => ({
      q: query.get('q'),
      limit: Number(query.get('count') ?? 20),
      page: Number(query.get('offset') ?? 0),
    }),
    write: (results, { more, query }) => ({
      type: 'search',
      query: { original: query, more_results_available: more },
      web: {
        type: 'search',
        results: results.map(({ url, title, text, date, thumbnail }) => ({
          title,
          url,
          description: text,
          page_age: date.slice(0, 19),
          thumbnail: { src: thumbnail },
        })),
      },
    }),
    supports: {
      gl: ['de', ({ query }) => query.get('country') === 'DE'],
      lr: ['lang_ja', ({ query }) => query.get('search_lang') === 'jp'],
      safe: ['active', ({ query }) => query.get('safesearch') === 'strict'],
      dateRestrict: ['w1', ({ query }) => query.get('freshness') === 'pw'],
    },
    maxLimit: 20,
    error: (status) => ({
      type: 'ErrorResponse',
      error: { id: 'e1', status, code: 'INVALID', detail: 'It did not work.' },
    }),
  },
})
