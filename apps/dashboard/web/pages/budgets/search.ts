import { flag, type SearchFields, type SearchOf, text } from '../../view/search.ts'

/** Search parameters of the page. */
export const BUDGETS_SEARCH = { row: text, make: flag } satisfies SearchFields

export type BudgetsSearch = SearchOf<typeof BUDGETS_SEARCH>
