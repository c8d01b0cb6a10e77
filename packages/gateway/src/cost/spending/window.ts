import type { BudgetPeriod } from '../../ports/budgets.ts'

/** Time range in which a budget's limit applies. Times are Unix milliseconds. */
export interface PeriodWindow {
  readonly start: number
  /** Start of the next window; absent for period `forever`. */
  readonly end?: number
}

const HOUR = 3_600_000
const DAY = 24 * HOUR
const FOREVER: PeriodWindow = { start: 0 }

/** Newest window of each period and zone. */
const latest = new Map<string, PeriodWindow>()
const formats = new Map<string, Intl.DateTimeFormat>()

/**
 * Window that contains an instant. A window begins at the first instant whose date in the zone is the window's first
 * date or later: a day can have 23 to 25 hours and may have no midnight. Weeks begin on Monday.
 * @throws RangeError for an unknown zone.
 */
export function windowAt(period: BudgetPeriod, zone: string, at: number): PeriodWindow {
  if (period === 'forever') return FOREVER
  const key = `${period} ${zone}`
  const known = latest.get(key)
  if (known?.end !== undefined && known.start <= at && at < known.end) return known
  const [first, next] = datesOf(period, dateAt(zone, at))
  const found = { start: startOf(zone, first), end: startOf(zone, next) }
  latest.set(key, found)
  return found
}

/** First date of a window, and of the next one. */
function datesOf(period: Exclude<BudgetPeriod, 'forever'>, date: string): readonly [first: string, next: string] {
  const at = Date.parse(date)
  if (period === 'day') return [date, dateText(at + DAY)]
  if (period === 'month')
    return [`${date.slice(0, 7)}-01`, dateText(Date.UTC(Number(date.slice(0, 4)), Number(date.slice(5, 7)), 1))]
  const monday = at - ((new Date(at).getUTCDay() + 6) % 7) * DAY
  return [dateText(monday), dateText(monday + 7 * DAY)]
}

function dateText(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}

/** The first instant whose date in the zone is `date` or later. */
function startOf(zone: string, date: string): number {
  let before = Date.parse(date) - 2 * DAY
  let after = before + 4 * DAY
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (dateAt(zone, middle) >= date) after = middle
    else before = middle
  }
  return after
}

/** The date in the zone, `2026-11-01`. */
function dateAt(zone: string, at: number): string {
  const parts = formatOf(zone).formatToParts(at)
  const part = (type: string): string => parts.find((one) => one.type === type)?.value ?? ''
  return `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}`
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known) return known
  const date = { year: 'numeric', month: '2-digit', day: '2-digit' } as const
  const format = new Intl.DateTimeFormat('en-u-ca-iso8601', {
    timeZone: zone,
    calendar: 'iso8601',
    numberingSystem: 'latn',
    ...date,
  })
  formats.set(zone, format)
  return format
}
