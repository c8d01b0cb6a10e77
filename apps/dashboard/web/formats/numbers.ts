import { LOCALES } from './locale.ts'

type Locales = readonly string[]

/** Full count: `12,345`. */
export function count(value: number | null, locales: Locales = LOCALES): string {
  return value === null ? 'unknown' : new Intl.NumberFormat([...locales]).format(value)
}

/** Short count: `12.3K`. */
export function shortCount(value: number | null, locales: Locales = LOCALES): string {
  if (value === null) return 'unknown'
  const format = new Intl.NumberFormat([...locales], {
    notation: 'compact',
    maximumFractionDigits: value >= 1_000 ? 1 : 0,
  })
  return format.format(value)
}

/** Percentage with one decimal: `3.4%`. */
export function percent(share: number | null, locales: Locales = LOCALES): string {
  if (share === null) return 'unknown'
  return new Intl.NumberFormat([...locales], {
    style: 'percent',
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
  }).format(share)
}

/** Factor from which a change is shown as a multiple instead of a percentage. */
const TIMES = 10

/** Relative change: `+12.5%`, or `×155` for a large factor. */
export function change(share: number, locales: Locales = LOCALES): string {
  if (share + 1 >= TIMES) return `×${count(Math.round(share + 1), locales)}`
  const format = new Intl.NumberFormat([...locales], {
    style: 'percent',
    maximumFractionDigits: 1,
    signDisplay: 'exceptZero',
  })
  return format.format(share)
}

/** Change of a share in percentage points: `+1.2 pts`. */
export function points(share: number, locales: Locales = LOCALES): string {
  const format = new Intl.NumberFormat([...locales], { maximumFractionDigits: 1, signDisplay: 'exceptZero' })
  return `${format.format(share * 100)} pts`
}

/** `1 request`, `12 requests`. */
export function counted(value: number, one: string, many = `${one}s`, locales: Locales = LOCALES): string {
  return `${count(value, locales)} ${value === 1 ? one : many}`
}
