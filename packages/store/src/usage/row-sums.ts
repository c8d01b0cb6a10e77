import type { StoreConnection } from '../database/connection.ts'
import { sumOf } from '../database/sum.ts'
import { MEASURES, PRICED, UNITS } from '../schema/usage.ts'

type Measure = (typeof MEASURES)[number]

/** SQL of every measure, summed over rows of `usage` or its alias `table`. */
export function rowSums(kind: StoreConnection['kind'], table = 'usage'): string {
  return rowMeasures(kind, table)
    .map(([name, value]) => `${sumOf(kind, value)} AS ${name}`)
    .join(', ')
}

/** SQL of every measure of one row of `usage`; null if the row does not have it. */
export function rowMeasures(
  kind: StoreConnection['kind'],
  table: string,
): readonly (readonly [name: Measure, value: string])[] {
  const values: Partial<Record<Measure, string>> = {
    requests: `CASE WHEN ${table}.why <> '${PRICED}' THEN 1 END`,
    unpriced: `CASE WHEN ${table}.cost IS NULL THEN 1 WHEN ${table}.why = '${PRICED}' THEN -1 END`,
    usage_unknown: `CASE WHEN ${table}.cost IS NULL AND ${table}.why <> 'price-unknown' THEN 1 END`,
  }
  for (const name of UNITS) values[name] = unitOf(kind, name, table)
  return MEASURES.map((name) => [name, values[name] ?? `${table}.${name}`])
}

/** Units that an earlier version stored may not be JSON, and Postgres has no function to check that. */
function unitOf(kind: StoreConnection['kind'], name: string, table: string): string {
  const units = `${table}.units`
  if (kind === 'postgres') return `substring(${units} from '"${name}":([0-9]+)')::numeric`
  return `CASE WHEN json_valid(${units}) AND json_type(${units}, '$.${name}') = 'integer' THEN json_extract(${units}, '$.${name}') END`
}
