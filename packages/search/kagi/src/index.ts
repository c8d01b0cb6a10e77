import {
  bearer,
  defineSearchBackend,
  domains,
  endpoint,
  endpointEnv,
  field,
  postJson,
  readItems,
} from '@headgate/core/search'
import { z } from 'zod'

/** Number of pages. */
const PAGES = 10

/**
 * Kagi: search, version 1 of the API.
 *
 * `limit` truncates a page, and the next page begins after the removed results: it is not sent.
 *
 * @see https://help.kagi.com/kagi/api/search.html
 * @see https://kagi.redocly.app/openapi
 */
export const kagi = defineSearchBackend(
  { id: 'kagi', title: 'Kagi', config: z.strictObject(endpoint('https://kagi.com/api/v1')), env: endpointEnv('kagi') },
  ({ apiKey, baseUrl }) => ({
    baseUrl,
    credential: bearer(apiKey),
    paging: { by: 'page' },
    supports: ['siteSearch', 'dateRestrict', 'gl', 'safe', 'fileType'],
    operators: ['exactTerms', 'excludeTerms', 'orTerms'],
    markup: true,
    price: { id: 'kagi-2026-11', calls: 12_000_000_000_000 },
    search: {
      request({ q, page, siteSearch, dateRestrict, gl, safe, fileType }) {
        const { include, exclude } = domains(siteSearch)
        return postJson('/search', {
          query: q,
          workflow: 'search',
          page: page + 1,
          lens: { sites_included: include, sites_excluded: exclude, file_type: fileType },
          filters: { region: gl?.toUpperCase(), after: dateRestrict?.since },
          safe_search: safe,
        })
      },
      response({ body }, { page }) {
        const items = readItems(field(body, 'data', 'search'), ({ url, title, snippet, time, image }) => ({
          link: url,
          title,
          snippet,
          published: time,
          thumbnail: field(image, 'url'),
        }))
        return { items, more: items.length > 0 && page + 1 < PAGES }
      },
    },
  }),
)
