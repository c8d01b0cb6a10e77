import { oneOf, type SearchFields, type SearchOf, text, wholeNumber } from '../../view/search.ts'
import { canonicalList } from './filters.ts'

const list = canonicalList
/** Amount in dollars, as the API takes it. */
const dollars = (value: string): string | undefined => (/^\d{1,9}(?:\.\d{1,9})?$/.test(value) ? value : undefined)
const most = wholeNumber(0, 999_999_999_999)

/** Filters with several values, named as in the API: `model=a,b` includes both, `model=!a,b` excludes both. */
export const LISTS = {
  model: list,
  provider: list,
  endpoint: list,
  key: list,
  member: list,
  family: list,
  status: list,
  failure: list,
  outcome: list,
  why: list,
  user: list,
  session: list,
} satisfies SearchFields

/** Bounds of amounts, both included. */
export const BOUNDS = {
  minCost: dollars,
  maxCost: dollars,
  minMs: most,
  maxMs: most,
  minTokens: most,
  maxTokens: most,
} satisfies SearchFields

/** Filters of the list, named as in the API. */
export const FILTERS = { ...LISTS, ...BOUNDS, tag: text, stream: oneOf(['true', 'false']) } satisfies SearchFields

export type RequestFilters = SearchOf<typeof FILTERS>
export type FilterName = keyof typeof FILTERS
export type ListName = keyof typeof LISTS

export const FILTER_NAMES = Object.keys(FILTERS) as readonly FilterName[]

/** Orders of the list other than newest first, from the greatest. */
export const SORTS = ['cost', 'duration', 'tokens'] as const
export type RequestSort = (typeof SORTS)[number]

/** Search parameters of the page: filters, order, columns, tab and the open row. */
export const REQUESTS_SEARCH = {
  ...FILTERS,
  sort: oneOf(SORTS),
  columns: text,
  tab: oneOf(['errors', 'sessions']),
  /** Grouping of errors; absent = by provider. */
  by: oneOf(['key']),
  row: text,
} satisfies SearchFields

export type RequestsSearch = SearchOf<typeof REQUESTS_SEARCH>

/** Filters of an address. */
export function filtersOf(search: RequestsSearch): RequestFilters {
  return Object.fromEntries(FILTER_NAMES.map((name) => [name, search[name]]))
}

/** Change that removes all filters. */
export const NO_FILTERS: RequestFilters = Object.fromEntries(FILTER_NAMES.map((name) => [name, undefined]))
