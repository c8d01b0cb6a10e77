import { oneOf, type SearchFields, type SearchOf } from '../../view/search.ts'

export const METRICS = ['spend', 'requests', 'tokens', 'failures'] as const
export type Metric = (typeof METRICS)[number]

export const SPLITS = ['model', 'provider', 'key', 'project', 'environment', 'member', 'family'] as const
export type Split = (typeof SPLITS)[number]

/** Search parameters of the page: the metric of the chart, and the grouping. */
export const OVERVIEW_SEARCH = { metric: oneOf(METRICS), by: oneOf(SPLITS) } satisfies SearchFields

export type OverviewSearch = SearchOf<typeof OVERVIEW_SEARCH>
