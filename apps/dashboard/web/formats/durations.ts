import { numberFormat } from './intl.ts'
import { LOCALES } from './locale.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Readable duration: `812 ms`, `2.31 s`, `1 m 12 s`. Null = unknown. */
export function duration(ms: number | null, locales: readonly string[] = LOCALES): string {
  if (ms === null) return 'unknown'
  const number = (value: number, decimals: number): string =>
    numberFormat(locales, { minimumFractionDigits: decimals, maximumFractionDigits: decimals }).format(value)
  if (Math.round(ms) < SECOND) return `${number(ms, 0)} ms`
  if (ms < 9_995) return `${number(ms / SECOND, 2)} s`
  if (ms < 59_950) return `${number(ms / SECOND, 1)} s`
  const seconds = Math.round(ms / SECOND)
  if (ms < HOUR) return twoOf(Math.floor(seconds / 60), 'm', seconds % 60, 's')
  const minutes = Math.round(ms / MINUTE)
  if (ms < 2 * DAY) return twoOf(Math.floor(minutes / 60), 'h', minutes % 60, 'm')
  const hours = Math.round(ms / HOUR)
  return twoOf(Math.floor(hours / 24), 'd', hours % 24, 'h')
}

function twoOf(large: number, unit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${unit}` : `${large} ${unit} ${small} ${smallUnit}`
}
