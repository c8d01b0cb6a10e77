import {
  type Budget,
  type BudgetAmounts,
  type BudgetRefusal,
  type BudgetRequest,
  type Budgets,
  budgetAmounts,
  type UsageRow,
} from '@headgate/gateway/ports'
import type { Journal } from '../journal/journal.ts'
import { valueWithin } from '../within.ts'
import { isLarge, type LeaseAccount, recordDuration, reserveAll, unreserve } from './account.ts'
import { smaller } from './amounts.ts'
import { type BudgetBook, createBudgetBook } from './book.ts'
import type { BudgetChanges } from './defined.ts'
import { createHeldShares, type HeldShare, type HeldShares, type HeldWindow } from './held-shares.ts'
import type { Pulse } from './lease.ts'
import { BUDGET_TIMES, type BudgetTimes, createLeaseClient, type LeaseClient, type LeaseStore } from './lease-client.ts'
import { refusalOf } from './refusal.ts'
import type { ReservedRequest, SettledRow } from './settled.ts'
import { amountOf, amountsOfSum, type Reservation } from './settlement.ts'
import type { Spend } from './spend.ts'

/** Amounts that a row counts for, and the part that is held for unknown costs: nano-dollars, a decimal integer. */
export interface BudgetedAmounts {
  readonly spends: readonly Spend[]
  readonly held?: string
}

/** Requests that cost more than their reservation. */
export interface ExceededReservations {
  readonly requests: number
  readonly nanos: bigint
}

/** Budgets of one process: counted in memory, within the leases that the store granted. */
export interface BudgetEngine extends Budgets {
  /** Settles the reservation of a row at its actual cost. Undefined if no budget counts it. */
  settled(row: UsageRow): BudgetedAmounts | undefined
  change(changes: BudgetChanges): void
  learn(budgets: readonly Budget[]): void
  version(): number
  /** Returns leases that other processes need. */
  recalled(windows: Pulse['recalled']): void
  /** Sends a heartbeat and maintains the leases; call it every second. Never rejects. */
  heartbeat(): Promise<void>
  /** Maximum part of a shared budget that unknown costs of one key can hold, from 0 to 1; default 0.2. */
  limitHeld(share?: number): void
  /** True if it has leases that other processes could need. */
  holds(): boolean
  /** Number of requests in progress with reservations. */
  underway(): number
  /** True if a request in progress has a reservation here, by the id of its row. */
  owns(id: string): boolean
  /** All known budgets, for the engine of another process run. */
  known(): BudgetChanges
  missed(): ExceededReservations
}

export interface EngineStore extends LeaseStore {
  heartbeat(): Promise<Pulse>
  /** Reports once that a window is used up. */
  usedUp(window: { readonly budget: string; readonly win: string }): Promise<void>
  /** Rows of these requests that another process has settled. */
  settledRows(pending: readonly ReservedRequest[]): Promise<readonly SettledRow[]>
  /** Held amounts of keys in windows, except by this process run. */
  heldShares(windows: readonly HeldWindow[]): Promise<readonly HeldShare[]>
}

export interface EngineOptions {
  readonly journal: Pick<Journal, 'run' | 'append' | 'writable'>
  readonly store: EngineStore
  onProblem(message: string): void
  /**
   * Resolves with true once the store has the begin records that were written so far. Calls wait for it. Default: they
   * wait for the journal only.
   */
  begun?(): Promise<boolean>
  /** Called at each heartbeat after the process run was closed: it admits no more requests. */
  onClosed?(): void
  readonly times?: Partial<BudgetTimes>
  /** Clock that determines windows, Unix milliseconds. */
  readonly now?: () => number
  /** Monotonic clock, in milliseconds. */
  readonly elapsed?: (() => number) | undefined
}

/** Maximum attempts of a waiting request: other requests can be faster. */
const TRIES = 50

/** Maximum requests per lookup. */
const LOOKED_UP = 500

