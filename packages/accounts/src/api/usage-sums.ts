import { HeadgateError } from '@headgate/gateway/ports'
import type { SeriesPoint, SeriesQuery, UsageDimension, UsageFilters } from '@headgate/store'
import { dayAt } from '@headgate/store/sql'
import { z } from '@hono/zod-openapi'
import { DIMENSIONS } from './usage.ts'

/** Tags for the end user and the session of requests, as the store names them. */
const CLAIMED = { user: '@user', session: '@session' } as const

const DIMENSION = `(?:${DIMENSIONS.join('|')})`

/** Grouping of sums. */
export const Grouping = z
  .string()
  .regex(
    new RegExp(`^(?:tag:[a-z0-9_.-]{1,32}|user|session|${DIMENSION}(?:,${DIMENSION})?)$`),
    'One or two dimensions, `tag:` and a name, `user` or `session`.',
  )
  .openapi({
    description:
      'One or two dimensions, or `tag:` and a name, or `user` or `session`: the end user or session that callers claim.',
    example: 'project,model',
  })

/** Name of a time zone. */
export const Zone = z
  .string()
  .max(64)
  .refine(isZone, 'The name of a time zone, such as `Europe/Berlin`.')
  .openapi({ example: 'Europe/Berlin' })

/** Grouping as the store takes it, in the order of the query. */
export function groupingOf(text: string): SeriesQuery['by'] {
  if (text === 'user' || text === 'session') return { tag: CLAIMED[text] }
  if (text.startsWith('tag:')) return { tag: text.slice(4) }
  return text.split(',').flatMap((part): UsageDimension[] => DIMENSIONS.filter((name) => name === part))
}

/**
 * Checks filters of sums by tag, which support only `project`. @throws HeadgateError `invalid-request` for other
 * filters; `forbidden` if the caller sees only their own usage.
 */
export function checkGrouping(by: SeriesQuery['by'], { project: _, member, ...others }: UsageFilters): void {
  if (typeof by !== 'object' || !('tag' in by)) return
  const other = Object.entries(others).find(([, value]) => value !== undefined)
  if (other) throw new HeadgateError('invalid-request', 'With a tag, filter only by `project`.', { param: other[0] })
  if (member !== undefined)
    throw new HeadgateError('forbidden', 'Sums by tag cover all people, and you can see only your own usage.', {
      param: 'by',
    })
}

/** Sums of hours as sums of the days of a time zone. An hour belongs to the day in which it begins. */
export function byDayOf(zone: string, hours: readonly SeriesPoint[]): readonly SeriesPoint[] {
  const days = new Map<string, SeriesPoint>()
  for (const hour of hours) {
    const { date, start } = dayAt(zone, hour.start)
    const id = JSON.stringify([date, hour.names, hour.isRest])
    const known = days.get(id)
    days.set(id, known ? added(known, hour) : { ...hour, start, day: date })
  }
  return [...days.values()]
}

function added(one: SeriesPoint, other: SeriesPoint): SeriesPoint {
  const sum = (name: 'cost' | 'charged' | 'held') => String(BigInt(one[name]) + BigInt(other[name]))
  const counts = Object.entries(one.counts).map(([name, count]) => [
    name,
    count + (Object.entries(other.counts).find(([key]) => key === name)?.[1] ?? 0),
  ])
  return {
    ...one,
    counts: Object.fromEntries(counts),
    failed: one.failed === null || other.failed === null ? null : one.failed + other.failed,
    cost: sum('cost'),
    charged: sum('charged'),
    held: sum('held'),
  }
}

function isZone(text: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }) !== undefined
  } catch {
    return false
  }
}
