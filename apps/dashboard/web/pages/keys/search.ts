import { flag, oneOf, type SearchFields, type SearchOf, text } from '../../view/search.ts'

/** Search parameters of the page. */
export const KEYS_SEARCH = {
  row: text,
  sort: text,
  state: oneOf(['all', 'stopped']),
  make: flag,
} satisfies SearchFields

export type KeysSearch = SearchOf<typeof KEYS_SEARCH>
