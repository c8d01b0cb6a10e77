import type { BudgetScope } from '@headgate/gateway/ports'
import type { Connection } from '../database/connection.ts'
import { storable } from '../database/group.ts'
import { transact, type Writing } from '../database/transaction.ts'
import type { Row } from '../schema/tables.ts'
import { whole } from '../tasks/stored.ts'
import type { Share } from './crossing.ts'
import { type ClockParts, storeTime } from './store-time.ts'

/** A share of a budget is spent. Amounts are nano-dollars, times Unix milliseconds. */
export interface BudgetAlert {
  /** The same however often it is told. */
  readonly id: string
  readonly budget: {
    readonly id: string
    readonly name: string
    readonly scope: BudgetScope
    readonly owner: string
    readonly soft: boolean
  }
  readonly percent: Share
  /** What the limit was, and what was spent, when it happened. */
  readonly limit: bigint
  readonly spent: bigint
  /** As `2026-11@Europe/Berlin`. */
  readonly window: string
  /** When that ends; absent of one for ever. */
  readonly resetAt?: number
  readonly at: number
  /** How often somebody has taken it before. */
  readonly tries: number
  /** Absent where nobody was told. */
  readonly deliveredAt?: number
  /** When it is told next; absent where it was, and where it was tried too often. */
  readonly nextAt?: number
}

/**
 * Alerts that somebody is to be told of. They are kept with what is spent: whoever takes some and is killed loses none,
 * so that one may be told twice; it has the same id then.
 */
export interface BudgetAlerts {
  /** Those whose time has come, the oldest first: nobody else gets them for so many milliseconds. At most 1,000. */
  take(limit: number, forMs: number): Promise<readonly BudgetAlert[]>
  /** Somebody was told. */
  done(id: string): Promise<void>
  /** Ends the attempts to deliver an alert that has no destination. */
  drop(id: string): Promise<void>
  /**
   * Nobody could be told: it is tried again at a time (Unix milliseconds), by default 40 s after the first try and
   * twice as long after each further one. Resolves with whether it will be: 12 times, by default within a day.
   */
  later(id: string, at?: number): Promise<boolean>
  /** The newest first, those included that somebody was told of: they are kept for 90 days. Default 100. */
  list(limit?: number): Promise<readonly BudgetAlert[]>
}

const TRIES = 12
const FIRST = 40_000
/** Most alerts that are read at once. */
const MOST = 1_000
const DAY = 86_400_000

export function createAlerts(parts: ClockParts): BudgetAlerts {
  const { connection } = parts
  const { db, kind } = connection
  return {
    async take(limit, forMs) {
      const count = countOf(limit)
      // Where there is none, nobody who writes is waited for.
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
  trx: Writing,
  id: string,
  change: { readonly next_at: bigint | null; readonly done_at?: number },
): Promise<void> {
  const alerts = trx.updateTable('budget_alerts').set(change)
  await alerts.where('id', '=', storable(id)).where('done_at', 'is', null).execute()
}

async function isAnyOpen({ db }: Connection): Promise<boolean> {
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

function alertIn(row: Row<'budget_alerts'>): BudgetAlert {
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
    percent: Number(row.percent) as Share,
    ...(ends_at !== null && { resetAt: Number(ends_at) }),
    ...(done_at !== null && { deliveredAt: Number(done_at) }),
    ...(!isOver && { nextAt: Math.max(Number(next_at), Number(at)) }),
  }
}
