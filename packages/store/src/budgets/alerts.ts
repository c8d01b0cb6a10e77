import type { BudgetScope } from '@headgate/gateway/ports'
import type { StoreConnection } from '../database/connection.ts'
import { storable } from '../database/group.ts'
import { transact, type WriteTransaction } from '../database/transaction.ts'
import type { TableRow } from '../schema/tables.ts'
import { whole } from '../tasks/stored.ts'
import { type ClockParts, storeTime } from './store-time.ts'
import type { AlertThreshold } from './threshold.ts'

/** Alert that a percentage of a budget is spent. Amounts are nano-dollars, times Unix milliseconds. */
export interface BudgetAlert {
  /** Id, unchanged when the alert is delivered again. */
  readonly id: string
  readonly budget: {
    readonly id: string
    readonly name: string
    readonly scope: BudgetScope
    readonly owner: string
    readonly soft: boolean
  }
  readonly percent: AlertThreshold
  /** Limit and spent amount at the time of the alert. */
  readonly limit: bigint
  readonly spent: bigint
  /** Window id, such as `2026-11@Europe/Berlin`. */
  readonly window: string
  /** End of the window; absent if the window is permanent. */
  readonly resetAt?: number
  readonly at: number
  /** Number of earlier delivery attempts. */
  readonly tries: number
  /** Delivery time; absent if not delivered. */
  readonly deliveredAt?: number
  /** Time of the next attempt; absent if delivered or given up. */
  readonly nextAt?: number
}

/**
 * Alerts to deliver. They are stored in the transaction that counts the spending, so a killed process loses none. An
 * alert can be delivered twice, with the same id.
 */
export interface BudgetAlerts {
  /** Due alerts, oldest first. No other process gets them for `forMs` milliseconds. Maximum 1,000. */
  take(limit: number, forMs: number): Promise<readonly BudgetAlert[]>
  /** Marks an alert as delivered. */
  done(id: string): Promise<void>
  /** Ends the attempts to deliver an alert that has no destination. */
  drop(id: string): Promise<void>
  /**
   * Schedules the next attempt at a time in Unix milliseconds. Default: 40 s after the first attempt, twice as long
   * after each further one. Resolves with false after 12 attempts, by default within a day.
   */
  later(id: string, at?: number): Promise<boolean>
  /** Newest alerts first, including delivered ones, which are stored for 90 days. Default 100. */
  list(limit?: number): Promise<readonly BudgetAlert[]>
}

const TRIES = 12
const FIRST = 40_000
/** Maximum number of alerts per read. */
const MOST = 1_000
const DAY = 86_400_000

export function createAlerts(parts: ClockParts): BudgetAlerts {
  const { connection } = parts
  const { db, kind } = connection
  return {
    async take(limit, forMs) {
      const count = countOf(limit)
      // Without open alerts, this call takes no write lock.
      if (count === 0 || !(await isAnyOpen(connection))) return []
      return transact(connection, async (trx) => {
        const now = await storeTime(parts, trx)
        const due = trx
          .selectFrom('budget_alerts')
          .select('id')
          .where('next_at', '<=', BigInt(now))
          .where('tries', '<', BigInt(TRIES))
          .orderBy('next_at')
          .orderBy('at')
          .limit(count)
          .$if(kind === 'postgres', (query) => query.forUpdate().skipLocked())
        const ids = (await due.execute()).map(({ id }) => id)
        if (ids.length === 0) return []
        const rows = await trx
          .updateTable('budget_alerts')
          .set(({ eb }) => ({ tries: eb('tries', '+', 1n), next_at: whole(now + Math.min(Math.max(forMs, 0), DAY)) }))
          .where('id', 'in', ids)
          .returningAll()
          .execute()
        return rows
          .sort((one, other) => Number(one.at - other.at) || (one.id < other.id ? -1 : 1))
          .map((row) => alertIn({ ...row, tries: row.tries - 1n }))
      })
    },
    async done(id) {
      await transact(connection, (trx) => setOpen(trx, id, { done_at: Date.now(), next_at: null }))
    },
    async drop(id) {
      await transact(connection, (trx) => setOpen(trx, id, { next_at: null }))
    },
    later: (id, at) =>
      transact(connection, async (trx) => {
        const known = await trx
          .selectFrom('budget_alerts')
          .select('tries')
          .where('id', '=', storable(id))
          .where('done_at', 'is', null)
          .executeTakeFirst()
        if (!known) return false
        const tries = Number(known.tries)
        const isMore = tries < TRIES
        const next = at ?? (await storeTime(parts, trx)) + FIRST * 2 ** Math.max(tries - 1, 0)
        await setOpen(trx, id, { next_at: isMore ? whole(next) : null })
        return isMore
      }),
    async list(limit = 100) {
      const newest = db.selectFrom('budget_alerts').selectAll().orderBy('at', 'desc').orderBy('id', 'desc')
      return (await newest.limit(countOf(limit)).execute()).map(alertIn)
    },
  }
}

/** Changes an alert that is not delivered yet. */
async function setOpen(
  trx: WriteTransaction,
  id: string,
  change: { readonly next_at: bigint | null; readonly done_at?: number },
): Promise<void> {
  const alerts = trx.updateTable('budget_alerts').set(change)
  await alerts.where('id', '=', storable(id)).where('done_at', 'is', null).execute()
}

async function isAnyOpen({ db }: StoreConnection): Promise<boolean> {
  const open = db
    .selectFrom('budget_alerts')
    .select('id')
    .where('next_at', 'is not', null)
    .where('tries', '<', BigInt(TRIES))
  return (await open.limit(1).executeTakeFirst()) !== undefined
}

function countOf(limit: number): number {
  return limit > 0 ? Math.min(Math.floor(limit), MOST) : 0
}

function alertIn(row: TableRow<'budget_alerts'>): BudgetAlert {
  const { id, scope, owner, name, at, tries, ends_at, next_at, done_at } = row
  const isOver = next_at === null || (tries >= BigInt(TRIES) && Number(next_at) <= Date.now())
  return {
    id,
    limit: row.limit_nanos,
    spent: row.spent,
    window: row.win,
    at: Number(at),
    tries: Number(tries),
    budget: { id: row.budget, name, scope: scope as BudgetScope, owner, soft: row.soft !== 0n },
    percent: Number(row.percent) as AlertThreshold,
    ...(ends_at !== null && { resetAt: Number(ends_at) }),
    ...(done_at !== null && { deliveredAt: Number(done_at) }),
    ...(!isOver && { nextAt: Math.max(Number(next_at), Number(at)) }),
  }
}
