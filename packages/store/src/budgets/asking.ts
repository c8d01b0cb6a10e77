import { setTimeout as sleep } from 'node:timers/promises'
import { type Account, isLarge, type Verdict, type Waiter } from './account.ts'
import type { LeaseAnswer, LeaseChange, LeaseKey } from './lease.ts'

/** The store, as far as leases go. Each rejects where it does not answer. */
export interface LeaseStore {
  changeLease(key: LeaseKey, change: LeaseChange): Promise<LeaseAnswer>
  /** Takes in what processes have left that are over, as far as their journals are here. */
  takeOver(): Promise<void>
}

export interface AskingOptions {
  readonly store: LeaseStore
  readonly times: BudgetTimes
  /** A clock in milliseconds that never goes back. */
  now(): number
  /** The life is over: nothing will be had any more. */
  onClosed(): void
  /** There is no such budget any more. */
  onGone(budget: string): void
  /** The store's clock, Unix milliseconds, differs from that of this process. */
  onSkew(now: number): void
  onProblem(message: string): void
}

/** In milliseconds. */
export interface BudgetTimes {
  /** 3,000: for how long a request waits for the store. */
  readonly answer: number
  /** 1,000: for how long nobody asks a store that has not answered. */
  readonly away: number
  /** 500: for how long at most others are waited for that hold what they may not need. */
  readonly recall: number
  /** 25: how often it is looked whether they have given back. */
  readonly look: number
  /** 50: for how long a denial is remembered. */
  readonly denied: number
  /** 1,000: how often the store is told that the life goes on. */
  readonly beat: number
  /** 2,000: after how long an unused lease of more than 4 % of its budget goes back, if there are other processes. */
  readonly idle: number
  /** 60,000: after how long any unused lease goes back, if there are other processes. */
  readonly unused: number
  /** 3,600,000: after how long without use an account is forgotten whose window is over. */
  readonly forget: number
  /** 5,000: how often it is looked whether another process has settled what has been under way for so long. */
  readonly elsewhere: number
}

export const TIMES: BudgetTimes = {
  answer: 3_000,
  away: 1_000,
  recall: 500,
  look: 25,
  denied: 50,
  beat: 1_000,
  idle: 2_000,
  unused: 60_000,
  forget: 3_600_000,
  elsewhere: 5_000,
}

export interface Asking {
  /**
   * Resolves once there may be so much in an account, or it is known that there is not. One ask of each account is
   * under way at a time.
   */
  obtain(account: Account, need: number, isLate: boolean): Promise<Verdict>
  /** Gives back what nothing is reserved of. */
  giveBack(account: Account, recall: number): void
  /** Sends again what was not answered. */
  resume(account: Account): void
  /** Leases more ahead of its use if what is left does not last for 5 s at the present pace. */
  refill(account: Account): void
}

const PACE = 10_000
const SECOND = 1_000
/** How often at most it is looked for processes that are over, in milliseconds. */
const TAKE_OVER = 1_000

