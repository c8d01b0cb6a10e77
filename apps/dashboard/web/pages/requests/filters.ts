import { OUTCOMES, type OutcomeName } from '../../labels.ts'

/** Values that a field has, or must not have. */
export interface ValueList {
  readonly values: readonly string[]
  /** True if the field must have none of the values. */
  readonly isNot: boolean
}

/** Maximum number of values of a filter, as in the API. */
export const MAX_VALUES = 50

/** Parses a filter of an address: `a,b`, or `!a,b` for all other values. A comma within a value is `%2C`. */
export function readList(text: string): ValueList {
  const isNot = text.startsWith('!')
  const values = (isNot ? text.slice(1) : text).split(',').map((value) => value.trim().replaceAll(/%2c/gi, ','))
  return { values: [...new Set(values.filter((value) => value !== ''))].slice(0, MAX_VALUES), isNot }
}

/** Filter for an address; undefined = without values. */
export function writeList({ values, isNot }: ValueList): string | undefined {
  const texts = values.map((value) => value.replaceAll(',', '%2C'))
  return texts.length === 0 ? undefined : `${isNot ? '!' : ''}${texts.join(',')}`
}

/** Filter in its usual form; undefined = it has no values or is too long. */
export function canonicalList(text: string): string | undefined {
  return text.length > 4_000 ? undefined : writeList(readList(text))
}

export const ALL_OUTCOMES = Object.keys(OUTCOMES) as readonly OutcomeName[]

/** Outcomes that a filter selects; empty = all. */
export function outcomesOf(filter: string | undefined): readonly OutcomeName[] {
  const { values, isNot } = readList(filter ?? '')
  return values.length === 0 ? [] : ALL_OUTCOMES.filter((one) => values.includes(one) !== isNot)
}

/** Milliseconds of a typed duration: `800 ms`, `5 s`, `2 m`; a bare number is in seconds. Undefined = not a duration. */
export function typedDuration(typed: string): number | undefined {
  const [, digits, unit = 's'] = /^\s*(\d{1,9}(?:[.,]\d{1,3})?)\s*(ms|s|m|min)?\s*$/i.exec(typed) ?? []
  if (digits === undefined) return undefined
  return Math.round(Number(digits.replace(',', '.')) * (DURATIONS[unit.toLowerCase()] ?? 1_000))
}

const DURATIONS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, min: 60_000 }

/** Dollars of a typed amount, as the API takes them: `0.01`. Undefined = not an amount. */
export function typedDollars(typed: string): string | undefined {
  const [, whole, part] = /^\s*\$?\s*(\d{1,9})(?:[.,](\d{1,9}))?\s*\$?\s*$/.exec(typed) ?? []
  return whole === undefined ? undefined : part === undefined ? whole : `${whole}.${part}`
}

/** Whole number of a typed count: `1000`, `1,000`, `20k`. Undefined = not a count. */
export function typedCount(typed: string): number | undefined {
  const [, digits, unit = ''] = /^\s*(\d{1,3}(?:[,.\u202f\u00a0 ]\d{3})+|\d{1,12})\s*([km])?\s*$/i.exec(typed) ?? []
  if (digits === undefined) return undefined
  return Number(digits.replace(/\D/g, '')) * ({ k: 1_000, m: 1_000_000 }[unit.toLowerCase()] ?? 1)
}
