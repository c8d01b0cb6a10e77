import { hash } from 'node:crypto'
import type { Budget } from '@headgate/gateway/ports'
import { insertRows } from '../database/bulk.ts'
import type { Connection } from '../database/connection.ts'
import type { Writing } from '../database/transaction.ts'
import type { Row } from '../schema/tables.ts'

/** Of what shares of a budget it is told that they are spent. */
export type Share = 50 | 80 | 100

/** A share of a budget that is spent in a window. */
export interface Crossing {
  readonly budget: Budget
  readonly window: Pick<Row<'budget_windows'>, 'win' | 'ends_at' | 'spent'>
  readonly percent: Share
}

/** What of a budget is spent, and how much may be. */
interface Spent {
  readonly spent: bigint
  readonly limit: bigint
}

const SHARES: readonly Share[] = [50, 80, 100]

/**
 * The shares that are spent after a change, and were not before: all of them, since whoever waits for one hears of no
 * other.
 */
export function sharesCrossed(before: Spent, after: Spent): readonly Share[] {
  return SHARES.filter((percent) => isSpent(after, percent) && !isSpent(before, percent))
}

function isSpent({ spent, limit }: Spent, percent: Share): boolean {
  return spent > 0n && spent * 100n >= limit * BigInt(percent)
}

/**
 * Has it told, once a window and limit, that shares are spent: in the transaction that spends them. Resolves with how
 * many are to be told.
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
