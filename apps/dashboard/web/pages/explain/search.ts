import { oneOf, type SearchFields, type SearchOf } from '../../view/search.ts'

/** Groupings of lost fields. */
export const LOSS_GROUPS = ['field', 'client'] as const
export type LossGroup = (typeof LOSS_GROUPS)[number]

/** Search parameters of the page: the grouping of lost fields. */
export const EXPLAIN_SEARCH = { losses: oneOf(LOSS_GROUPS) } satisfies SearchFields

export type ExplainSearch = SearchOf<typeof EXPLAIN_SEARCH>
