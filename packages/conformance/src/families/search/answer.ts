import type { Json } from '@headgate/core/provider'
import { isObject, object, objects, text } from '../../json.ts'

/** Search result as a caller reads it. */
export interface FoundItem {
  readonly title: string
  readonly link: string
  readonly snippet: string
  readonly published: string
  readonly thumbnail: string
}

/** Response in the shape of the Custom Search JSON API, read without core's code. */
export interface SearchAnswer {
  readonly items: readonly FoundItem[]
  /** Number as a string, unparsed. */
  readonly total: string
  /** Index of the next page's first result. Undefined if there is no next page. */
  readonly next: number | undefined
  /** Problems of the shape, as messages. Empty for a valid response. */
  readonly problems: readonly string[]
  /** Fields added by core to `pagemap` with a value other than a string. A vendor's `pagemap` can contain any value. */
  readonly pagemapProblems: readonly string[]
}

/** Reads a response. */
export function readSearchAnswer(body: unknown): SearchAnswer {
  const answer = object(body)
  const items = objects(answer['items'])
  const { totalResults } = object(answer['searchInformation'])
  const { nextPage, request } = object(answer['queries'])
  const correction = object(answer['spelling'])['correctedQuery']
  const next = objects(nextPage)[0]?.['startIndex']
  return {
    items: items.map(itemOf),
    total: text(totalResults),
    next: typeof next === 'number' ? next : undefined,
    problems: [
      ...(answer['kind'] === 'customsearch#search' ? [] : ['`kind` is not "customsearch#search"']),
      ...(objects(request).length === 1 ? [] : ['`queries.request` is not one query']),
      ...(/^\d+$/.test(text(totalResults))
        ? []
        : [`\`searchInformation.totalResults\` is ${JSON.stringify(totalResults)}`]),
      ...(correction === undefined || text(correction)
        ? []
        : [`\`spelling.correctedQuery\` is ${JSON.stringify(correction)}`]),
      ...(Array.isArray(answer['items']) && items.length === 0 ? ['`items` is empty; it must be absent'] : []),
      ...items.flatMap(itemProblems),
    ],
    pagemapProblems: items.flatMap(pagemapProblems),
  }
}

const ITEM_TEXTS = [
  'title',
  'htmlTitle',
  'link',
  'displayLink',
  'snippet',
  'htmlSnippet',
  'formattedUrl',
  'htmlFormattedUrl',
]

function itemOf(item: unknown): FoundItem {
  const { title, link, snippet, pagemap } = object(item)
  const { metatags, cse_thumbnail } = object(pagemap)
  return {
    title: text(title),
    link: text(link),
    snippet: text(snippet),
    published: text(objects(metatags)[0]?.['article:published_time']),
    thumbnail: text(objects(cse_thumbnail)[0]?.['src']),
  }
}

function itemProblems(item: Json, index: number): string[] {
  const texts = ITEM_TEXTS.map((name): [string, unknown] => [name, item[name]])
  const { pagemap } = item
  const isPagemap = pagemap === undefined || isObject(pagemap)
  return [...textProblems(texts, index), ...(isPagemap ? [] : [`\`items[${index}].pagemap\` is not an object`])]
}

function pagemapProblems({ pagemap }: Json, index: number): string[] {
  const { metatags, cse_thumbnail } = object(pagemap)
  const texts = [...objects(metatags), ...objects(cse_thumbnail)].flatMap((one) => Object.entries(one))
  return textProblems(texts, index)
}

function textProblems(texts: readonly [string, unknown][], index: number): string[] {
  return texts
    .filter(([, value]) => typeof value !== 'string')
    .map(([name, value]) => `\`items[${index}]\`: ${name} is ${JSON.stringify(value)}, no text`)
}
