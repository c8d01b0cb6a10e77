import { type Fields, flag, type SearchOf, text } from '../../view/search.ts'

/** What the address of the page says beside what all pages share. */
export const BUDGETS_SEARCH = { row: text, make: flag } satisfies Fields

export type BudgetsSearch = SearchOf<typeof BUDGETS_SEARCH>
