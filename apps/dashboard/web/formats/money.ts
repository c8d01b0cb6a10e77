import { numberFormat } from './intl.ts'
import { LOCALES } from './locale.ts'
import { decimalText, typedDecimal } from './typed-numbers.ts'

/** Nano-dollars as a string of digits: 1,000,000,000 are a dollar. */
export type Nanos = string

const DOLLAR = 1_000_000_000n
/** Text for an unknown amount. */
export const UNKNOWN = 'unknown'
/** Smallest amount with digits. Smaller ones are shown as `<$0.000001`. */
const LEAST = 1_000n
/** Significant digits of an amount below a dollar. */
const SIGNIFICANT = 4
const CENTS = 2

/** Rounded amount: two decimals from a dollar on, four significant digits below. Null = unknown. */
export function money(nanos: Nanos | bigint | null, locales: readonly string[] = LOCALES): string {
  if (nanos === null) return UNKNOWN
  const amount = BigInt(nanos)
  const size = amount < 0n ? -amount : amount
  if (size > 0n && size < LEAST) return `${amount < 0n ? '>−' : '<'}${written(LEAST, 6, locales)}`
  return written(
    amount,
    size >= DOLLAR || size === 0n ? CENTS : Math.max(CENTS, 9 - String(size).length + SIGNIFICANT),
    locales,
  )
}

/** Decimals of amounts in a column. */
const ALIGNED = 6

/** Amount in a column of amounts: always six decimals, so that all digits of one value are below each other. */
export function alignedMoney(nanos: Nanos | bigint, locales: readonly string[] = LOCALES): string {
  const amount = BigInt(nanos)
  const size = amount < 0n ? -amount : amount
  if (size > 0n && size < LEAST) return `${amount < 0n ? '>−' : '<'}${written(LEAST, ALIGNED, locales, ALIGNED)}`
  return written(amount, ALIGNED, locales, ALIGNED)
}

/** Exact amount. */
export function exactMoney(nanos: Nanos | bigint | null, locales: readonly string[] = LOCALES): string {
  return nanos === null ? UNKNOWN : written(BigInt(nanos), 9, locales)
}

/** Price of a million tokens or units, given in nano-dollars. */
export function rate(nanos: number | undefined, locales: readonly string[] = LOCALES): string {
  return nanos === undefined ? 'unknown' : written(BigInt(nanos), 9, locales)
}

export function sumOf(amounts: readonly (Nanos | null)[]): bigint {
  return amounts.reduce((sum, one) => sum + BigInt(one ?? 0), 0n)
}

/** Amount in dollars, for drawings only, because it is not exact. */
export function dollars(nanos: Nanos | bigint): number {
  return Number(nanos) / Number(DOLLAR)
}

/** Parses an amount in dollars as typed in a locale; undefined = not an amount. */
export function nanosOf(typed: string, locales: readonly string[] = LOCALES): Nanos | undefined {
  const text = decimalText(typed.replace(/^\s*\$|\$\s*$/, ''), locales) ?? ''
  const [, whole = '', part = ''] = /^(\d{1,9})(?:\.(\d{1,9}))?$/.exec(text) ?? []
  return whole === '' ? undefined : String(BigInt(whole) * DOLLAR + BigInt(part.padEnd(9, '0')))
}

/** Amount for an input field: `12.5`. */
export function typedMoney(nanos: Nanos, locales: readonly string[] = LOCALES): string {
  return typedDecimal(decimalOf(BigInt(nanos)).replace(/\.?0+$/, ''), locales)
}

function written(amount: bigint, decimals: number, locales: readonly string[], least = CENTS): string {
  const format = numberFormat(locales, {
    style: 'currency',
    currency: 'USD',
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: least,
    maximumFractionDigits: Math.min(9, decimals),
  })
  // A numeric string is formatted exactly, a number is not.
  return format.format(decimalOf(amount) as `${number}`)
}

function decimalOf(amount: bigint): string {
  const digits = String(amount < 0n ? -amount : amount).padStart(10, '0')
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -9)}.${digits.slice(-9)}`
}
