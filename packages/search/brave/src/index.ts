import {
  defineSearchBackend,
  endpoint,
  endpointEnv,
  field,
  getQuery,
  inexact,
  readItems,
  text,
  today,
  valueIn,
} from '@headgate/core/search'
import { z } from 'zod'

/** Allowed values of `country` and `search_lang`; any other is a 422. */
const COUNTRIES =
  'ar au at be br ca cl dk fi fr de hk in id it jp kr my mx nl nz no cn pl pt ph ru sa za es se ch tw tr gb us'
const LANGUAGES =
  'ar eu bn bg ca zh-hans zh-hant hr cs da nl en en-gb et fi fr gl de gu he hi hu is it jp kn ko lv lt ms ml mr nb pl pt-br pt-pt pa ro ru sr sk sl es sv ta te th tr uk vi'
const NAMES = { ja: 'jp', no: 'nb', 'zh-cn': 'zh-hans', 'zh-sg': 'zh-hans', 'zh-hk': 'zh-hant', 'zh-tw': 'zh-hant' }

const country = (gl: string | undefined) => valueIn(COUNTRIES, gl)
const language = (lr: string | undefined) => valueIn(LANGUAGES, lr, NAMES)

/**
 * Brave Search, with its own index.
 *
 * It has ten pages of up to 20 results. An unsupported country is sent as `ALL`.
 *
 * @see https://api-dashboard.search.brave.com/api-reference/web/search/get
 * @see https://api-dashboard.search.brave.com/documentation/resources/search-operators
 */
export const brave = defineSearchBackend(
  {
    id: 'brave',
    title: 'Brave Search',
    config: z.strictObject(endpoint('https://api.search.brave.com')),
    env: endpointEnv('brave'),
  },
  ({ apiKey, baseUrl }) => ({
    baseUrl,
    credential: { kind: 'header', name: 'x-subscription-token', value: apiKey },
    paging: { by: 'page', perCall: 20, maxResults: 200 },
    supports: ['dateRestrict', 'gl', 'lr', 'safe'],
    operators: ['siteSearch', 'exactTerms', 'excludeTerms', 'orTerms', 'fileType'],
    changes: ({ gl, lr }) => inexact({ gl: country(gl), lr: language(lr) }),
    markup: true,
    price: { id: 'brave-2026-11', calls: 5_000_000_000_000 },
    search: {
      request: ({ q, limit, page, gl, lr, safe, dateRestrict }) =>
        getQuery('/res/v1/web/search', {
          q,
          count: limit,
          offset: page,
          country: country(gl).exact ? gl?.toUpperCase() : 'ALL',
          search_lang: language(lr).value,
          safesearch: safe === undefined ? undefined : safe ? 'strict' : 'off',
          freshness:
            dateRestrict && (dateRestrict.count === 1 ? `p${dateRestrict.unit}` : `${dateRestrict.since}to${today()}`),
          result_filter: 'web,query',
        }),
      response({ body }) {
        const more = field(body, 'query', 'more_results_available')
        return {
          items: readItems(field(body, 'web', 'results'), ({ url, title, description, page_age, thumbnail }) => ({
            link: url,
            title,
            snippet: description,
            published: page_age,
            thumbnail: field(thumbnail, 'src'),
          })),
          more: typeof more === 'boolean' ? more : undefined,
          correction: text(field(body, 'query', 'altered')),
        }
      },
    },
  }),
)
