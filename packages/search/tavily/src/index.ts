import {
  bearer,
  defineSearchBackend,
  domains,
  endpoint,
  endpointEnv,
  excerpt,
  field,
  number,
  postJson,
  readItems,
  text,
} from '@headgate/core/search'
import { z } from 'zod'
import { countryName } from './countries.ts'

/**
 * Tavily: search for agents, with or without a key.
 *
 * Results are passages of a page. An exact phrase is quoted within the query, with the flag that enables quotes.
 *
 * @see https://docs.tavily.com/documentation/api-reference/endpoint/search
 * @see https://docs.tavily.com/documentation/keyless
 */
export const tavily = defineSearchBackend(
  {
    id: 'tavily',
    title: 'Tavily',
    config: z.strictObject(endpoint('https://api.tavily.com')).partial({ apiKey: true }),
    env: endpointEnv('tavily'),
    enable: 'asked',
  },
  ({ apiKey, baseUrl }) => ({
    baseUrl,
    credential: apiKey ? bearer(apiKey) : { kind: 'none' },
    paging: { by: 'none', maxResults: 20 },
    supports: ['siteSearch', 'dateRestrict', 'gl', 'exactTerms'],
    changes: ({ gl }) => (gl === undefined || countryName(gl) ? [] : ['gl']),
    price: apiKey ? { id: 'tavily-2026-11', calls: 8_000_000_000_000 } : { id: 'tavily-keyless', calls: 0 },
    search: {
      request({ q, limit, siteSearch, dateRestrict, gl, exactTerms }) {
        const { include, exclude } = domains(siteSearch)
        const query = {
          query: exactTerms === undefined ? q : `${q} "${exactTerms.replaceAll('"', ' ').trim()}"`,
          exact_match: exactTerms === undefined ? undefined : true,
          max_results: limit,
          include_domains: include,
          exclude_domains: exclude,
          start_date: dateRestrict?.since,
          country: gl && countryName(gl),
        }
        return postJson('/search', query, apiKey ? {} : { 'x-tavily-access-mode': 'keyless' })
      },
      response: ({ body }) => ({
        items: readItems(field(body, 'results'), ({ url, title, content, published_date }) => ({
          link: url,
          title,
          snippet: excerpt(content),
          published: published_date,
        })),
      }),
    },
    readError({ status, body }) {
      if (status === 432 || status === 433)
        return { kind: 'our-quota', message: text(field(body, 'detail', 'error')) ?? '' }
      const seconds = number(field(body, 'error', 'retry_after_seconds'))
      if (status < 400 || seconds === undefined || seconds < 0) return undefined
      return {
        kind: 'rate-limited',
        message: text(field(body, 'error', 'message')) ?? '',
        retryAfterMs: seconds * 1000,
      }
    },
  }),
)
