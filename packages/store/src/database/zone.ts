/** Day of a time zone: its date, its start and its end, in Unix milliseconds. */
export interface ZonedDay {
  /** Date such as `2026-11-01`. */
  readonly date: string
  readonly start: number
  /** Start of the next day. */
  readonly end: number
}

const HOUR = 3_600_000
/** Last hour with calendar days after it. */
const LAST = 8_640_000_000_000_000 - 72 * HOUR

const formats = new Map<string, Intl.DateTimeFormat>()
const latest = new Map<string, ZonedDay>()

/**
 * Day of a zone that contains an instant. Instants outside the calendar count as the nearest one within it.
 * @throws RangeError for an unknown zone
 */
export function dayAt(zone: string, at: number): ZonedDay {
  const instant = Math.min(Math.max(at, 0), LAST)
  const known = latest.get(zone)
  if (known && known.start <= instant && instant < known.end) return known
  const date = dateAt(zone, instant)
  const day = {
    date,
    start: firstFrom(zone, date, instant - 50 * HOUR),
    end: firstFrom(zone, following(date), instant),
  }
  latest.set(zone, day)
  return day
}

/** Start of the hour that contains an instant. Instants outside the calendar count as the nearest one within it. */
export function hourAt(at: number): number {
  return Math.floor(Math.min(Math.max(at, 0), LAST) / HOUR) * HOUR
}

/** First instant whose date in the zone is `date` or later: a day can lack its midnight, or be skipped entirely. */
export function startOfDay(zone: string, date: string): number {
  return firstFrom(zone, date, Date.parse(date) - 50 * HOUR)
}

/** Date in the zone, such as `2026-11-01`. */
export function dateAt(zone: string, at: number): string {
  const parts = formatOf(zone).formatToParts(at)
  const part = (type: string): string => parts.find((one) => one.type === type)?.value ?? ''
  return `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}`
}

/** Date after a calendar date. */
function following(date: string): string {
  const next = new Date(Date.parse(dateText(date)) + 24 * HOUR)
  return next.getUTCFullYear() > 9_999 ? dateAt('UTC', next.getTime()) : next.toISOString().slice(0, 10)
}

/** Years of more than four digits need a sign to be parsed. */
function dateText(date: string): string {
  return date.length > 10 ? `+${date.padStart(12, '0')}` : date
}

/** First instant at or after `low` whose date is `date` or later. It is within 100 hours after `low`. */
function firstFrom(zone: string, date: string, low: number): number {
  let before = low
  let after = low + 100 * HOUR
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (isFrom(dateAt(zone, middle), date)) after = middle
    else before = middle
  }
  return after
}

function isFrom(one: string, date: string): boolean {
  return one.length === date.length ? one >= date : one.length > date.length
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known) return known
  const options = {
    timeZone: zone,
    calendar: 'iso8601',
    numberingSystem: 'latn',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  } as const
  const format = new Intl.DateTimeFormat('en-u-ca-iso8601', options)
  formats.set(zone, format)
  return format
}
