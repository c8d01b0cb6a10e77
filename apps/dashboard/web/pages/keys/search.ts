import { type Fields, flag, oneOf, type SearchOf, text } from '../../view/search.ts'

/** What the address of the page says beside what all pages share. */
export const KEYS_SEARCH = { row: text, sort: text, state: oneOf(['all', 'stopped']), make: flag } satisfies Fields

export type KeysSearch = SearchOf<typeof KEYS_SEARCH>
