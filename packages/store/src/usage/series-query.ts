import type { UsageFilters } from './filters.ts'

/** Dimension by which usage can be grouped. */
export type UsageDimension = 'model' | 'provider' | 'key' | 'project' | 'environment' | 'member' | 'family' | 'status'

/** Length of a period of a series. */
export type SeriesStep = 'minute' | 'hour' | 'day'

/** Filters that roll-ups support. */
export type SeriesFilters = Omit<UsageFilters, 'endpoint' | 'failure' | 'tag'>

export interface SeriesQuery {
  /** Start in Unix milliseconds. Its whole hour or day counts. */
  readonly from: number
  /** End in Unix milliseconds, exclusive: an hour or day that begins then does not count. */
  readonly to: number
  /** Grouping: one or two dimensions, or the values of one tag, for requests that have it. */
  readonly by: UsageDimension | readonly UsageDimension[] | { readonly tag: string }
  /** Length of a period. Minutes are summed from rows: use them for short ranges. They do not support tags. */
  readonly step: SeriesStep
  /** Filters; with a tag only `project`. */
  readonly filters?: SeriesFilters | undefined
  /**
   * Number of groups with the highest charges to return. All others, and usage of unknown owners, are one group.
   * Default: all groups.
   */
  readonly top?: number | undefined
  /** Time zone of daily sums; default `UTC`. */
  readonly zone?: string
}
