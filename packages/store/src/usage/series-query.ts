import type { UsageFilters } from './filters.ts'

/** By what usage can be told apart. */
export type UsageDimension = 'model' | 'provider' | 'key' | 'project' | 'environment' | 'member' | 'family' | 'status'

/** Length of a period of a series. */
export type SeriesStep = 'minute' | 'hour' | 'day'

/** What roll-ups can be asked for by. */
export type SeriesFilters = Omit<UsageFilters, 'failure' | 'tag'>

export interface SeriesQuery {
  /** Unix milliseconds. The whole hour or day that it lies in counts. */
  readonly from: number
  /** Unix milliseconds: the hour or day that begins then, or later, does not count. */
  readonly to: number
  /** One or two dimensions, or the values of one tag: of requests that have it. */
  readonly by: UsageDimension | readonly UsageDimension[] | { readonly tag: string }
  /** Minutes are summed up from rows: for short ranges, and not by a tag. */
  readonly step: SeriesStep
  /** With a tag, `project` alone. */
  readonly filters?: SeriesFilters | undefined
  /** How many are told apart, those that were charged most; the rest is one. Default: all. */
  readonly top?: number | undefined
  /** Time zone of the organization, as it was when rows were written; `UTC`. */
  readonly zone?: string
}
