import { HeadgateError } from '@headgate/gateway/ports'
import { lockDays } from '../database/day-zones.ts'
import { storable } from '../database/group.ts'
import { transact } from '../database/transaction.ts'
import { journalFolder, runsIn } from '../journal/process-run.ts'
import { forgetBegunRequests } from '../ledger/begun-requests.ts'
import { bookLeases, LOST_AFTER, lockedRun } from './lost-runs.ts'
import { freeLeases } from './process-runs.ts'
import { type ClockParts, storeTime } from './store-time.ts'

/** Process run that has not reported its spending: its folder is missing, or a power loss truncated its journal. */
export interface SilentRun {
  readonly run: string
  /** Host name of its machine. */
  readonly node: string
  /** Last heartbeat, Unix milliseconds. */
  readonly since: number
  /** True if it has certainly ended. Otherwise it may only be disconnected from the store and still be spending. */
  readonly isOver: boolean
  readonly leases: readonly SilentLease[]
}

/** Lease of a silent process run. Amounts are nano-dollars. */
export interface SilentLease {
  /** Id of the budget. */
  readonly budget: string
  readonly name: string
  /** Window id, such as `2026-11@Europe/Berlin`. */
  readonly window: string
  /** End of the window in Unix milliseconds, when the lease expires; absent if the window is permanent. */
  readonly endsAt?: number
  readonly granted: bigint
  /** Part of `granted` that is known to be used. */
  readonly used: bigint
}

/** Decision of an operator on orphaned leases: the rest counts as spent, or becomes available again. */
export type OrphanOutcome = 'spent' | 'free'

export interface OrphanParts extends ClockParts {
  readonly dataDir: string
  /** Time zone of daily sums if the store has none. */
  readonly zone: string
}

/**
 * Process runs with leases and without a recent heartbeat. Runs whose journals are in this data directory are left out:
 * they report their own spending.
 */
export async function silentRuns({ connection: { db }, dataDir, now = Date.now }: OrphanParts): Promise<SilentRun[]> {
  const before = BigInt(now() - LOST_AFTER)
  const here = new Set(runsIn(journalFolder(dataDir)))
  const rows = await db
    .selectFrom('budget_leases as l')
    .innerJoin('process_runs as v', 'v.id', 'l.run')
    .innerJoin('budget_windows as w', (join) => join.onRef('w.budget', '=', 'l.budget').onRef('w.win', '=', 'l.win'))
    .leftJoin('budgets as b', 'b.id', 'l.budget')
    .select([
      'l.run',
      'v.node',
      'v.seen_at',
      'v.state',
      'l.budget',
      'b.name',
      'l.win',
      'w.ends_at',
      'l.granted',
      'l.used',
    ])
    .where((is) => is.or([is('v.state', '=', 'orphaned'), is('v.seen_at', '<', before)]))
    .where((is) => is.or([is('w.ends_at', 'is', null), is('w.ends_at', '>', before)]))
    .whereRef('l.granted', '>', 'l.used')
    .orderBy('v.seen_at')
    .orderBy('l.run')
    .orderBy('l.budget')
    .orderBy('l.win')
    .execute()
  const silent = rows.filter(({ run }) => !here.has(run))
  return [...Map.groupBy(silent, ({ run }) => run)].map(([run, own]) => ({
    run,
    node: own[0]?.node ?? '',
    since: Number(own[0]?.seen_at ?? 0n),
    isOver: own[0]?.state === 'orphaned',
    leases: own.map(({ budget, name, win, ends_at, granted, used }) => ({
      budget,
      name: name ?? budget,
      window: win,
      granted,
      used,
      ...(ends_at !== null && { endsAt: Number(ends_at) }),
    })),
  }))
}

/**
 * Ends the leases of a silent process run. With `spent`, each lease becomes a usage row `unknown` that holds its rest,
 * until its journal is ingested or an owner releases it. Resolves with false if they were ended before.
 * @throws HeadgateError `not-found` for an unknown process run, `conflict` for one with a heartbeat in the last minute
 * or a journal in this data directory
 */
export async function endSilentRun(parts: OrphanParts, run: string, how: OrphanOutcome): Promise<boolean> {
  const { connection, dataDir, zone } = parts
  const id = storable(run)
  if (runsIn(journalFolder(dataDir)).includes(id))
    throw new HeadgateError(
      'conflict',
      `The journal of process ${id} is in this data directory. The process reports its own spending, so its leases cannot be ended here.`,
    )
  return transact(connection, async (trx) => {
    // No writer of rows waits for a window that is locked here.
    await lockDays(connection, trx, 'moves')
    const now = await storeTime(parts, trx)
    const known = await lockedRun(connection, trx, id)
    if (!known)
      throw new HeadgateError(
        'not-found',
        `No process ${id} with budget leases exists. \`headgate budgets orphaned\` lists silent processes.`,
      )
    if (known.state === 'closed') return false
    if (known.state !== 'orphaned' && Number(known.seen_at) >= now - LOST_AFTER)
      throw new HeadgateError(
        'conflict',
        `Process ${id} was last seen ${Math.max(0, Math.round((now - Number(known.seen_at)) / 1_000))} s ago and may still be spending. Stop it and try again after one minute.`,
      )
    if (how === 'spent') {
      const { leases } = await bookLeases({ connection, zone }, trx, id, now)
      return leases > 0 || known.state !== 'lost'
    }
    if (known.state === 'lost') return false
    await forgetBegunRequests(trx, id)
    await freeLeases(connection, trx, id)
    return true
  })
}
