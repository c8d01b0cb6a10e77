import { type BudgetScope, HeadgateError, uuidv7 } from '@headgate/gateway/ports'
import type { Connection } from '../database/connection.ts'
import { lockDays } from '../database/day-zones.ts'
import { storable } from '../database/group.ts'
import { transact, type Writing } from '../database/transaction.ts'
import { journalFolder, livesIn } from '../journal/life.ts'
import type { LedgerRow } from '../usage/row.ts'
import { writeWithin } from '../usage/write.ts'
import { outstanding } from './amounts.ts'
import { freeLeases } from './lives.ts'
import { type ClockParts, storeTime } from './store-time.ts'
import { knownWindow } from './windows.ts'

/**
 * A life that has not come back to say what it has spent: its folder is gone, or a loss of power has cut its journal.
 */
export interface SilentLife {
  readonly life: string
  /** Name of its machine. */
  readonly node: string
  /** When it was last heard of, Unix time in milliseconds. */
  readonly since: number
  /** Whether it is surely over. Else it may only be cut off from the store, and go on with what it has. */
  readonly isOver: boolean
  readonly leases: readonly SilentLease[]
}

/** What a silent life may spend of a budget. Amounts are nano-dollars. */
export interface SilentLease {
  /** Its id. */
  readonly budget: string
  readonly name: string
  /** As `2026-11@Europe/Berlin`. */
  readonly window: string
  /** When that ends, Unix time in milliseconds: what is in doubt no longer matters then. Absent of one for ever. */
  readonly endsAt?: number
  readonly granted: bigint
  /** Of that, what it has surely used. */
  readonly used: bigint
}

/** What an owner says that has become of what a life has left: it is spent, or nobody has spent it. */
export type DoubtEnd = 'spent' | 'free'

/** After how long a life that is not heard of is silent, in milliseconds. */
const SILENT = 60_000

export interface DoubtParts extends ClockParts {
  readonly dataDir: string
  /** In which days are summed up where the store has none. */
  readonly zone: string
}

/**
 * Lives that hold something and were not seen for a while. Those whose journals are here go on, or say by themselves
 * what they have spent.
 */
export async function silentLives({ connection: { db }, dataDir, now = Date.now }: DoubtParts): Promise<SilentLife[]> {
  const before = BigInt(now() - SILENT)
  const here = new Set(livesIn(journalFolder(dataDir)))
  const rows = await db
    .selectFrom('budget_leases as l')
    .innerJoin('lives as v', 'v.id', 'l.life')
    .innerJoin('budget_windows as w', (join) => join.onRef('w.budget', '=', 'l.budget').onRef('w.win', '=', 'l.win'))
    .leftJoin('budgets as b', 'b.id', 'l.budget')
    .select([
      'l.life',
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
    .where((is) => is.or([is('v.state', '=', 'doubt'), is('v.seen_at', '<', before)]))
    .where((is) => is.or([is('w.ends_at', 'is', null), is('w.ends_at', '>', before)]))
    .whereRef('l.granted', '>', 'l.used')
    .orderBy('v.seen_at')
    .orderBy('l.life')
    .orderBy('l.budget')
    .orderBy('l.win')
    .execute()
  const silent = rows.filter(({ life }) => !here.has(life))
  return [...Map.groupBy(silent, ({ life }) => life)].map(([life, own]) => ({
    life,
    node: own[0]?.node ?? '',
    since: Number(own[0]?.seen_at ?? 0n),
    isOver: own[0]?.state === 'doubt',
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
 * Ends what a silent life holds, for ever, as an owner says: with `spent` each lease becomes a usage row `unknown` that
 * holds what was left of it. Resolves with whether it did: false where somebody has ended it before.
 *
 * @throws HeadgateError `not-found` for a life that nobody knows, `conflict` for one that was heard of in the last
 * minute, or whose journal is here.
 */
export async function endDoubt(parts: DoubtParts, life: string, how: DoubtEnd): Promise<boolean> {
  const { connection, dataDir, zone } = parts
  const id = storable(life)
  if (livesIn(journalFolder(dataDir)).includes(id))
    throw new HeadgateError(
      'conflict',
      `The journal of the process ${id} is in this data directory: it goes on, or says by itself what it has spent.`,
    )
  return transact(connection, async (trx) => {
    // In the order of those who write rows, and before anything is read.
    await lockDays(connection, trx, 'sums')
    const now = await storeTime(parts, trx)
    const lives = trx.selectFrom('lives').select(['state', 'seen_at']).where('id', '=', id)
    const known = await (connection.kind === 'postgres' ? lives.forUpdate() : lives).executeTakeFirst()
    if (!known) throw new HeadgateError('not-found', `No process ${id} is known that holds anything of a budget.`)
    if (known.state === 'closed') return false
    if (known.state === 'open' && Number(known.seen_at) >= now - SILENT)
      throw new HeadgateError(
        'conflict',
        `The process ${id} was heard of ${Math.max(0, Math.round((now - Number(known.seen_at)) / 1_000))} s ago, and may be spending. Stop it, and try again after a minute.`,
      )
    if (how === 'spent') await writeWithin(connection, trx, { rows: await unknownRows(connection, trx, id, now), zone })
    await freeLeases(connection, trx, id)
    return true
  })
}

/** A row for each lease: what it holds takes the whole of it. */
async function unknownRows(connection: Connection, trx: Writing, life: string, now: number): Promise<LedgerRow[]> {
  const leases = await leasesOf(trx, life)
  // Nobody changes a lease but with its window in hand: read again.
  for (const { budget, win } of leases) await knownWindow(connection, trx, { budget, win })
  return (await leasesOf(trx, life)).flatMap(({ budget, win, scope, owner, ...lease }): LedgerRow[] => {
    const amount = String(outstanding(lease))
    if (amount === '0') return []
    const id = uuidv7()
    return [
      {
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
        life,
        spends: [{ budget, win, startsAt: 0, amount, held: amount }],
      },
    ]
  })
}

const UNKNOWN = 'unknown'

/** In the order in which windows are locked. */
function leasesOf(trx: Writing, life: string) {
  return trx
    .selectFrom('budget_leases as l')
    .leftJoin('budgets as b', 'b.id', 'l.budget')
    .select(['l.budget', 'l.win', 'l.granted', 'l.used', 'b.scope', 'b.owner'])
    .where('l.life', '=', life)
    .orderBy('l.budget')
    .orderBy('l.win')
    .execute()
}
