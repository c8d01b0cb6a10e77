import { setTimeout as sleep } from 'node:timers/promises'
import { valueWithin } from '../within.ts'
import { isLarge, type LeaseAccount, type LeaseOutcome, type Waiter } from './account.ts'
import type { LeaseChange, LeaseKey, LeaseReply } from './lease.ts'

/** Leases in the store. Each call rejects if the store does not answer. */
export interface LeaseStore {
  changeLease(key: LeaseKey, change: LeaseChange): Promise<LeaseReply>
  /** Ingests the journals of ended processes in this data directory. */
  ingestEnded(): Promise<void>
}

export interface LeaseClientOptions {
  readonly store: LeaseStore
  readonly times: BudgetTimes
  /** Monotonic clock, in milliseconds. */
  now(): number
  /** Called whenever the store reports that this process run is closed: it gets no more leases. */
  onClosed(): void
  /** Called when a budget no longer exists. */
  onGone(budget: string): void
  /** Called with the store's time in Unix milliseconds if it differs from the clock of this process. */
  onSkew(now: number): void
  onProblem(message: string): void
}

/** Intervals and limits, in milliseconds. */
export interface BudgetTimes {
  /** Maximum time that a request waits for the store; default 3,000. */
  readonly answer: number
  /** Pause after a call that the store did not answer; default 1,000. */
  readonly away: number
  /** Maximum time to wait until other processes return unused leases; default 500. */
  readonly recall: number
  /** Interval of checks for returned leases; default 25. */
  readonly look: number
  /** Time that a denial is remembered; default 50. */
  readonly denied: number
  /** Interval of heartbeats; default 1,000. */
  readonly heartbeat: number
  /**
   * Time after which an unused lease of more than 4 % of its budget is returned, if other processes run; default 2,000.
   */
  readonly idle: number
  /** Time after which any unused lease is returned, if other processes run; default 60,000. */
  readonly unused: number
  /** Time without use after which the account of an ended window is forgotten; default 3,600,000. */
  readonly forget: number
  /**
   * Interval of checks for requests that another process has settled, and minimum age of these requests; default 5,000.
   */
  readonly othersSettled: number
  /**
   * Time after the last confirmed heartbeat during which leases can be used, by the monotonic clock; default without a
   * limit. It must be less than `LOST_AFTER`.
   */
  readonly confirmed: number
}

export const BUDGET_TIMES: BudgetTimes = {
  answer: 3_000,
  away: 1_000,
  recall: 500,
  look: 25,
  denied: 50,
  heartbeat: 1_000,
  idle: 2_000,
  unused: 60_000,
  forget: 3_600_000,
  othersSettled: 5_000,
  confirmed: Number.POSITIVE_INFINITY,
}

export interface LeaseClient {
  /**
   * Resolves once the account may have enough, or cannot get it. Each account has one lease request in progress at a
   * time.
   */
  obtain(account: LeaseAccount, need: number, isLate: boolean): Promise<LeaseOutcome>
  /** Returns the unreserved rest. */
  giveBack(account: LeaseAccount, recall: number): void
  /** Sends an unanswered change again. */
  resume(account: LeaseAccount): void
  /** Leases more in advance if the rest does not last 5 s at the current pace. */
  refill(account: LeaseAccount): void
}

const PACE = 10_000
const SECOND = 1_000
/** Minimum interval between searches for ended processes, in milliseconds. */
const ENDED_RUNS = 1_000

/** State of the lease requests of one process. */
interface LeaseClientState extends LeaseClientOptions {
  /** Time of the last search for ended processes. */
  searchedEnded: number
  isSkewReported: boolean
}

export function createLeaseClient(options: LeaseClientOptions): LeaseClient {
  const { now } = options
  const state: LeaseClientState = { ...options, searchedEnded: Number.NEGATIVE_INFINITY, isSkewReported: false }
  return {
    obtain(account, need, isLate) {
      const at = now()
      if (at < account.awayUntil) return Promise.resolve('away')
      if (at < account.deniedUntil && need >= account.deniedNeed) return Promise.resolve('denied')
      return new Promise((resolve) => {
        account.waiters.push({ need, isLate, resolve })
        resume(state, account)
      })
    },
    resume: (account) => resume(state, account),
    refill(account) {
      const { state: lease, free, isChanging } = account
      const pace = paceOf(account, now())
      if (isChanging || !lease || now() < account.awayUntil || free * 2 >= pace) return
      if (now() < account.scarceUntil || lease.spent + lease.leased >= lease.limit) return
      account.isLow = true
      resume(state, account)
    },
    giveBack(account, recall) {
      account.isReturning = true
      if (recall > 0 && !isLarge(account)) account.scarceUntil = now() + PACE
      account.recalled = Math.max(account.recalled, recall)
      resume(state, account)
    },
  }
}

function resume(state: LeaseClientState, account: LeaseAccount): void {
  if (account.isChanging) return
  account.isChanging = true
  change(state, account)
    .catch((error: unknown) => {
      state.onProblem(`A budget lease failed: ${String(error)}`)
      return false
    })
    .then((isAnswered) => {
      account.isChanging = false
      // A waiter woke up, found too little, and waits again.
      if (isAnswered && (account.waiters.length > 0 || account.isReturning)) return resume(state, account)
      if (isAnswered) return
      account.awayUntil = state.now() + state.times.away
      wake(account, 'away')
    })
}

/** Number and end of a recall from other processes. */
interface Recall {
  readonly number: number
  readonly until: number
}

