import { type Fields, type SearchOf, text } from '../../view/search.ts'

/** Where to go once somebody is signed in. */
export const SIGN_IN_SEARCH = { return: text } satisfies Fields

export type SignInSearch = SearchOf<typeof SIGN_IN_SEARCH>
