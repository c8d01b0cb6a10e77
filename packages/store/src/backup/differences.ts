import { run, type Writing } from '../database/transaction.ts'
import type { Finding } from './finding.ts'

export type Reading = Pick<Writing, 'executeQuery'>
export type Sums = Readonly<Record<string, bigint>>

/** Maximum number of findings of one kind. */
export const MOST = 20

/** Result of a statement by `period`. */
export async function sums(trx: Reading, text: string): Promise<Map<string, Sums>> {
  const rows = (await run(trx, text)) as Record<string, bigint>[]
  return new Map(rows.map(({ period, ...measures }) => [String(period), measures]))
}

export interface Compared {
  readonly rows: ReadonlyMap<string, Sums>
  readonly rollUps: ReadonlyMap<string, Sums>
  readonly table: string
  readonly measures: readonly string[]
  /** Name of a period for messages. */
  name(period: string): string
}

export function differences({ rows, rollUps, table, measures, name }: Compared): Finding[] {
  const periods = [...new Set([...rows.keys(), ...rollUps.keys()])].sort()
  const findings = periods.flatMap((period): Finding[] => {
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
