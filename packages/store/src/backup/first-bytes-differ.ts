import type { StoreConnection } from '../database/connection.ts'
import { sumOf } from '../database/sum.ts'
import { FIRST_BYTE_CLASSES, FIRST_BYTE_COUNTS, HAS_FIRST_BYTE } from '../schema/first-bytes.ts'
import { DAY } from '../usage/upstream-sums.ts'
import { differences, type SqlReader, sums } from './differences.ts'
import type { StoreFinding } from './finding.ts'

const SPANS = { hour: 3_600_000, day: DAY } as const

/** Compares first-byte latencies of rows with the sums of hours and days that have complete rows, in UTC. */
export async function firstBytesDiffer(
  { kind }: StoreConnection,
  trx: SqlReader,
  from: number,
): Promise<StoreFinding[]> {
  const [least, greatest] = kind === 'sqlite' ? ['min', 'max'] : ['least', 'greatest']
  const findings: StoreFinding[] = []
  for (const [span, length] of Object.entries(SPANS)) {
    const first = Math.ceil(from / length) * length
    const period = `${least}(${greatest}(u.at, 0), 8639999740800000) / ${length} * ${length} AS period`
    const counts = FIRST_BYTE_CLASSES.map((name, index) => `${FIRST_BYTE_COUNTS[index]} AS ${name}`)
    const covered = first > 0 ? `AND u.at >= ${first}` : ''
    const rows = await sums(
      trx,
      `SELECT ${period}, ${counts.join(', ')} FROM usage AS u WHERE ${HAS_FIRST_BYTE} ${covered} GROUP BY 1`,
    )
    const all = FIRST_BYTE_CLASSES.map((name) => `${sumOf(kind, name)} AS ${name}`).join(', ')
    const table = `usage_first_byte_${span}s`
    const rollUps = await sums(
      trx,
      `SELECT ${span} AS period, ${all} FROM ${table} WHERE ${span} >= ${first} GROUP BY ${span}`,
    )
    const name = (at: string) => `the ${span} from ${new Date(Number(at)).toISOString()}`
    findings.push(...differences({ rows, rollUps, table, measures: FIRST_BYTE_CLASSES, name }))
  }
  return findings
}
