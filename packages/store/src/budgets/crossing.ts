import { hash } from 'node:crypto'
import type { Budget } from '@headgate/gateway/ports'
import { insertRows } from '../database/bulk.ts'
import type { Connection } from '../database/connection.ts'
import type { Writing } from '../database/transaction.ts'
import type { Row } from '../schema/tables.ts'

/** Percentage of a budget that triggers an alert once it is spent. */
export type Share = 50 | 80 | 100

/** Alert threshold that spending reached in a window. */
export interface Crossing {
  readonly budget: Budget
  readonly window: Pick<Row<'budget_windows'>, 'win' | 'ends_at' | 'spent'>
  readonly percent: Share
}

/** Spent amount and limit, in nano-dollars. */
interface Spent {
  readonly spent: bigint
  readonly limit: bigint
}

const SHARES: readonly Share[] = [50, 80, 100]

/** All thresholds reached by a change. Each one is reported, since a receiver may use only one of them. */
export function sharesCrossed(before: Spent, after: Spent): readonly Share[] {
  return SHARES.filter((percent) => isSpent(after, percent) && !isSpent(before, percent))
}

function isSpent({ spent, limit }: Spent, percent: Share): boolean {
  return spent > 0n && spent * 100n >= limit * BigInt(percent)
}

/**
 * Stores alerts, once per window, limit and threshold, in the transaction that counts the spending. Resolves with the
 * number of new alerts.
 */
export async function noteCrossings(
  connection: Connection,
  trx: Writing,
  crossings: readonly Crossing[],
  now = Date.now(),
): Promise<number> {
  const values = crossings.map(({ budget, window: { win, ends_at, spent }, percent }) => {
    const { id, name, scope, owner, soft, limit } = budget
    const digits = hash('sha256', JSON.stringify([id, win, percent, String(limit)]))
    return [
      `alert_${digits.slice(0, 24)}`,
      id,
      win,
      ends_at,
      percent,
      name,
      scope,
      owner,
      Number(soft),
      limit,
      spent,
      now,
      0,
      0,
      null,
    ]
  })
  return (await insertRows(connection, trx, 'budget_alerts', values)).filter(Boolean).length
}
