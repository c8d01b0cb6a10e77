import {
  defineSearchBackend,
  endpoint,
  endpointEnv,
  field,
  getQuery,
  type Json,
  object,
  objects,
  readItems,
  text,
} from '@headgate/core/search'
import { z } from 'zod'

/** Page map as lists of objects with string values; other values are dropped. */
function pagemapOf(pagemap: unknown): Json {
  const groups = Object.entries(object(pagemap) ?? {}).map(([name, list]): [string, Json[]] => {
    const texts = objects(list).map((entry) =>
      Object.fromEntries(Object.entries(entry).filter(([, value]) => text(value) !== undefined)),
    )
    return [name, texts.filter((entry) => Object.keys(entry).length > 0)]
  })
  return Object.fromEntries(groups.filter(([, list]) => list.length > 0))
}

/** Members of an item that are kept from Google's response. Core creates `htmlTitle` and the other HTML members. */
function kept({ pagemap, labels, image, fileFormat, cacheId }: Json): Json {
  return {
    ...(object(pagemap) && { pagemap: pagemapOf(pagemap) }),
    ...(objects(labels).length > 0 && { labels: objects(labels) }),
    ...(object(image) && { image }),
    ...(text(fileFormat) && { fileFormat }),
    ...(text(cacheId) && { cacheId }),
  }
}

/**
 * Google's Custom Search JSON API, or a compatible service behind another base URL.
 *
 * All parameters are forwarded unchanged. Google ends the service on 2027-01-01 and accepts no new customers.
 *
 * @see https://developers.google.com/custom-search/v1/reference/rest/v1/cse/list
 * @see https://developers.google.com/custom-search/v1/overview
 */
export const googleCse = defineSearchBackend(
  {
    id: 'google-cse',
    title: 'Google Custom Search (until 2027-01-01)',
    config: z.strictObject({ ...endpoint('https://customsearch.googleapis.com'), cx: z.string().trim().min(1) }),
    env: { ...endpointEnv('google-cse'), cx: ['GOOGLE_CSE_CX'] },
  },
  ({ apiKey, cx, baseUrl }) => ({
    baseUrl,
    credential: { kind: 'header', name: 'x-goog-api-key', value: apiKey },
    paging: { by: 'offset', perCall: 10, maxResults: 100 },
    supports: 'all',
    operators: 'all',
    price: { id: 'google-cse-2026-11', calls: 5_000_000_000_000 },
    search: {
      request: ({ q, limit, offset, parameters }) =>
        getQuery('/customsearch/v1', { ...parameters, q, cx, num: limit, start: offset + 1 }),
      response({ body }) {
        const total = text(field(body, 'searchInformation', 'totalResults'))
        const promotions = objects(field(body, 'promotions'))
        return {
          items: readItems(field(body, 'items'), ({ link, title, snippet, mime, ...rest }) => ({
            link,
            title,
            snippet,
            mime,
            fields: kept(rest),
          })),
          total: total !== undefined && /^\d+$/.test(total) ? Number(total) : undefined,
          more: objects(field(body, 'queries', 'nextPage')).length > 0,
          correction: text(field(body, 'spelling', 'correctedQuery')),
          ...(promotions.length > 0 && { fields: { promotions } }),
        }
      },
    },
  }),
)