/**
 * Clock difference from which the store's clock determines windows, in milliseconds. Smaller differences may be slow
 * responses.
 */
const SKEW = 2_000

/**
 * Maximum age of a request at its first reservation, in milliseconds; less than the clock difference that the store
 * accepts.
 */
const BEGUN = 4_000

/** State of the budgets of one process. */
interface Engine {
  readonly journal: EngineOptions['journal']
  readonly begun: EngineOptions['begun']
  readonly store: EngineStore
  readonly times: BudgetTimes
  readonly book: BudgetBook
  readonly leaseClient: LeaseClient
  readonly shares: HeldShares
  /** Requests in progress with reservations, by id. */
  readonly open: Map<string, Reservation>
  /** Clock of this process, Unix milliseconds. */
  ownNow(): number
  /** Monotonic clock, in milliseconds. */
  elapsed(): number
  /** True if the store has closed this process run. */
  isClosed: boolean
  onClosed(): void
  /** Monotonic time at which the last confirmed heartbeat was sent. */
  confirmedAt: number
  /** Confirmation in progress, which requests share. */
  confirming: Promise<boolean> | undefined
  /** Time until which no confirmation is requested, since the store does not answer. */
  awayUntil: number
  /** Last search for requests that other processes settled. */
  looked: number
  /** Milliseconds that the store's clock is ahead of the clock of this process. */
  ahead: number
  missedRequests: number
  missedNanos: bigint
}

export function createBudgets(options: EngineOptions): BudgetEngine {
  const engine = createEngine(options)
  const { book, open, shares, leaseClient, journal } = engine
  return {
    bounds: (principal) => (book.planOf(principal, nowOf(engine))?.hard.length ?? 0) > 0,
    reserve: (ask) => reserve(engine, ask),
    release(id) {
      const known = open.get(id)
      if (!known) return
      open.delete(id)
      unreserve(known.accounts, known.bound)
      void journal.append({ kind: 'r', id })
    },
    settled(row) {
      const known = open.get(row.id)
      return known ? settle(engine, known, row) : count(engine, row)
    },
    change(changes) {
      for (const account of book.change(changes)) leaseClient.giveBack(account, 0)
    },
    learn: book.learn,
    version: book.version,
    recalled: (windows) => giveBack(engine, windows),
    heartbeat: () => heartbeat(engine),
    limitHeld: shares.configure,
    holds: () => [...book.accounts()].some(({ free, reserved }) => free + reserved > 0),
    underway: () => open.size,
    owns: (id) => open.has(id),
    known: book.known,
    missed: () => ({ requests: engine.missedRequests, nanos: engine.missedNanos }),
  }
}

function createEngine({
  journal,
  begun,
  store,
  onProblem,
  onClosed = () => {},
  times: given,
  now: ownNow = Date.now,
  elapsed = performance.now.bind(performance),
}: EngineOptions): Engine {
  const times = { ...BUDGET_TIMES, ...given }
  const book = createBudgetBook(journal.run)
  const leaseClient = createLeaseClient({
    store,
    times,
    now: elapsed,
    onClosed: () => close(engine),
    onGone: book.remove,
    onSkew: (at) => compareClocks(engine, at, ownNow()),
    onProblem,
  })
  const engine: Engine = {
    journal,
    begun,
    store,
    times,
    book,
    leaseClient,
    shares: createHeldShares((windows) => store.heldShares(windows), elapsed),
    open: new Map(),
    ownNow,
    elapsed,
    isClosed: false,
    onClosed,
    confirmedAt: Number.NEGATIVE_INFINITY,
    confirming: undefined,
    awayUntil: Number.NEGATIVE_INFINITY,
    looked: elapsed(),
    ahead: 0,
    missedRequests: 0,
    missedNanos: 0n,
  }
  return engine
}

/** Windows use the store's clock, since the clock of this process can jump. */
function nowOf({ ownNow, ahead }: Engine): number {
  return ownNow() + ahead
}

