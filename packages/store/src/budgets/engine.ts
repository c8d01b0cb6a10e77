import {
  type Budget,
  type BudgetAmounts,
  type BudgetAsk,
  type BudgetRefusal,
  type Budgets,
  budgetAmounts,
  type UsageRow,
} from '@headgate/gateway/ports'
import type { Journal } from '../journal/journal.ts'
import { type Account, isLarge, noteDuration, putBack, take } from './account.ts'
import { smaller } from './amounts.ts'
import { type Asking, type BudgetTimes, createAsking, type LeaseStore, TIMES } from './asking.ts'
import { type BudgetBook, createBook } from './book.ts'
import type { BudgetChanges } from './defined.ts'
import { createHeldShares, type HeldShare, type HeldShares, type HeldWindow } from './held-shares.ts'
import type { Pulse } from './lease.ts'
import { refusalOf } from './refusal.ts'
import type { SettledRow, Settling } from './settled.ts'
import { amountOf, amountsOfSum, type Reservation } from './settlement.ts'
import type { Spend } from './spend.ts'

/** What a row counts for, and what is held for what nobody knows: nano-dollars, a decimal integer. */
export interface Settled {
  readonly spends: readonly Spend[]
  readonly held?: string
}

/** Requests that cost more than was reserved for them. */
export interface Missed {
  readonly requests: number
  readonly nanos: bigint
}

/** Budgets as one process keeps them: in memory, within what the store has leased to it. */
export interface BudgetEngine extends Budgets {
  /** Frees what was reserved for a row, but for what it has cost. Undefined where it counts for no budget. */
  settled(row: UsageRow): Settled | undefined
  change(changes: BudgetChanges): void
  learn(budgets: readonly Budget[]): void
  version(): number
  /** Gives back what others need. */
  recalled(windows: Pulse['recalled']): void
  /** Says that the life goes on, and looks after what it holds: to be called each second. Never rejects. */
  beat(): Promise<void>
  /** Percentage of a shared budget that the unknown costs of one key may hold, from 0 to 1; default 0.2. */
  limitHeld(share?: number): void
  /** Whether it holds anything that others may ask for. */
  holds(): boolean
  /** Requests under way that something is reserved for. */
  underway(): number
  missed(): Missed
}

export interface EngineStore extends LeaseStore {
  beat(): Promise<Pulse>
  /** Told once when nothing more is to be had of a window. */
  usedUp(window: { readonly budget: string; readonly win: string }): Promise<void>
  /** Those of some requests that somebody has settled. */
  settledRows(asked: readonly Settling[]): Promise<readonly SettledRow[]>
  /** Held amounts of keys in windows, without those of this process run. */
  heldShares(windows: readonly HeldWindow[]): Promise<readonly HeldShare[]>
}

export interface EngineOptions {
  readonly journal: Pick<Journal, 'life' | 'append' | 'writable'>
  readonly store: EngineStore
  onProblem(message: string): void
  readonly times?: Partial<BudgetTimes>
  /** Unix time in milliseconds, by which windows begin. */
  readonly now?: () => number
}

/** How often a request that waits for money tries again at most: others may be faster. */
const TRIES = 50

/** Requests that are looked up at once. */
const LOOKED_UP = 500

/**
 * By how much a clock differs from the store's before windows go by the latter, in milliseconds: a slow answer is no
 * difference.
 */
const SKEW = 2_000

/**
 * Within what time after its beginning a request reserves first, in milliseconds: less than the store takes for another
 * clock.
 */
const BEGUN = 4_000

/** State of the budgets of one process. */
interface Engine {
  readonly journal: EngineOptions['journal']
  readonly store: EngineStore
  readonly times: BudgetTimes
  readonly book: BudgetBook
  readonly asking: Asking
  readonly shares: HeldShares
  /** Requests in progress with reservations, by id. */
  readonly open: Map<string, Reservation>
  /** Clock of this process, Unix milliseconds. */
  ownNow(): number
  /** Milliseconds of a clock that never steps. */
  elapsed(): number
  /** Whether an owner has ended this process run. */
  isClosed: boolean
  /** Last time of a search for requests that other processes settled. */
  looked: number
  /** Milliseconds that the store's clock is ahead of the clock of this process. */
  ahead: number
  missedRequests: number
  missedNanos: bigint
}

