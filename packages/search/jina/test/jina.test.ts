import { testSearchBackend } from '@headgate/conformance'
import { jina } from '../src/index.ts'

// Answers as the README of https://github.com/jina-ai/reader has them.
testSearchBackend(jina, {
  config: { apiKey: 'wren.in.the.hedge' },
  credential: { header: 'authorization', value: 'Bearer wren.in.the.hedge' },
  upstream: {
    path: '/',
    method: 'GET',
    read: ({ query }) => ({ q: query.get('q'), limit: Number(query.get('num') ?? 10) }),
    write: (results) => ({
      code: 200,
      status: 20000,
      data: results.map(({ url, title, text, date }) => ({
        title,
        url,
        description: text,
        date,
        content: '',
        usage: { tokens: 1000 },
      })),
      meta: { usage: { tokens: 10000 } },
    }),
    supports: {
      gl: ['de', ({ query }) => query.get('gl') === 'de'],
      hl: ['pt-BR', ({ query, headers }) => query.get('hl') === 'pt-br' && headers['x-respond-with'] === 'no-content'],
    },
    maxLimit: 20,
    error: (status) => ({
      data: null,
      code: status,
      name: 'ParamValidationError',
      status: status * 100 + 1,
      message: 'It did not work.',
    }),
  },
})
