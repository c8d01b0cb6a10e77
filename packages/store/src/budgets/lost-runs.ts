import { type BudgetScope, uuidv7 } from '@headgate/gateway/ports'
import type { StoreConnection } from '../database/connection.ts'
import { lockDays } from '../database/day-zones.ts'
import { transact, type WriteTransaction } from '../database/transaction.ts'
import { journalFolder, runsIn } from '../journal/process-run.ts'
import { forgetBegunRequests, takeBegunRequests } from '../ledger/begun-requests.ts'
import type { LedgerRow } from '../usage/row.ts'
import { writeWithin } from '../usage/write.ts'
import { remainingLease } from './amounts.ts'
import { type ReleaseParts, releaseWithin } from './held.ts'
import type { LostRunSearch } from './lost-run-watch.ts'
import { freeLeases, runsSeen } from './process-runs.ts'
import { type ClockParts, storeTime } from './store-time.ts'
import { knownWindow } from './windows.ts'

/** Time without a heartbeat after which a process run is lost, by the store's clock, in milliseconds. */
export const LOST_AFTER = 60_000

export interface LostRunParts extends ClockParts {
  readonly dataDir: string
  /** Time zone of daily sums if the store has none. */
  readonly zone: string
  /** Ingests what the store has of the journal of a lost run; default: nothing. */
  ingestCopies?(run: string): Promise<void>
  /** Called for each lost run, once by the process that counts its leases as spent. */
  onProblem(message: string): void
  /** Called when budget alerts are due. */
  onAlert?(): void
}

/**
 * Function that counts the leases of lost process runs as spent. It does so when two searches have found the same old
 * heartbeat: after an outage of the store, the others have time for a heartbeat. Runs whose journals are in this data
 * directory are left out, because ingestion reports their exact spending. @throws the store's error
 */
export function createLostRunSearch(parts: LostRunParts): () => Promise<LostRunSearch> {
  let found = new Map<string, bigint>()
  return async () => {
    const { runs, silent } = await findSilent(parts)
    const pending = new Map<string, bigint>()
    for (const { id, seen_at } of silent) {
      if (found.get(id) === seen_at) await bookLostRun(parts, id)
      else pending.set(id, seen_at)
    }
    found = pending
    return { runs, isPending: pending.size > 0 }
  }
}

async function findSilent(parts: LostRunParts) {
  const { connection, dataDir } = parts
  const { db } = connection
  const now = await storeTime(parts, db)
  const rows = await db
    .selectFrom('process_runs as r')
    .select(['r.id', 'r.seen_at'])
    .where('r.state', '<>', 'closed')
    .where('r.seen_at', '<', BigInt(now - LOST_AFTER))
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('budget_leases as l')
          .select('l.run')
          .whereRef('l.run', '=', 'r.id')
          .whereRef('l.granted', '>', 'l.used'),
      ),
    )
    .execute()
  const here = new Set(rows.length > 0 ? runsIn(journalFolder(dataDir)) : [])
  return { runs: await runsSeen(db, now), silent: rows.filter(({ id }) => !here.has(id)) }
}

/**
 * Counts the leases of a process run as spent, in usage rows `unknown` that hold their rest, if its last heartbeat is
 * too old. Resolves with true if it did.
 */
export async function bookLostRun(parts: LostRunParts, run: string): Promise<boolean> {
  const { connection, onProblem, onAlert } = parts
  await parts.ingestCopies?.(run)
  const booked = await transact(connection, async (trx) => {
    // No writer of rows waits for a window that is locked here.
    await lockDays(connection, trx, 'moves')
    const now = await storeTime(parts, trx)
    const known = await lockedRun(connection, trx, run)
    if (!known || known.state === 'closed' || Number(known.seen_at) >= now - LOST_AFTER) return undefined
    return { ...known, ...(await bookLeases(parts, trx, run, now)) }
  })
  if (!booked || booked.leases + booked.requests === 0) return false
  const since = new Date(Number(booked.seen_at)).toISOString()
  onProblem(
    `Process ${run} of ${booked.node || 'an unknown machine'} has sent no heartbeat since ${since}. Its ${booked.leases} budget leases count as spent until its journal is ingested, or until an owner releases them: run \`headgate budgets held\`.`,
  )
  if (booked.alerts > 0) onAlert?.()
  return true
}

/** Process run with a lock until the end of the transaction: it gets no lease meanwhile. */
export function lockedRun(connection: StoreConnection, trx: WriteTransaction, run: string) {
  const runs = trx.selectFrom('process_runs').select(['node', 'state', 'seen_at']).where('id', '=', run)
  return (connection.kind === 'postgres' ? runs.forUpdate() : runs).executeTakeFirst()
}

/**
 * Counts the leases of a locked process run as spent, within a transaction that has locked the days for moves: requests
 * in progress, if the store knows them, and the rest.
 */
