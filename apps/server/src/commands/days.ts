/** `2026-11-01`, of Unix milliseconds. */
export function day(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `30d`, `12h`, `45m` or `10s` in milliseconds; undefined of what is none. */
export function lengthOf(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  return count === undefined ? undefined : Number(count) * (UNITS[unit] ?? 0)
}

/** A date, or one with a time, as Unix milliseconds; undefined of what is none. */
export function instantOf(text: string): number | undefined {
  const at = /^\d{4}-\d\d-\d\d(T|$)/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? undefined : at
}
