import {
  bearer,
  defineSearchBackend,
  endpoint,
  endpointEnv,
  excerpt,
  field,
  getQuery,
  inexact,
  readItems,
  text,
  valueIn,
} from '@headgate/core/search'
import { z } from 'zod'

/** Allowed values of `hl`; any other is a 400. */
const LANGUAGES =
  'af sq am ar hy az eu be bn bs br bg km ca zh-cn zh-tw co hr cs da nl en eo et fo tl fi fr fy gl ka de el gn gu ht ha iw hi hu is ig id ia ga it ja jw kn kk rw rn ko ku ky lo la lv ln lt lg mk mg ms ml mt mi mr mn ne no nn oc or om ps fa pl pt pt-br pt-pt pa qu ro rm ru gd sr st tn sn sd si sk sl so es su sw sv tg ta tt te th ti to tr tk tw ug uk ur uz vi cy wo xh yi yo zu'
const NAMES = { fil: 'tl', he: 'iw', jv: 'jw', nb: 'no' }

const language = (hl: string | undefined) => valueIn(LANGUAGES, hl, NAMES)

/**
 * Jina's search: a list of results, without the content of pages.
 *
 * It returns up to 20 results. A page beyond the end is an error, so only the first page is requested.
 *
 * @see https://jina.ai/reader
 * @see https://github.com/jina-ai/reader
 */
export const jina = defineSearchBackend(
  {
    id: 'jina',
    title: 'Jina Search',
    config: z.strictObject(endpoint('https://s.jina.ai')),
    env: { ...endpointEnv('jina'), baseUrl: ['JINA_SEARCH_BASE_URL'] },
  },
  ({ apiKey, baseUrl }) => ({
    baseUrl,
    credential: bearer(apiKey),
    paging: { by: 'none', maxResults: 20 },
    supports: ['gl', 'hl'],
    operators: ['siteSearch', 'fileType'],
    changes: ({ hl }) => inexact({ hl: language(hl) }),
    search: {
      request: ({ q, limit, gl, hl }) =>
        getQuery('/', { q, num: limit, gl, hl: language(hl).value }, { 'x-respond-with': 'no-content' }),
      response: ({ body }) => ({
        items: readItems(field(body, 'data'), ({ url, title, description, content, date }) => ({
          link: url,
          title,
          snippet: excerpt(description) || excerpt(content),
          published: date,
        })),
      }),
    },
    readError: ({ status, body }) =>
      status === 422 && /no search results/i.test(text(field(body, 'message')) ?? '') ? false : undefined,
  }),
)
