import { instantOf, wallTime } from '../formats/zones.ts'

/** Calendar date. */
interface CalendarDate {
  readonly year: number
  /** 1 to 12. */
  readonly month: number
  /** 1 to 31. */
  readonly day: number
}

/** Validates the name of a time zone. */
export function readZone(text: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }) && text
  } catch {
    return undefined
  }
}

/** Time zone of the browser. */
export function browserZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** Time zones to choose from: the given ones first. */
export function zoneNames(first: readonly (string | undefined)[]): readonly string[] {
  const known = first.filter((zone) => zone !== undefined)
  return [...new Set([...known, 'UTC', ...Intl.supportedValuesOf('timeZone')])]
}

/** Date of an instant in a time zone. */
export function dateIn(zone: string, at: number): CalendarDate {
  const [year = 0, month = 0, day = 0] = wallTime(at, zone).slice(0, 10).split('-').map(Number)
  return { year, month, day }
}

/**
 * Start of a date in a time zone. Days and months that are too large or small belong to the next or previous month or
 * year.
 */
export function startOfDate(zone: string, { year, month, day }: CalendarDate): number {
  const date = new Date(Date.UTC(year, month - 1, day))
  return instantOf(`${date.toISOString().slice(0, 10)}T00:00`, zone) ?? date.getTime()
}