function compareClocks(engine: Engine, storeTime: number, sentAt: number): void {
  const difference = storeTime - (sentAt + engine.ownNow()) / 2
  engine.ahead = Math.abs(difference) < SKEW ? 0 : Math.round(difference)
}

function reserve(engine: Engine, ask: BudgetRequest): ReturnType<Budgets['reserve']> {
  const { journal, times, shares, open } = engine
  const { bound } = ask
  const accounts = accountsFor(engine, ask)
  const [first] = accounts
  if (!first) return undefined
  if (bound === null || !Number.isSafeInteger(bound) || bound < 0) return refusalOf(first, 'price-unknown', 0)
  if (engine.isClosed || !journal.writable()) return refusalOf(first, 'away', bound, times.away)
  const refusal = heldTooMuch(engine, accounts, ask, bound)
  if (refusal) return refusal
  if (isConfirmed(engine) && !shares.isUnread(accounts) && !reserveAll(accounts, bound))
    return begin(engine, ask, bound, accounts)
  return wait(engine, ask, bound, open.has(ask.id))
}

/**
 * True if leases can be used. The store closes a process run without a heartbeat; a suspended process must notice that
 * before it admits a request.
 */
function isConfirmed({ elapsed, confirmedAt, times }: Engine): boolean {
  return elapsed() - confirmedAt <= times.confirmed
}

/** Sends a heartbeat that requests wait for. Resolves with false if the store does not answer. */
function confirm(engine: Engine): Promise<boolean> {
  const { times, elapsed } = engine
  if (elapsed() < engine.awayUntil) return Promise.resolve(false)
  engine.confirming ??= valueWithin(times.answer, beat(engine)).then((pulse) => {
    engine.confirming = undefined
    if (!pulse) engine.awayUntil = elapsed() + times.away
    return pulse !== undefined
  })
  return engine.confirming
}

/** Sends a heartbeat. @throws the store's error */
async function beat(engine: Engine): Promise<Pulse> {
  const { store, elapsed, ownNow } = engine
  const [began, sentAt] = [elapsed(), ownNow()]
  const pulse = await store.heartbeat()
  compareClocks(engine, pulse.now, sentAt)
  if (pulse.isClosed) close(engine)
  else engine.confirmedAt = Math.max(engine.confirmedAt, began)
  return pulse
}

/** Admits no more requests, and returns what no request in progress needs. */
function close(engine: Engine): void {
  const { book, leaseClient } = engine
  if (!engine.isClosed) for (const account of book.accounts()) leaseClient.giveBack(account, 0)
  engine.isClosed = true
  engine.onClosed()
}

/** Accounts of a request. Its later calls keep the accounts of the first, even if a window has ended since. */
function accountsFor(engine: Engine, ask: BudgetRequest): readonly LeaseAccount[] {
  const { open, book, ahead } = engine
  return open.get(ask.id)?.accounts ?? book.planOf(ask.principal, windowTime(ask.at + ahead, nowOf(engine)))?.hard ?? []
}

/** Rejects a key whose unknown costs exceed their part of a shared budget. Other keys can continue. */
function heldTooMuch(
  { shares }: Engine,
  accounts: readonly LeaseAccount[],
  { principal }: BudgetRequest,
  bound: number,
): BudgetRefusal | undefined {
  const found = shares.exceeded(accounts, principal.id, bound)
  return found && { ...refusalOf(found.account, 'held', bound), held: found.held, room: found.room }
}

