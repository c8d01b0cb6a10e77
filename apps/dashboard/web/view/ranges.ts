import { dateIn, startOfDate } from './zones.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Named ranges, each until now. */
export const PRESETS = {
  '1h': { title: 'Last hour', span: HOUR },
  '24h': { title: 'Last 24 hours', span: DAY },
  '7d': { title: 'Last 7 days', span: 7 * DAY },
  '30d': { title: 'Last 30 days', span: 30 * DAY },
  '90d': { title: 'Last 90 days', span: 90 * DAY },
  '365d': { title: 'Last 12 months', span: 365 * DAY },
} as const

type PresetName = keyof typeof PRESETS

/** Calendar periods. Weeks begin on Monday. Current periods end now. */
export const CALENDAR = {
  today: 'Today',
  yesterday: 'Yesterday',
  'this-week': 'This week',
  'last-week': 'Last week',
  'this-month': 'This month',
  'last-month': 'Last month',
} as const

type CalendarName = keyof typeof CALENDAR

/** Length of a period of a chart. */
export type PeriodStep = 'minute' | 'hour' | 'day'

/** Time range in Unix milliseconds. */
export interface Range {
  readonly from: number
  readonly to: number
  /** Length of its periods. */
  readonly step: PeriodStep
}

export const DEFAULT_RANGE: PresetName = '7d'

/** Longest ranges with periods of minutes and of hours. The API refuses longer ranges with minutes. */
const MAX_MINUTES = 6 * HOUR
const MAX_HOURS = 3 * DAY
/** A calendar month: `2026-11`. */
const MONTH = /^(\d{4})-(0[1-9]|1[0-2])$/
const CUSTOM = /^(\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?Z)?)\.\.(\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?Z)?)$/

export function isPreset(text: string): text is PresetName {
  return Object.hasOwn(PRESETS, text)
}

/** True for a range with a name: until now, or a calendar period. */
export function isNamed(text: string): boolean {
  return isPreset(text) || isCalendar(text) || MONTH.test(text)
}

/** Validates the range of an address: `7d`, `this-month`, `2026-11`, or `2026-11-01..2026-11-08`. */
export function readRange(text: string): string | undefined {
  if (isNamed(text)) return text
  const between = betweenOf(text)
  return between && between.from < between.to ? text : undefined
}

/**
 * Range of a parameter at the given time. A named range includes the current period. Its ends are whole minutes, or
 * whole hours from 6 hours on, so that the query stays the same for a while.
 * @param zone time zone of calendar periods; default `UTC`
 */
export function rangeOf(text: string, now: number, zone = 'UTC'): Range {
  const between = betweenOf(text) ?? calendarOf(text, now, zone)?.range
  if (between) return { ...between, step: stepOf(between) }
  const { span } = PRESETS[isPreset(text) ? text : DEFAULT_RANGE]
  const unit = span < MAX_MINUTES ? MINUTE : HOUR
  const range = { from: Math.floor((now - span) / unit) * unit, to: Math.ceil((now + 1) / unit) * unit }
  return { ...range, step: stepOf(range) }
}

/** Previous range of the same length. */
export function before({ from, to, step }: Range): Range {
  return { from: from - (to - from), to: from, step }
}

/**
 * Calendar period before the one of a parameter, as long as the current period has lasted; undefined for other ranges.
 */
export function periodBefore(text: string, now: number, zone = 'UTC'): Pick<Range, 'from' | 'to'> | undefined {
  return calendarOf(text, now, zone)?.before
}

/** Custom range for an address. */
export function rangeText({ from, to }: Pick<Range, 'from' | 'to'>): string {
  return `${instant(from)}..${instant(to)}`
}

export function titleOf(text: string, locales: readonly string[] = navigator.languages): string {
  const between = betweenOf(text)
  if (isCalendar(text)) return CALENDAR[text]
  const [, year, month] = MONTH.exec(text) ?? []
  if (year !== undefined && month !== undefined)
    return new Intl.DateTimeFormat([...locales], { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
      Date.UTC(Number(year), Number(month) - 1),
    )
  if (!between) return PRESETS[isPreset(text) ? text : DEFAULT_RANGE].title
  const isDays = !text.includes('T')
  const format = new Intl.DateTimeFormat([...locales], {
    month: 'short',
    day: 'numeric',
    ...(isDays ? { timeZone: 'UTC' } : { hour: '2-digit', minute: '2-digit' }),
  })
  return format.formatRange(between.from, isDays ? between.to - 1 : between.to)
}

/** Range in a sentence: `in the last 7 days`, `this month`, `in Nov 1 – 8`. */
export function inRange(text: string): string {
  const title = titleOf(text)
  if (isCalendar(text)) return title.toLowerCase()
  if (MONTH.test(text)) return `in ${title}`
  return betweenOf(text) ? `in ${title}` : `in the ${title.toLowerCase()}`
}

/** Calendar period with the period before it. */
interface CalendarPeriod {
  readonly range: Pick<Range, 'from' | 'to'>
  readonly before: Pick<Range, 'from' | 'to'>
}

function isCalendar(text: string): text is CalendarName {
  return Object.hasOwn(CALENDAR, text)
}

function calendarOf(text: string, now: number, zone: string): CalendarPeriod | undefined {
  const [, year, month] = MONTH.exec(text) ?? []
  if (year !== undefined && month !== undefined) {
    const asked = { year: Number(year), month: Number(month), day: 1 }
    return periodOf((shift) => startOfDate(zone, { ...asked, month: asked.month + shift }), 0, now)
  }
  if (!isCalendar(text)) return undefined
  const today = dateIn(zone, now)
  const place = text === 'yesterday' || text.startsWith('last') ? -1 : 0
  if (text.endsWith('month'))
    return periodOf((shift) => startOfDate(zone, { ...today, month: today.month + shift, day: 1 }), place, now)
  const weekday = (new Date(Date.UTC(today.year, today.month - 1, today.day)).getUTCDay() + 6) % 7
  const [length, first] = text.endsWith('week') ? [7, today.day - weekday] : [1, today.day]
  return periodOf((shift) => startOfDate(zone, { ...today, day: first + shift * length }), place, now)
}

/** Period at a place, and the one before. The current period ends with the hour. */
function periodOf(startAt: (shift: number) => number, place: number, now: number): CalendarPeriod {
  const [earlier, from, end] = [startAt(place - 1), startAt(place), startAt(place + 1)]
  if (now >= end || now < from) return { range: { from, to: end }, before: { from: earlier, to: from } }
  const to = Math.min(end, Math.ceil((now + 1) / HOUR) * HOUR)
  return { range: { from, to }, before: { from: earlier, to: Math.min(from, earlier + (to - from)) } }
}

function stepOf({ from, to }: Pick<Range, 'from' | 'to'>): PeriodStep {
  if (to - from > MAX_HOURS) return 'day'
  return to - from > MAX_MINUTES ? 'hour' : 'minute'
}

function betweenOf(text: string): Pick<Range, 'from' | 'to'> | undefined {
  const [, from, to] = CUSTOM.exec(text) ?? []
  if (from === undefined || to === undefined) return undefined
  const between = { from: Date.parse(from), to: Date.parse(to) }
  return Number.isNaN(between.from) || Number.isNaN(between.to) ? undefined : between
}

function instant(at: number): string {
  const text = new Date(at).toISOString()
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : `${text.slice(0, 19)}Z`
}
