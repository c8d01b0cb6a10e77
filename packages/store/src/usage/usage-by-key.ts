import type { KeyInfo, KeyUse } from '@headgate/gateway/ports'
import { sql } from 'kysely'
import type { StoreConnection } from '../database/connection.ts'
import { dimension } from '../database/group.ts'
import { sumOf } from '../database/sum.ts'
import { dayAt } from '../database/zone.ts'

/** Usage of a key: today, this month and in total. */
export type KeyUsage = NonNullable<KeyInfo['used']>

export interface KeyUsageQuery {
  /** Id of the principal. */
  readonly principal: string
  /** Current time, Unix milliseconds. */
  readonly at: number
  /** Time zone of daily sums. */
  readonly zone: string
}

const COLUMNS = ['requests', 'input', 'output', 'unpriced', 'charged'] as const
const NOTHING: KeyUse = { requests: 0, input: 0, output: 0, charged: '0', unpriced: 0 }

function together(one: KeyUse, other: KeyUse): KeyUse {
  return {
    requests: one.requests + other.requests,
    input: one.input + other.input,
    output: one.output + other.output,
    charged: String(BigInt(one.charged) + BigInt(other.charged)),
    unpriced: one.unpriced + other.unpriced,
  }
}

/** Usage of one key, from daily sums. One index lookup per day keeps it fast for any number of other keys. */
export async function usageByKey(
  connection: StoreConnection,
  { principal, at, zone }: KeyUsageQuery,
): Promise<KeyUsage> {
  const today = dayAt(zone, at).date
  const firstOfMonth = `${today.slice(0, -2)}01`
  const sums = COLUMNS.map((name) => sql`${sql.raw(sumOf(connection.kind, `u.${name}`))} AS ${sql.ref(name)}`)
  const { rows } = await sql<Record<string, unknown>>`
    WITH RECURSIVE days(day) AS (
      SELECT min(day) FROM usage_days
      UNION ALL
      SELECT (SELECT min(day) FROM usage_days WHERE day > days.day) FROM days WHERE days.day IS NOT NULL
    )
    SELECT CASE WHEN u.day = ${today} THEN 'today' WHEN u.day >= ${firstOfMonth} THEN 'month' ELSE 'before' END AS part, ${sql.join(sums)}
    FROM days JOIN usage_days u ON u.day = days.day AND u.principal = ${dimension(principal)}
    GROUP BY 1`.execute(connection.db)
  const of = (part: string): KeyUse => {
    const row = rows.find((one) => one['part'] === part)
    if (!row) return NOTHING
    const count = (name: string): number => Number(row[name])
    return {
      requests: count('requests'),
      input: count('input'),
      output: count('output'),
      charged: String(row['charged']),
      unpriced: count('unpriced'),
    }
  }
  const month = together(of('today'), of('month'))
  return { zone, today: of('today'), month, all: together(month, of('before')) }
}
