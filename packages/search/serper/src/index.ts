import {
  defineSearchBackend,
  endpoint,
  endpointEnv,
  field,
  type Json,
  postJson,
  type RawItem,
  readItems,
} from '@headgate/core/search'
import { z } from 'zod'

function readPage({ link, title, snippet, date }: Json): RawItem {
  return { link, title, snippet, published: date }
}

function readImage({
  imageUrl,
  title,
  source,
  link,
  imageWidth,
  imageHeight,
  thumbnailUrl,
  thumbnailWidth,
  thumbnailHeight,
}: Json): RawItem {
  const thumbnail = { thumbnailLink: thumbnailUrl, thumbnailWidth, thumbnailHeight }
  const image = { contextLink: link, width: imageWidth, height: imageHeight, ...thumbnail }
  return { link: imageUrl, title, snippet: source, thumbnail: thumbnailUrl, image }
}

/**
 * Serper: Google results through a third party.
 *
 * A page has up to ten results, often fewer, so a short page is not the last one; an empty page is.
 *
 * @see https://serper.dev/playground
 */
export const serper = defineSearchBackend(
  {
    id: 'serper',
    title: 'Serper',
    config: z.strictObject(endpoint('https://google.serper.dev')),
    env: endpointEnv('serper'),
  },
  ({ apiKey, baseUrl }) => ({
    baseUrl,
    credential: { kind: 'header', name: 'x-api-key', value: apiKey },
    paging: { by: 'page', perCall: 10, maxResults: 100 },
    supports: ['dateRestrict', 'gl', 'hl', 'searchType'],
    operators: 'all',
    // Serper does not document Google's notation for several days or months.
    changes: ({ dateRestrict }) => (dateRestrict && dateRestrict.count > 1 ? ['dateRestrict'] : []),
    price: { id: 'serper-2026-11', calls: 1_000_000_000_000 },
    search: {
      request: ({ q, limit, page, gl, hl, dateRestrict, searchType }) => {
        const tbs = dateRestrict && `qdr:${dateRestrict.unit}${dateRestrict.count > 1 ? dateRestrict.count : ''}`
        return postJson(searchType ? '/images' : '/search', {
          q,
          num: limit,
          page: page + 1,
          gl,
          hl: hl?.toLowerCase(),
          tbs,
        })
      },
      response({ body }, { searchType }) {
        const items = searchType
          ? readItems(field(body, 'images'), readImage)
          : readItems(field(body, 'organic'), readPage)
        return { items, more: items.length > 0 }
      },
    },
  }),
)