/** Records the start of a call after its reservation. Resolves once the call may start. */
async function begin(
  engine: Engine,
  ask: BudgetRequest,
  bound: number,
  accounts: readonly LeaseAccount[],
): Promise<BudgetRefusal | undefined> {
  const { open, journal, begun, times } = engine
  const { principal, bound: _, ...call } = ask
  const { id, at } = call
  const known = open.get(id)
  const began = engine.elapsed()
  if (known) {
    known.bounds ??= [known.bound]
    known.bounds.push(bound)
    known.bound += bound
  } else open.set(id, { id, principal: principal.id, startedAt: at, accounts, bound, bounds: undefined, at: began })
  for (const account of accounts) account.usedAt = began
  const holds = accounts.map(({ hold }) => hold)
  await journal.append({ kind: 'b', ...call, principal: principal.id, bound: String(bound), holds })
  const isStored = !begun || ((await begun()) && !engine.isClosed && isConfirmed(engine))
  if (journal.writable() && isStored) return undefined
  undo(engine, id, bound)
  return accounts[0] && refusalOf(accounts[0], 'away', bound, times.away)
}

/** Reverts the last call of a request. */
function undo({ open, journal }: Engine, id: string, bound: number): void {
  const known = open.get(id)
  if (!known) return
  unreserve(known.accounts, bound)
  known.bound -= bound
  known.bounds?.pop()
  if (known.bounds?.length) return
  open.delete(id)
  void journal.append({ kind: 'r', id })
}

/** Reserves with a lease from the store, or rejects if it denies one. */
async function wait(
  engine: Engine,
  ask: BudgetRequest,
  bound: number,
  isLate: boolean,
): Promise<BudgetRefusal | undefined> {
  const { shares, leaseClient, times } = engine
  // An unreachable store does not reject requests here: the budget itself still limits them.
  await shares.read(accountsFor(engine, ask)).catch(() => {})
  for (let tries = 0; ; tries += 1) {
    const isUsable = isConfirmed(engine) || (await confirm(engine))
    const accounts = accountsFor(engine, ask)
    const [first] = accounts
    if (!first) return undefined
    if (!isUsable || engine.isClosed) return refusalOf(first, 'away', bound, times.away)
    const refusal = heldTooMuch(engine, accounts, ask, bound)
    if (refusal) return refusal
    const short = reserveAll(accounts, bound)
    if (!short) return begin(engine, ask, bound, accounts)
    const verdict = tries < TRIES ? await leaseClient.obtain(short, bound, isLate) : 'denied'
    const isNext = verdict === 'moved' && !isLate && !accountsFor(engine, ask).includes(short)
    if (verdict === 'away' || (verdict === 'moved' && !isNext)) return refusalOf(short, 'away', bound, times.away)
    if (verdict !== 'denied' || short.free >= bound) continue
    return refused(engine, short, bound, accounts)
  }
}

function refused(
  { store }: Engine,
  short: LeaseAccount,
  bound: number,
  accounts: readonly LeaseAccount[],
): BudgetRefusal {
  const refusal = refusalOf(short, 'limit', bound)
  if (refusal.retryAfterMs === undefined && BigInt(bound) <= short.budget.limit && !short.isUsedUpReported) {
    short.isUsedUpReported = true
    store.usedUp({ budget: short.budget.id, win: short.window.id }).catch(() => {
      short.isUsedUpReported = false
    })
  }
  // The budget with the least left limits the request.
  const rooms = accounts
    .map((account) => refusalOf(account, 'limit', bound))
    .filter((_, index) => accounts[index]?.state)
  return { ...refusal, room: rooms.reduce((least, { room }) => smaller(room, least), refusal.room) }
}

