import { type SearchFields, type SearchOf, text } from '../../view/search.ts'

/** Search parameters of the page: the address to open after sign-in. */
export const SIGN_IN_SEARCH = { return: text } satisfies SearchFields

export type SignInSearch = SearchOf<typeof SIGN_IN_SEARCH>
