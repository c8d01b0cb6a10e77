import {
  bearer,
  defineSearchBackend,
  domains,
  endpoint,
  endpointEnv,
  excerpt,
  field,
  monthFirst,
  postJson,
  readItems,
} from '@headgate/core/search'
import { z } from 'zod'

/**
 * Perplexity's Search API: results without a generated answer.
 *
 * Its domain list either allows or denies. Languages have two letters, without a region.
 *
 * @see https://docs.perplexity.ai/api-reference/search-post
 * @see https://docs.perplexity.ai/guides/search-date-time-filters
 */
export const perplexity = defineSearchBackend(
  {
    id: 'perplexity',
    title: 'Perplexity Search',
    config: z.strictObject(endpoint('https://api.perplexity.ai')),
    env: { ...endpointEnv('perplexity'), baseUrl: ['PERPLEXITY_SEARCH_BASE_URL'] },
  },
  ({ apiKey, baseUrl }) => ({
    baseUrl,
    credential: bearer(apiKey),
    paging: { by: 'none', maxResults: 20 },
    supports: ['siteSearch', 'dateRestrict', 'gl', 'lr'],
    changes: ({ lr }) => (lr === undefined || lr.length === 2 ? [] : ['lr']),
    price: { id: 'perplexity-2026-11', calls: 5_000_000_000_000 },
    search: {
      request({ q, limit, siteSearch, dateRestrict, gl, lr }) {
        const { include, exclude } = domains(siteSearch)
        const language = lr?.toLowerCase().split('-')[0]
        return postJson('/search', {
          query: q,
          max_results: limit,
          // Shorter snippets: by default, they are as long as the pages' text.
          search_context_size: 'low',
          search_domain_filter: include ?? exclude?.map((host) => `-${host}`),
          search_after_date_filter: dateRestrict && monthFirst(dateRestrict.since),
          country: gl?.toUpperCase(),
          search_language_filter: language?.length === 2 ? [language] : undefined,
        })
      },
      response: ({ body }) => ({
        items: readItems(field(body, 'results'), ({ url, title, snippet, date, last_updated }) => ({
          link: url,
          title,
          snippet: excerpt(snippet),
          published: date ?? last_updated,
        })),
      }),
    },
  }),
)