function settle(engine: Engine, known: Reservation, row: UsageRow): BudgetedAmounts {
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
    recordDuration(account.durations, at - known.at)
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
 * Counts the known cost of a row without a reservation here, in the windows in which it began. If an ended process
 * reserved for it, the rest of that reservation counts too.
 */
function count({ book, ahead }: Engine, row: UsageRow): BudgetedAmounts | undefined {
  const plan = book.planOfId(row.principal, row.startedAt + ahead)
  if (!plan) return undefined
  const spends = [...plan.soft, ...plan.hard].flatMap((account): Spend[] => {
    const amount = amountOf(account.budget.counts, row, [])
    return amount > 0 ? [{ ...spendOf(account, { settled: amount, held: 0 }), isFree: true }] : []
  })
  return spends.length > 0 ? { spends } : undefined
}

/** Settles long requests that another process has finished, such as tasks that it polls. */
async function lookUpSettled(engine: Engine): Promise<void> {
  const { times, store, open } = engine
  const before = engine.elapsed() - times.othersSettled
  if (engine.looked > before) return
  engine.looked = engine.elapsed()
  const pending: ReservedRequest[] = []
  for (const { id, startedAt, at } of open.values()) if (at <= before) pending.push({ id, startedAt })
  for (let start = 0; start < pending.length; start += LOOKED_UP)
    for (const row of await store.settledRows(pending.slice(start, start + LOOKED_UP))) settleFromStore(engine, row)
}

/**
 * Counts a row of another process. Amounts that it has counted used no lease there, and are returned from leases here.
 */
function settleFromStore(engine: Engine, { id, counted, ...row }: SettledRow): void {
  const { open, shares, leaseClient, book, journal, ahead } = engine
  const known = open.get(id)
  if (!known) return
  open.delete(id)
  const { bound, principal, startedAt } = known
  const countedOf = ({ hold }: LeaseAccount) =>
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
      leaseClient.giveBack(account, 0)
    }
  }
  for (const account of book.planOfId(principal, startedAt + ahead)?.soft ?? [])
    if (countedOf(account) === undefined)
      spends.push({ ...spendOf(account, amountsOfSum(account.budget.counts, row, bound)), isFree: true })
  void journal.append({ kind: 'r', id, ...(spends.length > 0 && { at: startedAt, principal, spends }) })
}

function giveBack({ book, leaseClient }: Engine, windows: Pulse['recalled']): void {
  for (const { budget, win, recall } of windows) {
    const account = book.accountOf(budget, win)
    if (account) leaseClient.giveBack(account, recall)
  }
}

async function heartbeat(engine: Engine): Promise<void> {
  const { book, open, leaseClient, shares, times, elapsed } = engine
  let used: ReadonlySet<LeaseAccount> | undefined
  const isOpen = (account: LeaseAccount): boolean => {
    used ??= new Set([...open.values()].flatMap((request) => request.accounts))
    return used.has(account)
  }
  for (const account of book.tidy(nowOf(engine), elapsed() - times.forget, isOpen)) leaseClient.giveBack(account, 0)
  const accounts = [...book.accounts()]
  for (const account of accounts)
    if ((account.pending || account.isReturning) && elapsed() >= account.awayUntil) leaseClient.resume(account)
  if (!accounts.some(({ seq, pending }) => seq > 0 || pending)) return
  try {
    const pulse = await beat(engine)
    await lookUpSettled(engine)
    await shares.read(accounts)
    giveBack(engine, pulse.recalled)
    if (pulse.runs <= 1) return
    for (const account of accounts) {
      if (isIdle(engine, account)) leaseClient.giveBack(account, 0)
      else if (account.usedAt > elapsed() - times.unused) leaseClient.refill(account)
    }
  } catch {
    // Requests that need the store get its error.
  }
}

/** True if a lease is idle. A large lease is idle sooner, since a killed process withholds it from others. */
function isIdle({ elapsed, times }: Engine, account: LeaseAccount): boolean {
  const { free, isChanging, usedAt } = account
  if (free <= 0 || isChanging) return false
  return usedAt < elapsed() - (isLarge(account) ? times.idle : times.unused)
}

/** A call counts in the windows in which its request began, unless that is too long ago. */
function windowTime(at: number, now: number): number {
  return at <= now && now - at < BEGUN ? at : now
}

function sumOf({ settled, held }: BudgetAmounts): number {
  return settled + held
}

function spendOf({ hold }: LeaseAccount, amounts: BudgetAmounts): Spend {
  const { held } = amounts
  return { ...hold, amount: String(sumOf(amounts)), ...(held > 0 && { held: String(held) }) }
}
