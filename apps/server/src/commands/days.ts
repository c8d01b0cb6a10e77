/** UTC date such as `2026-11-01` of Unix milliseconds. */
export function day(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Milliseconds of `30d`, `12h`, `45m` or `10s`; undefined for other text. */
export function durationOf(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  return count === undefined ? undefined : Number(count) * (UNITS[unit] ?? 0)
}

/** Unix milliseconds of a date or date-time; undefined for other text. */
export function timestampOf(text: string): number | undefined {
  const at = /^\d{4}-\d\d-\d\d(T|$)/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? undefined : at
}