export function createBudgets(options: EngineOptions): BudgetEngine {
  const engine = createEngine(options)
  const { book, open, shares, asking, journal } = engine
  return {
    bounds: (principal) => (book.planOf(principal, nowOf(engine))?.hard.length ?? 0) > 0,
    reserve: (ask) => reserve(engine, ask),
    release(id) {
      const known = open.get(id)
      if (!known) return
      open.delete(id)
      putBack(known.accounts, known.bound)
      void journal.append({ kind: 'r', id })
    },
    settled(row) {
      const known = open.get(row.id)
      return known ? settle(engine, known, row) : count(engine, row)
    },
    change(changes) {
      for (const account of book.change(changes)) asking.giveBack(account, 0)
    },
    learn: book.learn,
    version: book.version,
    recalled: (windows) => giveBack(engine, windows),
    beat: () => beat(engine),
    limitHeld: shares.configure,
    holds: () => [...book.accounts()].some(({ free, reserved }) => free + reserved > 0),
    underway: () => open.size,
    missed: () => ({ requests: engine.missedRequests, nanos: engine.missedNanos }),
  }
}

function createEngine({ journal, store, onProblem, times: given, now: ownNow = Date.now }: EngineOptions): Engine {
  const times = { ...TIMES, ...given }
  const elapsed = performance.now.bind(performance)
  const book = createBook(journal.life)
  const asking = createAsking({
    store,
    times,
    now: elapsed,
    onClosed() {
      if (!engine.isClosed) onProblem('An owner has ended what this process may spend of its budgets. Start it again.')
      engine.isClosed = true
    },
    onGone: book.remove,
    onSkew: (at) => compareClocks(engine, at, ownNow()),
    onProblem,
  })
  const engine: Engine = {
    journal,
    store,
    times,
    book,
    asking,
    shares: createHeldShares((windows) => store.heldShares(windows), elapsed),
    open: new Map(),
    ownNow,
    elapsed,
    isClosed: false,
    looked: elapsed(),
    ahead: 0,
    missedRequests: 0,
    missedNanos: 0n,
  }
  return engine
}

/** Windows go by the store's clock: the clock of this process may step. */
function nowOf({ ownNow, ahead }: Engine): number {
  return ownNow() + ahead
}

function compareClocks(engine: Engine, storeTime: number, sentAt: number): void {
  const difference = storeTime - (sentAt + engine.ownNow()) / 2
  engine.ahead = Math.abs(difference) < SKEW ? 0 : Math.round(difference)
}

function reserve(engine: Engine, ask: BudgetAsk): ReturnType<Budgets['reserve']> {
  const { journal, times, shares, open } = engine
  const { bound } = ask
  const accounts = accountsFor(engine, ask)
  const [first] = accounts
  if (!first) return undefined
  if (bound === null || !Number.isSafeInteger(bound) || bound < 0) return refusalOf(first, 'price-unknown', 0)
  if (engine.isClosed || !journal.writable()) return refusalOf(first, 'away', bound, times.away)
  const refusal = heldTooMuch(engine, accounts, ask, bound)
  if (refusal) return refusal
  if (!shares.isUnread(accounts) && !take(accounts, bound)) return begin(engine, ask, bound, accounts)
  return wait(engine, ask, bound, open.has(ask.id))
}

/** The accounts of a request: those of its first call also if a window has ended since. */
function accountsFor(engine: Engine, ask: BudgetAsk): readonly Account[] {
  const { open, book, ahead } = engine
  return open.get(ask.id)?.accounts ?? book.planOf(ask.principal, windowTime(ask.at + ahead, nowOf(engine)))?.hard ?? []
}

/** Refuses a key whose unknown costs hold too much of a budget that it shares. Other keys can continue. */
function heldTooMuch(
  { shares }: Engine,
  accounts: readonly Account[],
  { principal }: BudgetAsk,
  bound: number,
): BudgetRefusal | undefined {
  const found = shares.exceeded(accounts, principal.id, bound)
  return found && { ...refusalOf(found.account, 'held', bound), held: found.held, room: found.room }
}

/** Records the beginning of a call whose bound is reserved. Resolves once the call may begin. */
async function begin(
  engine: Engine,
  ask: BudgetAsk,
  bound: number,
  accounts: readonly Account[],
): Promise<BudgetRefusal | undefined> {
  const { open, journal, times } = engine
  const { id, principal, at, family, format, model, provider, providerModel, priceId, tags } = ask
  const known = open.get(id)
  const began = engine.elapsed()
  if (known) {
    known.bounds ??= [known.bound]
    known.bounds.push(bound)
    known.bound += bound
  } else open.set(id, { id, principal: principal.id, startedAt: at, accounts, bound, bounds: undefined, at: began })
  for (const account of accounts) account.usedAt = began
  const of = { id, at, principal: principal.id, family, format, model, provider, providerModel, priceId, tags }
  await journal.append({ kind: 'b', ...of, bound: String(bound), holds: accounts.map(({ hold }) => hold) })
  if (journal.writable()) return undefined
  undo(engine, id, bound)
  return accounts[0] && refusalOf(accounts[0], 'away', bound, times.away)
}

