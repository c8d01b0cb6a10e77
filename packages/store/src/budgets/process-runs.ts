import type { StoreConnection } from '../database/connection.ts'
import { transact, type WriteTransaction } from '../database/transaction.ts'
import { greater, remainingLease } from './amounts.ts'
import { type Pulse, SEEN } from './lease.ts'
import { type LeaseParts, storeTime } from './store-time.ts'
import { knownWindow } from './windows.ts'

/** Registers a process run. Resolves with false if it is closed. */
export async function enterRun(
  { connection, node }: Pick<LeaseParts, 'connection' | 'node'>,
  trx: WriteTransaction,
  run: string,
  now: number,
): Promise<boolean> {
  const read = () => {
    const rows = trx.selectFrom('process_runs').select('state').where('id', '=', run)
    return (connection.kind === 'postgres' ? rows.forShare() : rows).executeTakeFirst()
  }
  const known = await read()
  if (known) return known.state === 'open'
  await trx
    .insertInto('process_runs')
    .values({ id: run, node, seen_at: now, state: 'open' })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return (await read())?.state === 'open'
}

/** Stores a heartbeat of a process run. Resolves with its pending recalls. */
export async function heartbeat(parts: LeaseParts, run: string): Promise<Pulse> {
  const { connection } = parts
  return transact(connection, async (trx) => {
    const now = await storeTime(parts, trx)
    if (!(await enterRun(parts, trx, run, now))) return { now, isClosed: true, runs: 0, recalled: [] }
    await trx
      .updateTable('process_runs')
      .set({ seen_at: now })
      .where('id', '=', run)
      .where('state', '=', 'open')
      .execute()
    return { now, isClosed: false, runs: await runsSeen(trx, now), recalled: await recalledOf(trx, run) }
  })
}

/** Number of process runs with a recent heartbeat. */
export async function runsSeen(db: Pick<WriteTransaction, 'selectFrom'>, now: number): Promise<number> {
  const query = db.selectFrom('process_runs').select((of) => of.fn.countAll<bigint>().as('count'))
  const { count } = await query
    .where('state', '=', 'open')
    .where('seen_at', '>=', BigInt(now - SEEN))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Windows in which a process run must return unused leases. */
export async function recalledOf(db: Pick<WriteTransaction, 'selectFrom'>, run: string): Promise<Pulse['recalled']> {
  const rows = await db
    .selectFrom('budget_leases as l')
    .innerJoin('budget_windows as w', (join) => join.onRef('w.budget', '=', 'l.budget').onRef('w.win', '=', 'l.win'))
    .select(['l.budget', 'l.win', 'w.recall'])
    .where('l.run', '=', run)
    .whereRef('w.recall', '>', 'l.answered')
    .execute()
  return rows.map(({ budget, win, recall }) => ({ budget, win, recall: Number(recall) }))
}

/** Ends the leases of a process run permanently, within a transaction that has locked no window out of order. */
export async function freeLeases(connection: StoreConnection, trx: WriteTransaction, run: string): Promise<void> {
  const closed = { state: 'closed' }
  await trx
    .insertInto('process_runs')
    .values({ id: run, node: '', seen_at: Date.now(), ...closed })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(closed))
    .execute()
  const own = trx.selectFrom('budget_leases').where('run', '=', run)
  // Windows are locked in this order.
  for (const { budget, win } of await own.select(['budget', 'win']).orderBy('budget').orderBy('win').execute()) {
    const window = await knownWindow(connection, trx, { budget, win })
    // A lease changes only under the lock of its window: read again.
    const lease = await own
      .select(['granted', 'used'])
      .where('budget', '=', budget)
      .where('win', '=', win)
      .executeTakeFirst()
    if (!window || !lease) continue
    const leased = greater(window.leased - remainingLease(lease), 0n)
    await trx
      .updateTable('budget_windows')
      .set({ leased })
      .where('budget', '=', budget)
      .where('win', '=', win)
      .execute()
  }
  await trx.deleteFrom('budget_leases').where('run', '=', run).execute()
}

/** Marks an ended process run whose spending is unknown. Its leases stay reserved until they count as spent. */
export async function orphanRun({ db }: StoreConnection, run: string): Promise<void> {
  await db
    .updateTable('process_runs')
    .set({ state: 'orphaned' })
    .where('id', '=', run)
    .where('state', '<>', 'closed')
    .execute()
}
