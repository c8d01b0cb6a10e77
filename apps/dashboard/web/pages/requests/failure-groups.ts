import type { FailureGroup } from '../../api/usage.ts'
import type { Range } from '../../view/ranges.ts'
import type { RequestFilters } from './search.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** Longest range of failures, in milliseconds. The API refuses longer ones. */
const LONGEST = 35 * DAY
/** Maximum number of points of a line. */
const MOST_POINTS = 200

/** Part of a range for which there are counts of failures: its last 35 days. */
export function failuresRange({ from, to }: Pick<Range, 'from' | 'to'>): Pick<Range, 'from' | 'to'> {
  return { from: Math.max(from, to - LONGEST), to }
}

/** Numbers of failures in equal parts of a range. Hours without failures are 0. */
export function overTime(
  hours: readonly { readonly start: number; readonly requests: number }[],
  { from, to }: Pick<Range, 'from' | 'to'>,
): readonly number[] {
  const first = Math.floor(from / HOUR)
  const length = Math.max(2, Math.ceil(to / HOUR) - first)
  const perPoint = Math.ceil(length / MOST_POINTS)
  const values = Array.from({ length: Math.ceil(length / perPoint) }, () => 0)
  for (const { start, requests } of hours) {
    const at = Math.floor((Math.floor(start / HOUR) - first) / perPoint)
    if (at >= 0 && at < values.length) values[at] = (values[at] ?? 0) + requests
  }
  return values
}

/** Number of failures since a time, by whole hours. */
export function since(hours: FailureGroup['hours'], from: number): number {
  return hours.reduce((sum, { start, requests }) => (start >= from ? sum + requests : sum), 0)
}

/** Grouping of failures within a kind. */
export type FailureSplit = 'provider' | 'key'

/** Filters of the list that select the requests of a group. A refused request has no provider. */
export function filtersOfGroup(
  { failure, name }: Pick<FailureGroup, 'failure' | 'name'>,
  by: FailureSplit,
): RequestFilters {
  if (name !== '') return { failure, [by]: name }
  return by === 'provider' ? { failure, outcome: 'refused' } : { failure }
}

/** Start of the day in the browser's time zone, in Unix milliseconds. */
export function startOfDay(now: number): number {
  return new Date(now).setHours(0, 0, 0, 0)
}