/** Takes back the last call of a request. */
function undo({ open, journal }: Engine, id: string, bound: number): void {
  const known = open.get(id)
  if (!known) return
  putBack(known.accounts, bound)
  known.bound -= bound
  known.bounds?.pop()
  if (known.bounds?.length) return
  open.delete(id)
  void journal.append({ kind: 'r', id })
}

/** Reserves with the help of the store, which leases more or denies it. */
async function wait(
  engine: Engine,
  ask: BudgetAsk,
  bound: number,
  isLate: boolean,
): Promise<BudgetRefusal | undefined> {
  const { shares, asking, times } = engine
  // A store that does not answer is no reason to refuse: the budget itself limits.
  await shares.read(accountsFor(engine, ask)).catch(() => {})
  for (let tries = 0; ; tries += 1) {
    const accounts = accountsFor(engine, ask)
    if (accounts.length === 0) return undefined
    const refusal = heldTooMuch(engine, accounts, ask, bound)
    if (refusal) return refusal
    const short = take(accounts, bound)
    if (!short) return begin(engine, ask, bound, accounts)
    const verdict = tries < TRIES ? await asking.obtain(short, bound, isLate) : 'denied'
    const isNext = verdict === 'moved' && !isLate && !accountsFor(engine, ask).includes(short)
    if (verdict === 'away' || (verdict === 'moved' && !isNext)) return refusalOf(short, 'away', bound, times.away)
    if (verdict !== 'denied' || short.free >= bound) continue
    return refused(engine, short, bound, accounts)
  }
}

function refused({ store }: Engine, short: Account, bound: number, accounts: readonly Account[]): BudgetRefusal {
  const refusal = refusalOf(short, 'limit', bound)
  if (refusal.retryAfterMs === undefined && BigInt(bound) <= short.budget.limit && !short.isToldUsedUp) {
    short.isToldUsedUp = true
    store.usedUp({ budget: short.budget.id, win: short.window.id }).catch(() => {
      short.isToldUsedUp = false
    })
  }
  // The budget with the least left limits the request.
  const rooms = accounts
    .map((account) => refusalOf(account, 'limit', bound))
    .filter((_, index) => accounts[index]?.state)
  return { ...refusal, room: rooms.reduce((least, { room }) => smaller(room, least), refusal.room) }
}

function settle(engine: Engine, known: Reservation, row: UsageRow): Settled {
  const { open, shares, book } = engine
  open.delete(known.id)
  const { accounts, bound } = known
  const at = engine.elapsed()
  const bounds = known.bounds ?? [bound]
  const { settled, held } = budgetAmounts(row, bounds, 'cost')
  const most = settled + held
  const spends: Spend[] = []
  for (const account of accounts) {
    const amounts = budgetAmounts(row, bounds, account.budget.counts)
    account.reserved -= bound
    account.free += bound - sumOf(amounts)
    account.usedAt = at
    noteDuration(account.durations, at - known.at)
    shares.add(account, row.principal, amounts.held)
    spends.push(spendOf(account, amounts))
  }
  if (most > bound) {
    engine.missedRequests += 1
    engine.missedNanos += BigInt(most - bound)
  }
  for (const account of book.planOfId(row.principal, nowOf(engine))?.soft ?? [])
    spends.push({ ...spendOf(account, budgetAmounts(row, bounds, account.budget.counts)), isFree: true })
  return row.cost === null || held > 0 ? { spends, held: String(held) } : { spends }
}

/**
 * Counts a row without a reservation here, as far as its cost is known, in the windows in which it began. If a process
 * that has ended reserved for it, the rest of that reservation counts for it too.
 */
function count({ book, ahead }: Engine, row: UsageRow): Settled | undefined {
  const plan = book.planOfId(row.principal, row.startedAt + ahead)
  if (!plan) return undefined
  const spends = [...plan.soft, ...plan.hard].flatMap((account): Spend[] => {
    const amount = amountOf(account.budget.counts, row, [])
    return amount > 0 ? [{ ...spendOf(account, { settled: amount, held: 0 }), isFree: true }] : []
  })
  return spends.length > 0 ? { spends } : undefined
}

