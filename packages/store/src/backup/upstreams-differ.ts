import type { StoreConnection } from '../database/connection.ts'
import { sumOf } from '../database/sum.ts'
import { UPSTREAM_MEASURES } from '../schema/usage.ts'
import { DAY } from '../usage/upstream-sums.ts'
import { differences, type PeriodSums, type SqlReader, sums } from './differences.ts'
import type { StoreFinding } from './finding.ts'

/** Compares rows and their upstream calls with the sums of UTC days that have complete rows. */
export async function upstreamsDiffer(
  { kind }: StoreConnection,
  trx: SqlReader,
  from: number,
): Promise<StoreFinding[]> {
  const first = Math.ceil(from / DAY) * DAY
  const [least, greatest] = kind === 'sqlite' ? ['min', 'max'] : ['least', 'greatest']
  const day = `${least}(${greatest}(u.at, 0), 8639999740800000) / ${DAY} * ${DAY} AS period`
  const covered = first > 0 ? `WHERE u.at >= ${first}` : ''
  const tokens = ['input', 'output', 'cache_read', 'cache_write'].map(
    (name) => `${sumOf(kind, `u.${name}`)} AS ${name}`,
  )
  const calls = `count(*) AS calls, count(*) - count(a.cost) AS unpriced, ${sumOf(kind, 'a.cost')} AS cost`
  const attempts = 'usage AS u JOIN usage_attempts AS a ON a.at = u.at AND a.usage_id = u.id'
  const ofRows = await sums(trx, `SELECT ${day}, ${tokens.join(', ')} FROM usage AS u ${covered} GROUP BY 1`)
  const ofCalls = await sums(trx, `SELECT ${day}, ${calls} FROM ${attempts} ${covered} GROUP BY 1`)
  const rows = new Map<string, PeriodSums>(
    [...ofRows].map(([period, own]) => [period, { ...own, ...ofCalls.get(period) }]),
  )
  const all = UPSTREAM_MEASURES.map((name) => `${sumOf(kind, name)} AS ${name}`).join(', ')
  const rollUps = await sums(
    trx,
    `SELECT day AS period, ${all} FROM usage_upstream_days WHERE day >= ${first} GROUP BY day`,
  )
  const name = (period: string) => new Date(Number(period)).toISOString().slice(0, 10)
  return differences({ rows, rollUps, table: 'usage_upstream_days', measures: UPSTREAM_MEASURES, name })
}
