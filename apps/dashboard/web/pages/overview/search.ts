import { type Fields, oneOf, type SearchOf } from '../../view/search.ts'

export const METRICS = ['spend', 'requests', 'tokens', 'failures'] as const
export type Metric = (typeof METRICS)[number]

export const SPLITS = ['model', 'provider', 'key', 'project', 'environment', 'member', 'family'] as const
export type Split = (typeof SPLITS)[number]

/** What is drawn, and by what it is told apart. */
export const OVERVIEW_SEARCH = { metric: oneOf(METRICS), by: oneOf(SPLITS) } satisfies Fields

export type OverviewSearch = SearchOf<typeof OVERVIEW_SEARCH>