/**
 * Sends changes one after the other until there are no waiters. Resolves with false if the store does not answer; the
 * next attempt continues.
 */
async function change(state: LeaseClientState, account: LeaseAccount): Promise<boolean> {
  const { store, times, now } = state
  let recall: Recall | undefined
  for (let next = nextChange(account, now()); next; next = nextChange(account, now())) {
    const request: LeaseChange = next.kind === 'ask' && recall ? { ...next, recall: recall.number } : next
    account.pending = request
    const answer = await valueWithin(times.answer, store.changeLease(account.key, request))
    if (!answer) return false
    account.pending = undefined
    if (answer.kind === 'changed' || answer.kind === 'denied') account.state = answer.state
    if (answer.kind === 'changed') {
      account.seq = request.seq
      // Returned amounts were subtracted when the change was created.
      if (answer.delta > 0) account.free += answer.delta
      if (request.kind === 'ask') recall = undefined
    } else if (answer.kind === 'not-now') return moved(state, account, answer.now)
    else if (answer.kind !== 'denied') return refuse(state, account, answer.kind)
    else if (request.kind !== 'ask' || !request.isSpare)
      recall = await awaitRecall(state, account, request, answer, recall)
  }
  return true
}

/**
 * Waits for leases that other processes return, or denies the waiters. Resolves with the recall of the next attempt.
 */
async function awaitRecall(
  state: LeaseClientState,
  account: LeaseAccount,
  request: LeaseChange,
  answer: LeaseReply & { readonly kind: 'denied' },
  given: Recall | undefined,
): Promise<Recall | undefined> {
  const { times, now } = state
  const denied = request.kind === 'ask' ? request.need + account.free : 0
  const recall = given ?? { number: answer.recall, until: now() + times.recall }
  const { leased, own } = answer.state
  if (leased > own && (await isIngested(state))) return undefined
  if (answer.waitingFor > 0 && now() < recall.until) {
    await sleep(times.look)
    return recall
  }
  account.deniedUntil = now() + times.denied
  account.deniedNeed = denied
  wake(account, 'denied', denied)
  return undefined
}

/** Next change: first an unanswered one, then returns, then the needs of waiters. */
function nextChange(account: LeaseAccount, now: number): LeaseChange | undefined {
  if (account.pending) return account.pending
  const seq = account.seq + 1
  if (account.isReturning) {
    const free = Math.max(0, account.free)
    const amount = free + account.owed
    const answered = account.recalled
    account.isReturning = false
    account.recalled = 0
    if (amount > 0 || answered > 0) {
      account.free -= free
      account.owed = 0
      return { kind: 'give', seq, amount, answered }
    }
  }
  const { waiters, free, isLow } = account
  account.isLow = false
  if (waiters.some(({ need }) => need <= free)) {
    wake(account, 'again')
    return undefined
  }
  const pace = paceOf(account, now)
  if (waiters.length === 0) return isLow ? { kind: 'ask', seq, need: 1, want: 1, pace, isSpare: true } : undefined
  const need = leastOf(waiters) - free
  const want = Math.min(waiters.reduce((sum, waiter) => sum + waiter.need, 0) - free, Number.MAX_SAFE_INTEGER)
  const isLate = waiters.some((waiter) => waiter.isLate)
  return { kind: 'ask', seq, need, want, pace, ...(isLate && { isLate }) }
}

/** Amount reserved in 10 s. It rises immediately and falls by a tenth each second. */
function paceOf(account: LeaseAccount, now: number): number {
  const passed = Math.max(now - account.recentSince, SECOND)
  const current = Math.max((account.recent * PACE) / passed, account.pace * 0.9 ** (passed / SECOND))
  if (now - account.recentSince >= SECOND) {
    account.pace = current
    account.recent = 0
    account.recentSince = now
  }
  return Math.min(Math.round(current), Number.MAX_SAFE_INTEGER)
}

/** Requests that have not begun in this window continue in the current one; others wait until it is current. */
function moved(state: LeaseClientState, account: LeaseAccount, at: number): boolean {
  state.onSkew(at)
  if (!state.isSkewReported)
    state.onProblem('The clocks of this machine and of the store differ. Budget windows use the clock of the store.')
  state.isSkewReported = true
  wake(account, 'moved')
  return true
}

function refuse(state: LeaseClientState, account: LeaseAccount, why: 'closed' | 'gone'): boolean {
  if (why === 'gone') {
    state.onGone(account.budget.id)
    wake(account, 'gone')
    return true
  }
  state.onClosed()
  return false
}

/** True if ended processes were just searched, so that another attempt makes sense. */
async function isIngested(state: LeaseClientState): Promise<boolean> {
  const { store, times, now } = state
  if (now() - state.searchedEnded < ENDED_RUNS) return false
  state.searchedEnded = now()
  const ingested = store.ingestEnded().then(() => true)
  return (await valueWithin(times.answer, ingested)) === true
}

function leastOf(waiters: readonly Waiter[]): number {
  let least = Number.MAX_SAFE_INTEGER
  for (const { need } of waiters) if (need < least) least = need
  return least
}

/** Resolves all waiters that need `from` or more, in their order. */
function wake(account: LeaseAccount, verdict: LeaseOutcome, from = 0): void {
  const waiters = account.waiters.splice(0)
  for (const waiter of waiters) {
    if (waiter.need >= from) waiter.resolve(verdict)
    else account.waiters.push(waiter)
  }
}
