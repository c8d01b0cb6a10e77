import { type SearchFields, type SearchOf, text } from '../../view/search.ts'

/** Search parameters of the page: the model of the snippets. */
export const START_SEARCH = { model: text } satisfies SearchFields

export type StartSearch = SearchOf<typeof START_SEARCH>
