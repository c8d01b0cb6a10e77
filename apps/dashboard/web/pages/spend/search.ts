import { oneOf, type SearchFields, type SearchOf, text } from '../../view/search.ts'

export const METRICS = ['spend', 'requests', 'tokens', 'failures'] as const
export type Metric = (typeof METRICS)[number]

/** Groupings that can be combined. */
export const DIMENSIONS = ['model', 'provider', 'key', 'project', 'environment', 'member', 'family'] as const
export type Dimension = (typeof DIMENSIONS)[number]

/** Groupings by values that callers send. They cannot be combined. */
export const CLAIMS = ['user', 'session', 'tag'] as const
export const SPLITS = [...DIMENSIONS, ...CLAIMS] as const
export type Split = (typeof SPLITS)[number]

/** Calendar month of a statement: `2026-11`. */
const month = (value: string): string | undefined => (/^\d{4}-(0[1-9]|1[0-2])$/.test(value) ? value : undefined)

/** Search parameters of the page: the chart's metric and number of series, groups, the table's search and order. */
export const SPEND_SEARCH = {
  metric: oneOf(METRICS),
  by: oneOf(SPLITS),
  /** Subgroup. */
  then: oneOf(DIMENSIONS),
  /** Name of the tag that groups. */
  tag: text,
  top: oneOf(['5', '10']),
  find: text,
  sort: text,
  statement: month,
} satisfies SearchFields

export type SpendSearch = SearchOf<typeof SPEND_SEARCH>

/** Grouping of an address. */
export interface SpendGrouping {
  /** As the API takes it; undefined = a tag without a name. */
  readonly by: string | undefined
  /** Dimensions of the names of its groups. */
  readonly splits: readonly Split[]
  /** True if sums can be filtered by project only. */
  readonly isClaim: boolean
}

export function groupingOf({ by = 'model', then, tag }: SpendSearch): SpendGrouping {
  if (by === 'tag') return { by: tag === undefined ? undefined : `tag:${tag}`, splits: [by], isClaim: true }
  if (by === 'user' || by === 'session') return { by, splits: [by], isClaim: true }
  const splits = then === undefined || then === by ? [by] : [by, then]
  return { by: splits.join(), splits, isClaim: false }
}
