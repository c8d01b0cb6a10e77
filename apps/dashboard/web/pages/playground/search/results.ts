import { isRecord, listOf, textOf } from '../wire/call.ts'

export interface WebResult {
  readonly title: string
  readonly link: string
  readonly shown: string
  readonly snippet: string
}

export interface ResultPage {
  readonly items: readonly WebResult[]
  /** Estimated number of results, from the backend. */
  readonly total: string
  readonly next: number | undefined
  readonly previous: number | undefined
}

/** Results of a Custom Search response. */
export function resultsOf(answer: unknown): ResultPage {
  const body = isRecord(answer) ? answer : {}
  const information = isRecord(body['searchInformation']) ? body['searchInformation'] : {}
  const queries = isRecord(body['queries']) ? body['queries'] : {}
  return {
    items: listOf(body['items']).flatMap((item) => (isRecord(item) ? [resultOf(item)] : [])),
    total: textOf(information['formattedTotalResults']) || textOf(information['totalResults']),
    next: startOf(queries['nextPage']),
    previous: startOf(queries['previousPage']),
  }
}

function resultOf(item: Readonly<Record<string, unknown>>): WebResult {
  return {
    title: textOf(item['title']),
    link: textOf(item['link']),
    shown: textOf(item['displayLink']),
    snippet: textOf(item['snippet']),
  }
}

function startOf(pages: unknown): number | undefined {
  const page = listOf(pages)[0]
  const start = isRecord(page) ? page['startIndex'] : undefined
  return typeof start === 'number' ? start : undefined
}

/** URL for a link; undefined if it is not an HTTP URL. */
export function webAddress(link: string): string | undefined {
  return /^https?:\/\//i.test(link) && URL.canParse(link) ? link : undefined
}
