import type { RowValues } from '../database/bulk.ts'
import { MEASURES, PRICED, UNITS } from '../schema/usage.ts'
import { columnName, writerOf } from './field.ts'
import { ATTEMPT_FIELDS, USAGE_FIELDS } from './fields.ts'
import { beginningOf, type LedgerRow } from './row.ts'

const valuesOfRow = writerOf(USAGE_FIELDS, 1)
const valuesOfAttempt = writerOf(ATTEMPT_FIELDS, 3)

/** Values of a row in the order of the columns of `usage`. */
export function usageValues(row: LedgerRow, group: bigint): RowValues {
  const values = valuesOfRow(row)
  values[0] = group
  return values
}

/** Values of a row's calls in the order of the columns of `usage_attempts`. */
export function attemptValues(row: LedgerRow): RowValues[] {
  const at = beginningOf(row)
  return row.attempts.map((attempt, position) => {
    const values = valuesOfAttempt(attempt)
    values[0] = at
    values[1] = row.id
    values[2] = position
    return values
  })
}

type MeasureReader = (row: LedgerRow) => number | bigint

const MEASURED: readonly MeasureReader[] = MEASURES.map(measured)

/** Adds a row to sums of the measures, in their order. */
export function addMeasures(sums: bigint[], row: LedgerRow): void {
  for (let at = 0; at < MEASURED.length; at++) {
    const value = MEASURED[at]?.(row)
    if (value) sums[at] = (sums[at] ?? 0n) + BigInt(value)
  }
}

function measured(name: (typeof MEASURES)[number]): MeasureReader {
  if (name === 'requests') return ({ why }) => (why === PRICED ? 0 : 1)
  if (name === 'unpriced') return ({ cost, why }) => (why === PRICED ? -1 : cost === null ? 1 : 0)
  if (name === 'usage_unknown') return ({ cost, why }) => (cost === null && why !== 'price-unknown' ? 1 : 0)
  const unit = UNITS.find((one) => one === name)
  if (unit) return ({ usage }) => usage?.units?.[unit] ?? 0
  const value = Object.entries(USAGE_FIELDS).find(([field]) => columnName(field) === name)?.[1].value
  return (row) => {
    const amount = value?.(row)
    return typeof amount === 'number' || typeof amount === 'bigint' ? amount : 0
  }
}
