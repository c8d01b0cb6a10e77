import { beginLocking, transact, type WriteTransaction } from '../database/transaction.ts'
import { recordChange } from '../keys/changes.ts'
import type { TableRow } from '../schema/tables.ts'
import { greater, remainingLease, smaller } from './amounts.ts'
import { type LeaseChange, type LeaseKey, type LeaseReply, SEEN, type WindowState } from './lease.ts'
import { enterRun, runsSeen } from './process-runs.ts'
import { type LeaseParts, storeTime } from './store-time.ts'
import { lockWindow } from './windows.ts'

type LeaseRequest = Extract<LeaseChange, { kind: 'ask' }>

interface StoredLease {
  readonly run: string
  readonly granted: bigint
  readonly used: bigint
  readonly seq: bigint
  readonly delta: bigint
  readonly answered: bigint
  readonly seen_at: bigint | null
}

/** Maximum difference between the clocks of a process and of the store at the ends of a window, in milliseconds. */
const SKEW = 5_000
/** Time after the end of a window in which admitted requests can make further calls, in milliseconds. */
const LATE = 3_600_000
/** Maximum amount of one grant: sums in memory are doubles. */
const MOST = 2n ** 52n

/**
 * Applies a lease change once, even if it is repeated. Leased and spent amounts never exceed the limit afterwards,
 * unless the limit was lowered. Durable when it resolves.
 * @throws the store's error; the change may or may not be applied then
 */
export function changeLease(parts: LeaseParts, key: LeaseKey, change: LeaseChange): Promise<LeaseReply> {
  const { connection } = parts
  return transact(connection, async (trx) => {
    await beginLocking(connection, trx)
    const now = await storeTime(parts, trx)
    if (change.kind === 'ask' && !(await enterRun({ connection, node: parts.node }, trx, key.run, now)))
      return { kind: 'closed' }
    const limit = await limitOf(trx, key.budget)
    const window = await lockWindow(connection, trx, key)
    const leases = await leasesOf(trx, key)
    const own = leases.find(({ run }) => run === key.run)
    const context = { parts, trx, key, now, limit: limit ?? 0n, window, leases, own }
    const seq = BigInt(change.seq)
    // A repetition of the last change has its answer. An older change is void: it was answered long ago, or never will
    // be.
    if (own && own.seq >= seq)
      return { kind: 'changed', delta: own.seq === seq ? Number(own.delta) : 0, state: stateOf(context) }
    // Without a lease there is nothing to return.
    if (change.kind === 'give')
      return own ? give(context, own, change) : { kind: 'changed', delta: 0, state: stateOf(context) }
    if (limit === undefined) return { kind: 'gone' }
    if (!isNow(key, now, change)) return { kind: 'not-now', now }
    return ask(context, change)
  })
}

interface LeaseContext {
  readonly parts: LeaseParts
  readonly trx: WriteTransaction
  readonly key: LeaseKey
  readonly now: number
  readonly limit: bigint
  readonly window: TableRow<'budget_windows'>
  readonly leases: readonly StoredLease[]
  readonly own: StoredLease | undefined
}

async function ask(context: LeaseContext, change: LeaseRequest): Promise<LeaseReply> {
  const { trx, key, limit, window, own, now } = context
  const room = limit - window.spent - window.leased
  const runs = await runsSeen(trx, now)
  const delta = sizeOf(change, { room, limit, runs })
  if (delta === undefined) return deny(context, change)
  const before = own ? remainingLease(own) : 0n
  const granted = (own?.granted ?? 0n) + delta
  const { run, budget, win } = key
  const values = { granted, seq: change.seq, delta }
  await trx
    .insertInto('budget_leases')
    .values({ run, budget, win, used: 0, answered: window.recall, ...values })
    .onConflict((conflict) => conflict.columns(['budget', 'win', 'run']).doUpdateSet(values))
    .execute()
  // A grant first fills the deficit of an overdrawn lease.
  const leased = window.leased + remainingLease({ granted, used: own?.used ?? 0n }) - before
  await setLeased(trx, key, leased)
  const changed = { ...context, window: { ...window, leased }, own: { ...(own ?? NEW), granted } }
  return { kind: 'changed', delta: Number(delta), state: stateOf(changed) }
}

const NEW = { run: '', used: 0n, seq: 0n, delta: 0n, answered: 0n, seen_at: null }

/** Minimum number of requests that a lease pays for, while it is a small part of its budget. */
const FEW = 16n

/**
 * Amount to grant. A single process gets all of it and counts in memory. Each of several processes gets the amount it
 * reserves in 10 s, and at least 16 requests, so that it can serve them while the store is unreachable; but at most 2 %
 * of the limit, and half of an equal part of the rest. Near the end it gets exactly what it needs. Undefined if there
 * is not enough.
 */