export function createAsking({ store, times, now, onClosed, onGone, onSkew, onProblem }: AskingOptions): Asking {
  let tookOver = Number.NEGATIVE_INFINITY
  let isSkewTold = false

  const obtain: Asking['obtain'] = (account, need, isLate) => {
    const at = now()
    if (at < account.awayUntil) return Promise.resolve('away')
    if (at < account.deniedUntil && need >= account.deniedNeed) return Promise.resolve('denied')
    return new Promise((resolve) => {
      account.waiters.push({ need, isLate, resolve })
      resume(account)
    })
  }

  const resume = (account: Account): void => {
    if (account.isChanging) return
    account.isChanging = true
    change(account)
      .catch((error: unknown) => {
        onProblem(`A lease of a budget failed: ${String(error)}`)
        return false
      })
      .then((isAnswered) => {
        account.isChanging = false
        // Who was woken and found too little has come back meanwhile.
        if (isAnswered && (account.waiters.length > 0 || account.isReturning)) return resume(account)
        if (isAnswered) return
        account.awayUntil = now() + times.away
        wake(account, 'away')
      })
  }

  /**
   * One change after the other, until nobody waits. False where the store does not answer: what is left is done when it
   * is asked again.
   */
  const change = async (account: Account): Promise<boolean> => {
    let recall: { readonly number: number; readonly until: number } | undefined
    for (let next = nextChange(account); next; next = nextChange(account)) {
      const asked: LeaseChange = next.kind === 'ask' && recall ? { ...next, recall: recall.number } : next
      account.pending = asked
      const answer = await within(times.answer, store.changeLease(account.key, asked))
      if (!answer) return false
      account.pending = undefined
      if (answer.kind === 'changed' || answer.kind === 'denied') account.state = answer.state
      if (answer.kind === 'changed') {
        account.seq = asked.seq
        // What was given back was taken out of it before.
        if (answer.delta > 0) account.free += answer.delta
        if (asked.kind === 'ask') recall = undefined
        continue
      }
      if (answer.kind === 'not-now') return elsewhere(account, answer.now)
      if (answer.kind !== 'denied') return refuse(account, answer.kind)
      if (asked.kind === 'ask' && asked.isSpare) continue
      const denied = asked.kind === 'ask' ? asked.need + account.free : 0
      recall ??= { number: answer.recall, until: now() + times.recall }
      const { leased, own } = answer.state
      if (leased > own && (await isTakenOver())) recall = undefined
      else if (answer.waitingFor > 0 && now() < recall.until) await sleep(times.look)
      else {
        account.deniedUntil = now() + times.denied
        account.deniedNeed = denied
        recall = undefined
        wake(account, 'denied', denied)
      }
    }
    return true
  }

  /** What is to be done next: what was not answered, what others need, what those need who wait here. */
  const nextChange = (account: Account): LeaseChange | undefined => {
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
    const pace = paceOf(account)
    if (waiters.length === 0) return isLow ? { kind: 'ask', seq, need: 1, want: 1, pace, isSpare: true } : undefined
    const need = leastOf(waiters) - free
    const want = Math.min(waiters.reduce((sum, waiter) => sum + waiter.need, 0) - free, Number.MAX_SAFE_INTEGER)
    const isLate = waiters.some((waiter) => waiter.isLate)
    return { kind: 'ask', seq, need, want, pace, ...(isLate && { isLate }) }
  }

  /** What is reserved in 10 s. It rises at once, and falls by a tenth each second. */
  const paceOf = (account: Account): number => {
    const passed = Math.max(now() - account.recentSince, SECOND)
    const current = Math.max((account.recent * PACE) / passed, account.pace * 0.9 ** (passed / SECOND))
    if (now() - account.recentSince >= SECOND) {
      account.pace = current
      account.recent = 0
      account.recentSince = now()
    }
    return Math.min(Math.round(current), Number.MAX_SAFE_INTEGER)
  }

  /** Requests that have not begun in this window go on in the current one; those that have wait until it is current. */
  const elsewhere = (account: Account, at: number): boolean => {
    onSkew(at)
    if (!isSkewTold)
      onProblem('The clocks of this machine and of the store differ. Windows of budgets go by the clock of the store.')
    isSkewTold = true
    wake(account, 'moved')
    return true
  }

  const refuse = (account: Account, why: 'closed' | 'gone'): boolean => {
    if (why === 'gone') {
      onGone(account.budget.id)
      wake(account, 'gone')
      return true
    }
    onClosed()
    return false
  }

  /** Whether it was looked whether those are dead who hold what is asked for, so that it is worth to ask again. */
  const isTakenOver = async (): Promise<boolean> => {
    if (now() - tookOver < TAKE_OVER) return false
    tookOver = now()
    return (
      (await within(
        times.answer,
        store.takeOver().then(() => true),
      )) === true
    )
  }

  return {
    obtain,
    resume,
    refill(account) {
      const { state, free, isChanging } = account
      const pace = paceOf(account)
      if (isChanging || !state || now() < account.awayUntil || free * 2 >= pace) return
      if (now() < account.scarceUntil || state.spent + state.leased >= state.limit) return
      account.isLow = true
      resume(account)
    },
    giveBack(account, recall) {
      account.isReturning = true
      if (recall > 0 && !isLarge(account)) account.scarceUntil = now() + PACE
      account.recalled = Math.max(account.recalled, recall)
      resume(account)
    },
  }
}

function leastOf(waiters: readonly Waiter[]): number {
  let least = Number.MAX_SAFE_INTEGER
  for (const { need } of waiters) if (need < least) least = need
  return least
}

/** All who wait for so much, or more, go on at once, in their order. */
function wake(account: Account, verdict: Verdict, from = 0): void {
  const waiters = account.waiters.splice(0)
  for (const waiter of waiters) {
    if (waiter.need >= from) waiter.resolve(verdict)
    else account.waiters.push(waiter)
  }
}

/** Undefined where it takes longer, or fails. */
async function within<T>(limit: number, done: Promise<T>): Promise<T | undefined> {
  const { promise, resolve } = Promise.withResolvers<T | undefined>()
  const timer = setTimeout(resolve, limit, undefined)
  done.then(resolve, () => resolve(undefined))
  const result = await promise
  clearTimeout(timer)
  return result
}
