import { runSql, type WriteTransaction } from '../database/transaction.ts'
import type { StoreFinding } from './finding.ts'

export type SqlReader = Pick<WriteTransaction, 'executeQuery'>
export type PeriodSums = Readonly<Record<string, bigint>>

/** Maximum number of findings of one kind. */
export const MOST = 20

/** Result of a statement by `period`. */
export async function sums(trx: SqlReader, text: string): Promise<Map<string, PeriodSums>> {
  const rows = (await runSql(trx, text)) as Record<string, bigint>[]
  return new Map(rows.map(({ period, ...measures }) => [String(period), measures]))
}

export interface SumComparison {
  readonly rows: ReadonlyMap<string, PeriodSums>
  readonly rollUps: ReadonlyMap<string, PeriodSums>
  readonly table: string
  readonly measures: readonly string[]
  /** Name of a period for messages. */
  name(period: string): string
}

export function differences({ rows, rollUps, table, measures, name }: SumComparison): StoreFinding[] {
  const periods = [...new Set([...rows.keys(), ...rollUps.keys()])].sort()
  const findings = periods.flatMap((period): StoreFinding[] => {
    const differing = measures.filter(
      (measure) => (rows.get(period)?.[measure] ?? 0n) !== (rollUps.get(period)?.[measure] ?? 0n),
    )
    if (differing.length === 0) return []
    const details = differing.map((measure) => [
      measure,
      `${rows.get(period)?.[measure] ?? 0n} ≠ ${rollUps.get(period)?.[measure] ?? 0n}`,
    ])
    const message = `Usage rows and \`${table}\` differ for ${name(period)}: ${differing.join(', ')}`
    return [
      { kind: 'sums-differ', level: 'fault', message, details: { table, period, ...Object.fromEntries(details) } },
    ]
  })
  return findings.slice(0, MOST)
}
