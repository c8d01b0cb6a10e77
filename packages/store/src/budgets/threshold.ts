import { hash } from 'node:crypto'
import type { Budget } from '@headgate/gateway/ports'
import { insertRows } from '../database/bulk.ts'
import type { StoreConnection } from '../database/connection.ts'
import type { WriteTransaction } from '../database/transaction.ts'
import type { TableRow } from '../schema/tables.ts'

/** Percentage of a budget that triggers an alert once it is spent. */
export type AlertThreshold = 50 | 80 | 100

/** Alert threshold that spending reached in a window. */
export interface ReachedThreshold {
  readonly budget: Budget
  readonly window: Pick<TableRow<'budget_windows'>, 'win' | 'ends_at' | 'spent'>
  readonly percent: AlertThreshold
}

/** Spent amount and limit, in nano-dollars. */
interface SpentAmount {
  readonly spent: bigint
  readonly limit: bigint
}

const SHARES: readonly AlertThreshold[] = [50, 80, 100]

/** All thresholds reached by a change. Each one is reported, since a receiver may use only one of them. */
export function reachedThresholds(before: SpentAmount, after: SpentAmount): readonly AlertThreshold[] {
  return SHARES.filter((percent) => isSpent(after, percent) && !isSpent(before, percent))
}

function isSpent({ spent, limit }: SpentAmount, percent: AlertThreshold): boolean {
  return spent > 0n && spent * 100n >= limit * BigInt(percent)
}

/**
 * Stores alerts, once per window, limit and threshold, in the transaction that counts the spending. Resolves with the
 * number of new alerts.
 */
export async function storeAlerts(
  connection: StoreConnection,
  trx: WriteTransaction,
  crossings: readonly ReachedThreshold[],
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
