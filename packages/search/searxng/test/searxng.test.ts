import { testSearchBackend } from '@headgate/conformance'
import { searxng } from '../src/index.ts'

// Answers as `get_json_response` of https://github.com/searxng/searxng writes them.
testSearchBackend(searxng, {
  config: { baseUrl: 'http://searxng.example.com:8888/sx' },
  upstream: {
    path: '/sx/search',
    method: 'GET',
    read: ({ query }) => ({
      q: query.get('format') === 'json' && query.get('q'),
      page: Number(query.get('pageno') ?? 1) - 1,
    }),
    write: (results, { query }) => ({
      query,
      results: results.map(({ url, title, text, date, thumbnail }) => ({
        url,
        title,
        content: text,
        publishedDate: date.slice(0, 19),
        thumbnail,
        engine: 'example',
        category: 'general',
      })),
      answers: [],
      corrections: [],
      suggestions: [],
      unresponsive_engines: [],
    }),
    supports: {
      lr: ['lang_zh-TW', ({ query }) => query.get('language') === 'zh-TW'],
      safe: ['active', ({ query }) => query.get('safesearch') === '2'],
      dateRestrict: ['d3', ({ query }) => query.get('time_range') === 'week'],
      searchType: ['image', ({ query }) => query.get('categories') === 'images'],
    },
    error: () => '<!doctype html><title>403 Forbidden</title><h1>Forbidden</h1>',
  },
})