export async function bookLeases(
  { connection, zone }: ReleaseParts,
  trx: WriteTransaction,
  run: string,
  now: number,
): Promise<{ readonly leases: number; readonly requests: number; readonly alerts: number }> {
  const begun = await takeBegunRequests(trx, run)
  const first = await writeWithin(connection, trx, { rows: begun, zone })
  // A lease changes only under the lock of its window: read again.
  for (const { budget, win } of await leasesOf(trx, run)) await knownWindow(connection, trx, { budget, win })
  const leases = (await leasesOf(trx, run)).filter((lease) => remainingLease(lease) > 0n)
  const rows = leases.map((lease) => unknownRow(lease, run, now))
  const { alerts } = await writeWithin(connection, trx, { rows, zone })
  for (const [index, { budget, win }] of leases.entries())
    await trx
      .updateTable('budget_leases')
      .set({ lost_row: rows[index]?.id ?? null, lost_at: now })
      .where('budget', '=', budget)
      .where('win', '=', win)
      .where('run', '=', run)
      .execute()
  await trx.updateTable('process_runs').set({ state: 'lost' }).where('id', '=', run).execute()
  return { leases: leases.length, requests: begun.length, alerts: alerts + first.alerts }
}

const UNKNOWN = 'unknown'

/** Usage row that holds the rest of a lease. */
function unknownRow(lease: Awaited<ReturnType<typeof leasesOf>>[number], run: string, now: number): LedgerRow {
  const { budget, win, scope, owner } = lease
  const [id, amount] = [uuidv7(now), String(remainingLease(lease))]
  return {
    id,
    requestId: id,
    principal: scope === ('key' satisfies BudgetScope) ? (owner ?? UNKNOWN) : UNKNOWN,
    family: UNKNOWN,
    format: UNKNOWN,
    model: UNKNOWN,
    provider: UNKNOWN,
    providerModel: UNKNOWN,
    why: UNKNOWN,
    stream: false,
    translated: false,
    status: 0,
    billed: false,
    losses: [],
    attempts: [],
    startedAt: now,
    durationMs: 0,
    cost: null,
    charged: null,
    priceId: null,
    held: amount,
    run,
    spends: [{ budget, win, startsAt: 0, amount, held: amount }],
  }
}

/** Windows are locked in this order. */
function leasesOf(trx: WriteTransaction, run: string) {
  return trx
    .selectFrom('budget_leases as l')
    .leftJoin('budgets as b', 'b.id', 'l.budget')
    .select(['l.budget', 'l.win', 'l.granted', 'l.used', 'b.scope', 'b.owner'])
    .where('l.run', '=', run)
    .orderBy('l.budget')
    .orderBy('l.win')
    .execute()
}

/**
 * Turns the booked amounts of a lost process run into leases again, since its rows arrive now, and postpones the next
 * booking. The run still gets no lease. Changes nothing for other runs.
 */
export async function restoreRun(parts: ReleaseParts & ClockParts, run: string): Promise<void> {
  const { connection } = parts
  const known = await connection.db.selectFrom('process_runs').select('state').where('id', '=', run).executeTakeFirst()
  if (known?.state !== 'lost') return
  await transact(connection, async (trx) => {
    await restoreLeases(parts, trx, run)
    const now = await storeTime(parts, trx)
    await trx
      .updateTable('process_runs')
      .set({ seen_at: now })
      .where('id', '=', run)
      .where('state', '=', 'lost')
      .execute()
  })
}

/**
 * Ends the leases of a process run permanently, so that others can spend the rest, and releases what was booked for
 * them. Call it only for an ended run whose whole journal is ingested. Repeating it changes nothing.
 */
export function closeRun(parts: ReleaseParts, run: string): Promise<void> {
  return transact(parts.connection, async (trx) => {
    await restoreLeases(parts, trx, run)
    await forgetBegunRequests(trx, run)
    await trx.deleteFrom('journal_copies').where('run', '=', run).execute()
    await freeLeases(parts.connection, trx, run)
  })
}

/** Call it first in a transaction. */
async function restoreLeases(parts: ReleaseParts, trx: WriteTransaction, run: string): Promise<void> {
  const { connection } = parts
  const booked = () =>
    trx
      .selectFrom('budget_leases')
      .select(['budget', 'win', 'lost_row', 'lost_at'])
      .where('run', '=', run)
      .where('lost_row', 'is not', null)
      .orderBy('budget')
      .orderBy('win')
      .execute()
  if ((await booked()).length === 0) return
  // No owner releases these amounts meanwhile, and no writer of rows waits for a window that is locked here.
  await lockDays(connection, trx, 'moves')
  for (const { budget, win, lost_row, lost_at } of await booked()) {
    if (lost_row === null || lost_at === null) continue
    const released = await releaseWithin(parts, trx, { id: lost_row, at: lost_at })
    await addToLease(connection, trx, { budget, win, run }, released?.held ?? 0n)
  }
}

/** Adds a booked amount to its lease again. Rows that arrived before are part of `used`. */
async function addToLease(
  connection: StoreConnection,
  trx: WriteTransaction,
  { budget, win, run }: { readonly budget: string; readonly win: string; readonly run: string },
  amount: bigint,
): Promise<void> {
  const window = await knownWindow(connection, trx, { budget, win })
  const before = await trx
    .selectFrom('budget_leases')
    .select(['granted', 'used'])
    .where('budget', '=', budget)
    .where('win', '=', win)
    .where('run', '=', run)
    .executeTakeFirst()
  if (!window || !before) return
  const after = { ...before, used: before.used - amount }
  await trx
    .updateTable('budget_leases')
    .set({ used: after.used, lost_row: null, lost_at: null })
    .where('budget', '=', budget)
    .where('win', '=', win)
    .where('run', '=', run)
    .execute()
  await trx
    .updateTable('budget_windows')
    .set({ leased: window.leased + remainingLease(after) - remainingLease(before) })
    .where('budget', '=', budget)
    .where('win', '=', win)
    .execute()
}
