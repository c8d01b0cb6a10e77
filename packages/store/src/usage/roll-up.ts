import type { RowValues } from '../database/bulk.ts'
import { type DayZones, dateOf } from '../database/day-zones.ts'
import { type Dimensions, groupId } from '../database/group.ts'
import { hourAt } from '../database/zone.ts'
import type { ROLL_UPS } from '../schema/tables.ts'
import { FAILED_ROLL_UPS, isFailed, MEASURES } from '../schema/usage.ts'
import { beginningOf, dimensionsOf, type LedgerRow } from './row.ts'

/** Sum of new rows of one hour and one combination of dimensions, while a batch is written. */
export interface RollUpSum {
  readonly hour: number
  readonly day: string
  readonly group: bigint
  readonly dimensions: Dimensions
  readonly measures: bigint[]
}

/** Assigns each row its sum. The measures are added later, once the row is known to be new. */
export function createSums(zones: DayZones): (row: LedgerRow) => RollUpSum {
  const sums = new Map<string, RollUpSum>()
  return (row) => {
    const at = beginningOf(row) ?? 0
    const [hour, day] = [hourAt(at), dateOf(zones, at)]
    const key = `${hour} ${day} ${row.status}\0${row.principal}\0${row.provider}\0${row.model}\0${row.family}`
    const known = sums.get(key)
    if (known) return known
    const dimensions = dimensionsOf(row)
    const sum = { hour, day, group: groupId(dimensions), dimensions, measures: MEASURES.map(() => 0n) }
    sums.set(key, sum)
    return sum
  }
}

type RollUp = (typeof ROLL_UPS)[number]

/** Key columns of each roll-up, in order. */
const KEYS: Readonly<Record<RollUp, (sum: RollUpSum) => (string | number)[]>> = {
  usage_hours: ({ hour, dimensions }) => [hour, dimensions.principal, ...ofModel(dimensions)],
  usage_days: ({ day, dimensions }) => [day, dimensions.principal, ...ofModel(dimensions)],
  usage_model_days: ({ day, dimensions }) => [day, ...ofModel(dimensions)],
  usage_key_days: ({ day, dimensions: { principal } }) => [day, principal],
  usage_key_status_days: ({ day, dimensions: { principal, family, status } }) => [day, principal, family, status],
  usage_key_model_days: ({ day, dimensions: { principal, model, provider } }) => [day, principal, model, provider],
}

const REQUESTS = MEASURES.indexOf('requests')

/** Values of a sum after the key columns. */
function valuesOf({ measures, dimensions: { status } }: RollUpSum, table: RollUp): bigint[] {
  if (!FAILED_ROLL_UPS.some((one) => one === table)) return measures
  return [...measures, isFailed(status) ? (measures[REQUESTS] ?? 0n) : 0n]
}

function ofModel({ provider, model, family, status }: Dimensions): (string | number)[] {
  return [provider, model, family, status]
}

/** Rows of a roll-up, one per key, sorted by key, so that concurrent writers cannot deadlock. */
export function rollUpValues(sums: Iterable<RollUpSum>, table: RollUp): RowValues[] {
  const rows = new Map<string, { key: (string | number)[]; measures: bigint[] }>()
  for (const sum of sums) {
    const key = KEYS[table](sum)
    const values = valuesOf(sum, table)
    const text = key.join('\0')
    const known = rows.get(text)
    if (known) known.measures = known.measures.map((value, index) => value + (values[index] ?? 0n))
    else rows.set(text, { key, measures: values })
  }
  return inOrder(rows).map(({ key, measures }) => [...key, ...measures])
}

/** Rows of `usage_groups`, sorted by id. */
export function groupValues(sums: Iterable<RollUpSum>): RowValues[] {
  const rows = new Map<string, { sum: RollUpSum; last: number }>()
  for (const sum of sums) {
    const last = Math.max(sum.hour, rows.get(String(sum.group))?.last ?? 0)
    rows.set(String(sum.group), { sum, last })
  }
  return inOrder(rows).map(({ sum, last }) => {
    const { principal, provider, model, family, status } = sum.dimensions
    return [sum.group, principal, provider, model, family, status, last]
  })
}

function inOrder<Value>(rows: ReadonlyMap<string, Value>): Value[] {
  return [...rows].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, value]) => value)
}
