import { type Fields, type SearchOf, text } from '../../view/search.ts'

/** The model that is asked. */
export const START_SEARCH = { model: text } satisfies Fields

export type StartSearch = SearchOf<typeof START_SEARCH>
