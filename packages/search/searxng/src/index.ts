import {
  baseUrl,
  defineSearchBackend,
  field,
  getQuery,
  type Json,
  type RawItem,
  readItems,
  text,
} from '@headgate/core/search'
import { z } from 'zod'

/** Time ranges in days, the shortest first. */
const SPANS = Object.entries({ day: 1, week: 7, month: 31, year: 366 })
const DAYS = { d: 1, w: 7, m: 31, y: 366 } as const

function readPage({ url, title, content, publishedDate, thumbnail, img_src }: Json): RawItem {
  return {
    link: url,
    title,
    snippet: content,
    published: publishedDate,
    thumbnail: text(thumbnail) || text(img_src) || undefined,
  }
}

function readImage({ url, title, content, img_src, thumbnail_src }: Json): RawItem {
  const image = { contextLink: url, thumbnailLink: thumbnail_src }
  return { link: img_src, title, snippet: content, thumbnail: thumbnail_src, image }
}

/**
 * SearXNG: a self-hosted instance that queries other search engines.
 *
 * Page sizes depend on the engines; the list ends with an empty page. An instance returns JSON only if its settings
 * enable the format, and a 403 otherwise.
 *
 * @see https://docs.searxng.org/dev/search_api.html
 */
export const searxng = defineSearchBackend(
  { id: 'searxng', title: 'SearXNG', config: z.strictObject({ baseUrl }), env: { baseUrl: ['SEARXNG_BASE_URL'] } },
  ({ baseUrl }) => ({
    baseUrl,
    credential: { kind: 'none' },
    paging: { by: 'page' },
    supports: ['lr', 'dateRestrict', 'safe', 'searchType'],
    operators: ['siteSearch'],
    changes: ({ dateRestrict }) => (dateRestrict && dateRestrict.count > 1 ? ['dateRestrict'] : []),
    price: { id: 'searxng-own', calls: 0 },
    search: {
      request: ({ q, page, lr, dateRestrict, safe, searchType }) =>
        getQuery('/search', {
          q,
          format: 'json',
          pageno: page + 1,
          categories: searchType && 'images',
          language: lr?.replace(/^\w+/, (language) => language.toLowerCase()),
          time_range:
            dateRestrict && SPANS.find(([, days]) => days >= DAYS[dateRestrict.unit] * dateRestrict.count)?.[0],
          safesearch: safe === undefined ? undefined : safe ? 2 : 0,
        }),
      response({ body }, { searchType }) {
        const corrections = field(body, 'corrections')
        return {
          items: readItems(field(body, 'results'), searchType ? readImage : readPage),
          correction: Array.isArray(corrections) ? text(corrections[0]) : undefined,
        }
      },
    },
    readError: ({ status }) =>
      status === 403
        ? {
            kind: 'our-credential',
            message: 'The SearXNG instance rejects JSON: enable `json` under search.formats in its settings.yml.',
          }
        : undefined,
  }),
)
