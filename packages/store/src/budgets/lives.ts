import type { Connection } from '../database/connection.ts'
import { transact, type Writing } from '../database/transaction.ts'
import { greater, outstanding } from './amounts.ts'
import { type Pulse, SEEN } from './lease.ts'
import { type LeaseParts, storeTime } from './store-time.ts'
import { knownWindow } from './windows.ts'

/** Makes a life known. Resolves with whether it goes on: one that is over gets nothing any more. */
export async function enterLife(
  { connection, node }: Pick<LeaseParts, 'connection' | 'node'>,
  trx: Writing,
  life: string,
  now: number,
): Promise<boolean> {
  const read = () => {
    const rows = trx.selectFrom('lives').select('state').where('id', '=', life)
    return (connection.kind === 'postgres' ? rows.forShare() : rows).executeTakeFirst()
  }
  const known = await read()
  if (known) return known.state === 'open'
  await trx
    .insertInto('lives')
    .values({ id: life, node, seen_at: now, state: 'open' })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return (await read())?.state === 'open'
}

/** Says that a life goes on, and hears what there is for it. */
export async function beat(parts: LeaseParts, life: string): Promise<Pulse> {
  const { connection } = parts
  return transact(connection, async (trx) => {
    const now = await storeTime(parts, trx)
    if (!(await enterLife(parts, trx, life, now))) return { now, isClosed: true, lives: 0, recalled: [] }
    await trx.updateTable('lives').set({ seen_at: now }).where('id', '=', life).where('state', '=', 'open').execute()
    return { now, isClosed: false, lives: await livesSeen(trx, now), recalled: await recalledOf(trx, life) }
  })
}

/** How many were seen of late. */
export async function livesSeen(trx: Writing, now: number): Promise<number> {
  const query = trx.selectFrom('lives').select((of) => of.fn.countAll<bigint>().as('count'))
  const { count } = await query
    .where('state', '=', 'open')
    .where('seen_at', '>=', BigInt(now - SEEN))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Windows of which a life is to give back what it does not need. */
export async function recalledOf(db: Pick<Writing, 'selectFrom'>, life: string): Promise<Pulse['recalled']> {
  const rows = await db
    .selectFrom('budget_leases as l')
    .innerJoin('budget_windows as w', (join) => join.onRef('w.budget', '=', 'l.budget').onRef('w.win', '=', 'l.win'))
    .select(['l.budget', 'l.win', 'w.recall'])
    .where('l.life', '=', life)
    .whereRef('w.recall', '>', 'l.answered')
    .execute()
  return rows.map(({ budget, win, recall }) => ({ budget, win, recall: Number(recall) }))
}

/**
 * Ends the leases of a life, for ever: what they have left may be spent by others. Only once it is surely over and its
 * journal is in the store as a whole. Doing it twice changes nothing.
 */
export function closeLife(connection: Connection, life: string): Promise<void> {
  return transact(connection, (trx) => freeLeases(connection, trx, life))
}

/** The same within a transaction that holds at most windows. */
export async function freeLeases(connection: Connection, trx: Writing, life: string): Promise<void> {
  const closed = { state: 'closed' }
  await trx
    .insertInto('lives')
    .values({ id: life, node: '', seen_at: Date.now(), ...closed })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(closed))
    .execute()
  const own = trx.selectFrom('budget_leases').where('life', '=', life)
  // In the order in which windows are locked.
  for (const { budget, win } of await own.select(['budget', 'win']).orderBy('budget').orderBy('win').execute()) {
    const window = await knownWindow(connection, trx, { budget, win })
    // Nobody changes a lease but with its window in hand: read again.
    const lease = await own
      .select(['granted', 'used'])
      .where('budget', '=', budget)
      .where('win', '=', win)
      .executeTakeFirst()
    if (!window || !lease) continue
    const leased = greater(window.leased - outstanding(lease), 0n)
    await trx
      .updateTable('budget_windows')
      .set({ leased })
      .where('budget', '=', budget)
      .where('win', '=', win)
      .execute()
  }
  await trx.deleteFrom('budget_leases').where('life', '=', life).execute()
}

/** What a life may have spent stays held until an owner has said what has become of it. */
export async function doubtLife({ db }: Connection, life: string): Promise<void> {
  await db.updateTable('lives').set({ state: 'doubt' }).where('id', '=', life).where('state', '=', 'open').execute()
}
