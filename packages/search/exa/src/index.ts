import {
  defineSearchBackend,
  domains,
  endpoint,
  endpointEnv,
  excerpt,
  field,
  number,
  postJson,
  readItems,
} from '@headgate/core/search'
import { z } from 'zod'

/** Maximum length of a phrase in words. Exa accepts one phrase. */
const MOST_WORDS = 5

const wordsOf = (phrase: string): readonly string[] => phrase.trim().split(/\s+/)
const cut = (phrase: string | undefined) =>
  phrase === undefined ? undefined : [wordsOf(phrase).slice(0, MOST_WORDS).join(' ')]

/**
 * Exa: semantic search, with its own index.
 *
 * Requests include `highlights`, which are free of charge. Every response contains its cost.
 *
 * @see https://exa.ai/docs/reference/search
 */
export const exa = defineSearchBackend(
  { id: 'exa', title: 'Exa', config: z.strictObject(endpoint('https://api.exa.ai')), env: endpointEnv('exa') },
  ({ apiKey, baseUrl }) => ({
    baseUrl,
    credential: { kind: 'header', name: 'x-api-key', value: apiKey },
    paging: { by: 'none', maxResults: 100 },
    supports: ['siteSearch', 'dateRestrict', 'gl', 'safe', 'exactTerms', 'excludeTerms'],
    changes: (query) =>
      (['exactTerms', 'excludeTerms'] as const).filter((name) => wordsOf(query[name] ?? '').length > MOST_WORDS),
    search: {
      request({ q, limit, siteSearch, dateRestrict, gl, safe, exactTerms, excludeTerms }) {
        const { include, exclude } = domains(siteSearch)
        return postJson('/search', {
          query: q,
          numResults: limit,
          contents: { highlights: true },
          includeDomains: include,
          excludeDomains: exclude,
          startPublishedDate: dateRestrict && `${dateRestrict.since}T00:00:00.000Z`,
          userLocation: gl?.toUpperCase(),
          moderation: safe,
          includeText: cut(exactTerms),
          excludeText: cut(excludeTerms),
        })
      },
      response({ body }) {
        const dollars = number(field(body, 'costDollars', 'total'))
        return {
          items: readItems(field(body, 'results'), ({ url, title, highlights, publishedDate, image }) => ({
            link: url,
            title,
            snippet: excerpt(Array.isArray(highlights) ? highlights[0] : undefined),
            published: publishedDate,
            thumbnail: image,
          })),
          cost: dollars === undefined || dollars < 0 ? undefined : Math.round(dollars * 1e9),
        }
      },
    },
  }),
)
