import {
  defineSearchBackend,
  domains,
  endpoint,
  excerpt,
  field,
  getQuery,
  inexact,
  readItems,
  today,
  valueIn,
} from '@headgate/core/search'
import { z } from 'zod'

/** Allowed values of `country` and `language`. */
const COUNTRIES =
  'ar au at be br ca cl dk fi fr de hk in id it jp kr my mx nl nz no cn pl pt ph ru sa za es se ch tw tr gb us'
const LANGUAGES =
  'ar eu bn bg ca zh-hans zh-hant hr cs da nl en en-gb et fi fr gl de el gu he hi hu is it jp kn ko lv lt ms ml mr nb pl pt-br pt-pt pa ro ru sr sk sl es sv ta te th tr uk vi'
const NAMES = { ja: 'jp', no: 'nb', 'zh-cn': 'zh-hans', 'zh-sg': 'zh-hans', 'zh-hk': 'zh-hant', 'zh-tw': 'zh-hant' }
const KEYED = 'https://ydc-index.io'
const KEYLESS = 'https://api.you.com'
const RECENT = { d: 'day', w: 'week', m: 'month', y: 'year' } as const

const country = (gl: string | undefined) => valueIn(COUNTRIES, gl)
const language = (lr: string | undefined) => valueIn(LANGUAGES, lr, NAMES)

/**
 * You.com: web results, with or without a key; without one, another server allows about 100 searches a day.
 *
 * Up to 100 results have one price, so pages are parts of one request. News, a separate list, is ignored.
 *
 * @see https://you.com/docs/api-reference/search/v1-search
 * @see https://you.com/docs/guides/search/request-controls
 */
export const you = defineSearchBackend(
  {
    id: 'you',
    title: 'You.com',
    config: z.strictObject(endpoint(KEYED)).partial({ apiKey: true }),
    env: { apiKey: ['YOU_API_KEY', 'YDC_API_KEY'], baseUrl: ['YOU_BASE_URL'] },
    enable: 'asked',
  },
  ({ apiKey, baseUrl }) => ({
    baseUrl: apiKey || baseUrl !== KEYED ? baseUrl : KEYLESS,
    credential: apiKey ? { kind: 'header', name: 'x-api-key', value: apiKey } : { kind: 'none' },
    paging: { by: 'none', maxResults: 100 },
    supports: ['siteSearch', 'dateRestrict', 'gl', 'lr', 'safe'],
    operators: ['excludeTerms', 'orTerms', 'fileType'],
    changes: ({ gl, lr }) => inexact({ gl: country(gl), lr: language(lr) }),
    price: apiKey ? { id: 'you-2026-11', calls: 5_000_000_000_000 } : { id: 'you-keyless', calls: 0 },
    search: {
      request({ q, limit, siteSearch, dateRestrict, gl, lr, safe }) {
        const { include, exclude } = domains(siteSearch)
        return getQuery(apiKey ? '/v1/search' : '/v1/agents/search', {
          query: q,
          count: limit,
          include_domains: include?.join(','),
          exclude_domains: exclude?.join(','),
          freshness:
            dateRestrict &&
            (dateRestrict.count === 1 ? RECENT[dateRestrict.unit] : `${dateRestrict.since}to${today()}`),
          country: country(gl).value?.toUpperCase(),
          language: language(lr).value?.toUpperCase(),
          safesearch: safe === undefined ? undefined : safe ? 'strict' : 'off',
        })
      },
      response: ({ body }) => ({
        items: readItems(
          field(body, 'results', 'web'),
          ({ url, title, snippets, description, page_age, thumbnail_url }) => ({
            link: url,
            title,
            snippet: excerpt(Array.isArray(snippets) ? snippets[0] : undefined) || excerpt(description),
            published: page_age,
            thumbnail: thumbnail_url,
          }),
        ),
      }),
    },
  }),
)
