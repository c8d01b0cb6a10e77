import { isRecord, listOf, textOf } from '../wire/call.ts'

export interface Result {
  readonly title: string
  readonly link: string
  readonly shown: string
  readonly snippet: string
}

export interface Results {
  readonly items: readonly Result[]
  /** About how many there are, as the backend says. */
  readonly total: string
  readonly next: number | undefined
  readonly previous: number | undefined
}

/** Results of a search in the shape of Custom Search. */
export function resultsOf(answer: unknown): Results {
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

function resultOf(item: Readonly<Record<string, unknown>>): Result {
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

/** An address that a link may lead to; what is no page of the web is text. */
export function webAddress(link: string): string | undefined {
  return /^https?:\/\//i.test(link) && URL.canParse(link) ? link : undefined
}
