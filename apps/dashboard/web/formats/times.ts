import { LOCALES } from './locale.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Full time: `22 Nov 2026, 14:03:12 UTC+1`. */
export function fullTime(at: number, locales: readonly string[] = LOCALES, timeZone?: string): string {
  return new Intl.DateTimeFormat([...locales], {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'short',
    timeZone,
  }).format(at)
}

/** Time in lists: relative within a day, otherwise the date. */
export function shortTime(at: number, now: number, locales: readonly string[] = LOCALES): string {
  const ago = now - at
  if (Math.abs(ago) >= DAY) return dateTime(at, locales)
  const format = new Intl.RelativeTimeFormat([...locales], { style: 'narrow', numeric: 'auto' })
  if (Math.abs(ago) < MINUTE) return format.format(-Math.round(ago / 1_000), 'second')
  if (Math.abs(ago) < HOUR) return format.format(-Math.round(ago / MINUTE), 'minute')
  return format.format(-Math.round(ago / HOUR), 'hour')
}

/** `12 Oct, 09:14`. */
export function dateTime(at: number, locales: readonly string[] = LOCALES): string {
  return new Intl.DateTimeFormat([...locales], {
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
  }).format(at)
}

/** Time of day with seconds: `14:03:12`. */
export function clock(at: number, locales: readonly string[] = LOCALES): string {
  return new Intl.DateTimeFormat([...locales], { hour: '2-digit', minute: '2-digit', second: '2-digit' }).format(at)
}

/** `12 Oct`. @param timeZone default: the browser's. */
export function day(at: number, locales: readonly string[] = LOCALES, timeZone?: string): string {
  return new Intl.DateTimeFormat([...locales], { month: 'short', day: 'numeric', timeZone }).format(at)
}

/** Label of a period of a chart: its date in the given time zone, or its time. */
export function periodText(
  at: number,
  step: 'minute' | 'hour' | 'day',
  zone?: string,
  locales: readonly string[] = LOCALES,
): string {
  return step === 'day' ? day(at, locales, zone) : dateTime(at, locales)
}

/** Future time: `Tue 14:00` within a week, otherwise the date. */
export function comingTime(at: number, now: number, locales: readonly string[] = LOCALES): string {
  if (at - now >= 7 * DAY) return day(at, locales)
  return new Intl.DateTimeFormat([...locales], { weekday: 'short', hour: '2-digit', minute: '2-digit' }).format(at)
}

/** Time of day without seconds: `14:03`. */
export function hourOf(at: number, locales: readonly string[] = LOCALES): string {
  return new Intl.DateTimeFormat([...locales], { hour: '2-digit', minute: '2-digit' }).format(at)
}

/** Time as typed: `2026-12-31T18:00`, in the browser's time zone. */
export function typedTime(at: number): string {
  return new Date(at - new Date(at).getTimezoneOffset() * MINUTE).toISOString().slice(0, 16)
}