/** Settles long requests that another process has ended, as it does with tasks that it looks after. */
async function lookElsewhere(engine: Engine): Promise<void> {
  const { times, store, open } = engine
  const before = engine.elapsed() - times.elsewhere
  if (engine.looked > before) return
  engine.looked = engine.elapsed()
  const asked: Settling[] = []
  for (const { id, startedAt, at } of open.values()) if (at <= before) asked.push({ id, startedAt })
  for (let start = 0; start < asked.length; start += LOOKED_UP)
    for (const row of await store.settledRows(asked.slice(start, start + LOOKED_UP))) settleElsewhere(engine, row)
}

/** Counts a row of another process. Amounts that it has counted came from no lease, and are returned from ours. */
function settleElsewhere(engine: Engine, { id, counted, ...row }: SettledRow): void {
  const { open, shares, asking, book, journal, ahead } = engine
  const known = open.get(id)
  if (!known) return
  open.delete(id)
  const { bound, principal, startedAt } = known
  const countedOf = ({ hold }: Account) =>
    counted.find(({ budget, win }) => budget === hold.budget && win === hold.win)?.amount
  const spends: Spend[] = []
  for (const account of known.accounts) {
    const there = countedOf(account)
    const amounts =
      there === undefined
        ? amountsOfSum(account.budget.counts, row, bound)
        : { settled: Math.max(0, Number(there)), held: 0 }
    const amount = sumOf(amounts)
    account.reserved -= bound
    account.free += bound - amount
    if (there === undefined) {
      shares.add(account, principal, amounts.held)
      spends.push(spendOf(account, amounts))
    } else if (amount > 0) {
      account.owed += amount
      asking.giveBack(account, 0)
    }
  }
  for (const account of book.planOfId(principal, startedAt + ahead)?.soft ?? [])
    if (countedOf(account) === undefined)
      spends.push({ ...spendOf(account, amountsOfSum(account.budget.counts, row, bound)), isFree: true })
  void journal.append({ kind: 'r', id, ...(spends.length > 0 && { at: startedAt, principal, spends }) })
}

function giveBack({ book, asking }: Engine, windows: Pulse['recalled']): void {
  for (const { budget, win, recall } of windows) {
    const account = book.accountOf(budget, win)
    if (account) asking.giveBack(account, recall)
  }
}

async function beat(engine: Engine): Promise<void> {
  const { book, open, asking, store, shares, times, ownNow, elapsed } = engine
  let used: ReadonlySet<Account> | undefined
  const isOpen = (account: Account): boolean => {
    used ??= new Set([...open.values()].flatMap((request) => request.accounts))
    return used.has(account)
  }
  for (const account of book.tidy(nowOf(engine), elapsed() - times.forget, isOpen)) asking.giveBack(account, 0)
  const accounts = [...book.accounts()]
  for (const account of accounts)
    if ((account.pending || account.isReturning) && elapsed() >= account.awayUntil) asking.resume(account)
  if (!accounts.some(({ seq }) => seq > 0)) return
  try {
    const sentAt = ownNow()
    const pulse = await store.beat()
    compareClocks(engine, pulse.now, sentAt)
    if (pulse.isClosed) engine.isClosed = true
    await lookElsewhere(engine)
    await shares.read(accounts)
    giveBack(engine, pulse.recalled)
    if (pulse.lives <= 1) return
    for (const account of accounts) {
      if (isIdle(engine, account)) asking.giveBack(account, 0)
      else if (account.usedAt > elapsed() - times.unused) asking.refill(account)
    }
  } catch {
    // Requests that need the store get its error.
  }
}

/** Whether a lease is idle: soon if it is large, since a process that dies keeps it from others. */
function isIdle({ elapsed, times }: Engine, account: Account): boolean {
  const { free, isChanging, usedAt } = account
  if (free <= 0 || isChanging) return false
  return usedAt < elapsed() - (isLarge(account) ? times.idle : times.unused)
}

/** A call counts in the windows that its request began in, unless that was long ago. */
function windowTime(at: number, now: number): number {
  return at <= now && now - at < BEGUN ? at : now
}

function sumOf({ settled, held }: BudgetAmounts): number {
  return settled + held
}

function spendOf({ hold }: Account, amounts: BudgetAmounts): Spend {
  const { held } = amounts
  return { ...hold, amount: String(sumOf(amounts)), ...(held > 0 && { held: String(held) }) }
}
