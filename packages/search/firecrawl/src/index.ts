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
  text,
  today,
} from '@headgate/core/search'
import { z } from 'zod'

/**
 * Firecrawl: web search, with or without a key.
 *
 * Only search is used; no page is scraped. It accepts domains to include or domains to exclude, not both.
 *
 * @see https://docs.firecrawl.dev/api-reference/endpoint/search
 * @see https://docs.firecrawl.dev/rate-limits#keyless-no-api-key
 */
export const firecrawl = defineSearchBackend(
  {
    id: 'firecrawl',
    title: 'Firecrawl',
    config: z.strictObject(endpoint('https://api.firecrawl.dev')).partial({ apiKey: true }),
    env: endpointEnv('firecrawl'),
    enable: 'asked',
  },
  ({ apiKey, baseUrl }) => ({
    baseUrl,
    credential: apiKey ? bearer(apiKey) : { kind: 'none' },
    paging: { by: 'none', maxResults: 100 },
    supports: ['siteSearch', 'dateRestrict', 'gl', 'safe', 'searchType'],
    operators: ['exactTerms', 'excludeTerms', 'fileType'],
    ...(!apiKey && { price: { id: 'firecrawl-keyless', calls: 0 } }),
    search: {
      request({ q, limit, siteSearch, dateRestrict, gl, safe, searchType }) {
        const { include, exclude } = domains(siteSearch)
        const range = dateRestrict && `cdr:1,cd_min:${monthFirst(dateRestrict.since)},cd_max:${monthFirst(today())}`
        return postJson('/v2/search', {
          query: q,
          limit,
          sources: [{ type: searchType ? 'images' : 'web' }],
          includeDomains: include,
          excludeDomains: exclude,
          tbs: dateRestrict?.count === 1 ? `qdr:${dateRestrict.unit}` : range,
          country: gl?.toUpperCase(),
          safe,
        })
      },
      response: ({ body }, { searchType }) => ({
        items: searchType
          ? readItems(field(body, 'data', 'images'), ({ imageUrl, title, url, imageWidth, imageHeight }) => ({
              link: imageUrl,
              title,
              image: { contextLink: url, width: imageWidth, height: imageHeight },
            }))
          : readItems(field(body, 'data', 'web'), ({ url, title, description }) => ({
              link: url,
              title,
              snippet: excerpt(description),
            })),
      }),
    },
    readError: ({ status, body }) =>
      status < 400 && field(body, 'success') === false
        ? { kind: 'upstream', message: text(field(body, 'error')) ?? '' }
        : undefined,
  }),
)
