import { testSearchBackend } from '@headgate/conformance'
import { tavily } from '../src/index.ts'

// Answers as in https://docs.tavily.com/documentation/api-reference/endpoint/search
testSearchBackend(tavily, {
  config: { apiKey: 'otter.in.the.reeds' },
  credential: { header: 'authorization', value: 'Bearer otter.in.the.reeds' },
  keyless: {},
  keylessHeaders: { 'x-tavily-access-mode': 'keyless' },
  upstream: {
    path: '/search',
    method: 'POST',
    read: ({ body }) => ({ q: body?.['query'], limit: body?.['max_results'] ?? 5 }),
    write: (results, { query }) => ({
      query,
      images: [],
      results: results.map(({ url, title, text, date }) => ({
        title,
        url,
        content: text,
        score: 0.9,
        published_date: date,
      })),
      response_time: 1.1,
      request_id: 'r-1',
    }),
    supports: {
      siteSearch: ['example.org', ({ body }) => String(body?.['include_domains']) === 'example.org'],
      siteSearchFilter: ['e', ({ body }) => String(body?.['exclude_domains']) === 'example.org'],
      gl: ['cz', ({ body }) => body?.['country'] === 'czech republic'],
      exactTerms: [
        'blue harbour',
        ({ body }) => body?.['query'] === 'gateways "blue harbour"' && body['exact_match'] === true,
      ],
      dateRestrict: ['d3', ({ body }) => /^\d{4}-\d\d-\d\d$/.test(String(body?.['start_date']))],
    },
    maxLimit: 20,
    error: () => ({ detail: { error: 'It did not work.' } }),
    failures: [
      {
        name: 'the limit of the plan',
        kind: 'our-quota',
        reply: { kind: 'whole', status: 432, body: { detail: { error: 'Plan limit.' } } },
      },
      {
        name: 'the limit of pay as you go',
        kind: 'our-quota',
        reply: { kind: 'whole', status: 433, body: { detail: { error: 'Limit.' } } },
      },
    ],
  },
})
