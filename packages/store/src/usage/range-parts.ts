import { dayAt, hourAt } from '../database/zone.ts'
import type { SeriesQuery } from './series-query.ts'

/** Part of a range: whole days by their dates, or a time in Unix milliseconds from hourly sums or rows. */
export type RangePart =
  | { readonly kind: 'days'; readonly first: string; readonly last: string }
  | { readonly kind: 'hours' | 'rows'; readonly from: number; readonly to: number }

const HOUR = 3_600_000

/**
 * Parts of a range that can be summed: whole days of the zone, whole hours around them, and the rest. A range that ends
 * now or later includes its whole last day. Ranges of tags have no rows: their ends are whole hours.
 */
export function partsOf(
  { from, to, by, zone = 'UTC' }: Pick<SeriesQuery, 'from' | 'to' | 'by' | 'zone'>,
  now: number,
): readonly RangePart[] {
  const isTag = typeof by === 'object' && 'tag' in by
  const end = to >= now ? dayAt(zone, to - 1).end : to
  const first = dayAt(zone, from)
  const last = dayAt(zone, end - 1)
  const begin = first.start === from ? from : first.end
  const until = last.end === end ? end : last.start
  if (begin >= until) return isTag ? hours(hourAt(from), hourAfter(end)) : around(from, end)
  const days = { kind: 'days', first: dayAt(zone, begin).date, last: dayAt(zone, until - 1).date } as const
  return isTag
    ? [...hours(hourAt(from), hourAt(begin)), days, ...hours(hourAfter(until), hourAfter(end))]
    : [...around(from, begin), days, ...around(until, end)]
}

/** Whole hours of a time, and the rows before and after them. */
function around(from: number, to: number): readonly RangePart[] {
  const [first, last] = [hourAfter(from), hourAt(to)]
  if (first > last) return rows(from, to)
  return [...rows(from, first), ...hours(first, last), ...rows(last, to)]
}

function hours(from: number, to: number): readonly RangePart[] {
  return from < to ? [{ kind: 'hours', from, to }] : []
}

function rows(from: number, to: number): readonly RangePart[] {
  return from < to ? [{ kind: 'rows', from, to }] : []
}

/** Start of the first hour that begins at or after an instant. */
function hourAfter(at: number): number {
  return hourAt(at + HOUR - 1)
}
