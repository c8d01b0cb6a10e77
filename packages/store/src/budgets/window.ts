import type { BudgetPeriod } from '@headgate/gateway/ports'
import { dateAt, startOfDay } from '../database/zone.ts'

/** A stretch of time that a budget's limit holds for. Times are Unix milliseconds. */
export interface BudgetWindow {
  /** The same in every process: `2026-11@Europe/Berlin`. */
  readonly id: string
  readonly start: number
  /** Start of the next one; absent of one for ever. */
  readonly end?: number
}

const DAY = 86_400_000
const FOREVER: BudgetWindow = { id: 'forever', start: 0 }

/** The newest of each period and zone. */
const latest = new Map<string, BudgetWindow>()

/**
 * The window that an instant lies in. It begins with the first instant whose date in the zone is its first one or
 * later: a day may have 23 to 25 hours, lack its midnight, or be left out. Weeks begin on Monday. @throws RangeError
 * for an unknown zone.
 */
export function windowAt(period: BudgetPeriod, zone: string, at: number): BudgetWindow {
  if (period === 'forever') return FOREVER
  const key = `${period} ${zone}`
  const known = latest.get(key)
  if (known?.end !== undefined && known.start <= at && at < known.end) return known
  const { name, first, next } = datesOf(period, dateAt(zone, at))
  const found = { id: `${name}@${zone}`, start: startOfDay(zone, first), end: startOfDay(zone, next) }
  latest.set(key, found)
  return found
}

/** First date of a window, and of the next one. */
function datesOf(
  period: Exclude<BudgetPeriod, 'forever'>,
  date: string,
): { name: string; first: string; next: string } {
  const at = Date.parse(date)
  if (period === 'day') return { name: date, first: date, next: dateText(at + DAY) }
  if (period === 'month') {
    const month = date.slice(0, 7)
    return {
      name: month,
      first: `${month}-01`,
      next: dateText(Date.UTC(Number(date.slice(0, 4)), Number(date.slice(5, 7)), 1)),
    }
  }
  const monday = at - ((new Date(at).getUTCDay() + 6) % 7) * DAY
  return { name: `week-${dateText(monday)}`, first: dateText(monday), next: dateText(monday + 7 * DAY) }
}

function dateText(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}
