import { type Fields, type SearchOf, text, wholeNumber } from '../../view/search.ts'

/** By what requests are found, as the API has it. */
export const FILTERS = {
  model: text,
  provider: text,
  key: text,
  member: text,
  family: text,
  status: wholeNumber(0, 999),
  failure: text,
  tag: text,
} satisfies Fields

export type Filters = SearchOf<typeof FILTERS>
export type FilterName = keyof typeof FILTERS

export const FILTER_NAMES = Object.keys(FILTERS) as readonly FilterName[]

/** What the address of the page says beside what all pages share: the filters, and the row that is open. */
export const REQUESTS_SEARCH = { ...FILTERS, row: text } satisfies Fields

export type RequestsSearch = SearchOf<typeof REQUESTS_SEARCH>
