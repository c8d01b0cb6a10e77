import type { BudgetPeriod } from '@headgate/gateway/ports'
import { dateAt, startOfDay } from '../database/zone.ts'

/** Time range in which the limit of a budget applies. Times are Unix milliseconds. */
export interface BudgetWindow {
  /** Same id in every process, such as `2026-11@Europe/Berlin`. */
  readonly id: string
  readonly start: number
  /** Start of the next window; absent if the window is permanent. */
  readonly end?: number
}

const DAY = 86_400_000
const FOREVER: BudgetWindow = { id: 'forever', start: 0 }

/** Newest window of each period and zone. */
const latest = new Map<string, BudgetWindow>()

/**
 * Window that contains an instant. It starts with the first instant in the zone whose date is its first date or later:
 * a day can have 23 to 25 hours, have no midnight, or be left out. Weeks begin on Monday.
 * @throws RangeError for an unknown zone
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
