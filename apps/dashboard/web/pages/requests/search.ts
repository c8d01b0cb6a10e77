import { type SearchFields, type SearchOf, text, wholeNumber } from '../../view/search.ts'

/** Filters of the list, named as in the API. */
export const FILTERS = {
  model: text,
  provider: text,
  endpoint: text,
  key: text,
  member: text,
  family: text,
  status: wholeNumber(0, 999),
  failure: text,
  tag: text,
} satisfies SearchFields

export type RequestFilters = SearchOf<typeof FILTERS>
export type FilterName = keyof typeof FILTERS

export const FILTER_NAMES = Object.keys(FILTERS) as readonly FilterName[]

/** Search parameters of the page: the filters and the open row. */
export const REQUESTS_SEARCH = { ...FILTERS, row: text } satisfies SearchFields

export type RequestsSearch = SearchOf<typeof REQUESTS_SEARCH>