function sizeOf(
  { need, want, pace, isSpare }: LeaseRequest,
  { room, limit, runs }: { room: bigint; limit: bigint; runs: number },
): bigint | undefined {
  const [least, nodes] = [BigInt(need), BigInt(runs)]
  if (room < least || room <= 0n) return undefined
  if (runs <= 1) return smaller(room, MOST > least ? MOST : least)
  if (isSpare && room < limit / 10n) return undefined
  const wanted = smaller(room, BigInt(Math.max(need, want)))
  if (room < 8n * least * nodes) return wanted
  const used = greater(BigInt(Math.min(Math.round(pace), Number(MOST))), FEW * least)
  return greater(smaller(smaller(room / (2n * nodes), used), limit / 50n), wanted)
}

/** Denies a request and recalls unused leases from other processes. */
async function deny(context: LeaseContext, { recall: awaited, isSpare }: LeaseRequest): Promise<LeaseReply> {
  const { parts, trx, key, window, leases, now } = context
  const holding = leases.filter((lease) => lease.run !== key.run && remainingLease(lease) > 0n && isSeen(lease, now))
  const state = stateOf(context)
  const isUnanswered = (recall: bigint) => holding.filter(({ answered }) => answered < recall).length
  if (awaited !== undefined)
    return { kind: 'denied', state, waitingFor: isUnanswered(BigInt(awaited)), recall: awaited }
  if (holding.length === 0 || isSpare) return { kind: 'denied', state, waitingFor: 0, recall: 0 }
  // A pending recall is not repeated: returned amounts go to the next request.
  const isUnderway = isUnanswered(window.recall) === holding.length
  const recall = isUnderway ? window.recall : window.recall + 1n
  if (!isUnderway) {
    await trx
      .updateTable('budget_windows')
      .set({ recall })
      .where('budget', '=', key.budget)
      .where('win', '=', key.win)
      .execute()
    await recordChange(parts.connection, trx, 'recalls')
  }
  return { kind: 'denied', state, waitingFor: holding.length, recall: Number(recall) }
}

async function give(
  context: LeaseContext,
  own: StoredLease,
  { seq, amount, answered }: Extract<LeaseChange, { kind: 'give' }>,
): Promise<LeaseReply> {
  const { trx, key, window } = context
  const granted = own.granted - BigInt(amount)
  const leased = window.leased + remainingLease({ ...own, granted }) - remainingLease(own)
  await trx
    .updateTable('budget_leases')
    .set({ granted, seq, delta: -amount, answered: BigInt(answered) > own.answered ? answered : own.answered })
    .where('budget', '=', key.budget)
    .where('win', '=', key.win)
    .where('run', '=', key.run)
    .execute()
  if (leased !== window.leased) await setLeased(trx, key, leased)
  return {
    kind: 'changed',
    delta: -amount,
    state: stateOf({ ...context, window: { ...window, leased }, own: { ...own, granted } }),
  }
}

function stateOf({ limit, window: { spent, leased }, own }: LeaseContext): WindowState {
  return { limit, spent, leased, own: own ? remainingLease(own) : 0n }
}

function isSeen({ seen_at }: StoredLease, now: number): boolean {
  return seen_at !== null && Number(seen_at) >= now - SEEN
}

function isNow(
  { startsAt, endsAt = Number.POSITIVE_INFINITY }: LeaseKey,
  now: number,
  { isLate }: LeaseRequest,
): boolean {
  return startsAt - SKEW <= now && now < endsAt + (isLate ? LATE : SKEW)
}

async function leasesOf(trx: WriteTransaction, { budget, win }: LeaseKey): Promise<StoredLease[]> {
  return trx
    .selectFrom('budget_leases as l')
    .leftJoin('process_runs as v', 'v.id', 'l.run')
    .select(['l.run', 'l.granted', 'l.used', 'l.seq', 'l.delta', 'l.answered', 'v.seen_at'])
    .where('l.budget', '=', budget)
    .where('l.win', '=', win)
    .execute()
}

/** Undefined if the budget no longer exists. */
async function limitOf(trx: WriteTransaction, budget: string): Promise<bigint | undefined> {
  const rows = trx.selectFrom('budgets').select('limit_nanos').where('id', '=', budget).where('removed_at', 'is', null)
  return (await rows.executeTakeFirst())?.limit_nanos
}

async function setLeased(trx: WriteTransaction, { budget, win }: LeaseKey, leased: bigint): Promise<void> {
  await trx.updateTable('budget_windows').set({ leased }).where('budget', '=', budget).where('win', '=', win).execute()
}
