import type { Budget } from '@headgate/gateway/ports'
import type { Hold } from '../journal/record.ts'
import type { LeaseChange, LeaseKey, WindowState } from './lease.ts'
import type { BudgetWindow } from './window.ts'

/**
 * What this process may still spend in a window of a budget. Amounts are nano-dollars, times those of a clock that
 * nobody sets.
 */
export interface Account {
  budget: Budget
  readonly window: BudgetWindow
  /** Its window, as journals name it. */
  readonly hold: Hold
  readonly key: LeaseKey
  /** What its lease has left that nothing is reserved of. Below 0 where a bound was too small. */
  free: number
  /** What others have counted of what was reserved here: it goes back, to nobody's use. */
  owed: number
  /** What requests under way may cost. */
  reserved: number
  /** Number of the last change of its lease that was answered. */
  seq: number
  /** Whether more is to be leased before it is needed. */
  isLow: boolean
  /** Until when nothing is leased ahead of its use, since others need the money. */
  scarceUntil: number
  /** A change that may have been made: it is sent again until it is answered. */
  pending: LeaseChange | undefined
  /** The recall that is to be answered; 0 = none. */
  recalled: number
  /** Whether what is free is to go back. */
  isReturning: boolean
  isChanging: boolean
  readonly waiters: Waiter[]
  /** What the store said last. */
  state: WindowState | undefined
  /** Until when nobody asks for so much again, which was denied. */
  deniedUntil: number
  deniedNeed: number
  /** Until when nobody asks, since the store does not answer. */
  awayUntil: number
  /** What is reserved in 10 s. */
  pace: number
  /** Reserved since the pace was last taken. */
  recent: number
  recentSince: number
  usedAt: number
  /** Whether it was said that nothing more is to be had. */
  isToldUsedUp: boolean
  readonly durations: Durations
}

/** A request that waits for money. */
export interface Waiter {
  readonly need: number
  readonly isLate: boolean
  resolve(verdict: Verdict): void
}

/**
 * Result of an ask: there may be enough now, there is not, the store does not answer, there is no such budget, or the
 * window is not current.
 */
export type Verdict = 'again' | 'denied' | 'away' | 'gone' | 'moved'

/** How long requests took, the newest few. */
export interface Durations {
  readonly values: number[]
  next: number
}

const KEPT = 32

/**
 * @param epoch number behind which changes of its lease begin: higher than any of an account of the same window before
 */
export function createAccount(budget: Budget, window: BudgetWindow, life: string, epoch: number): Account {
  const { id: win, start: startsAt, end } = window
  const hold = { budget: budget.id, win, startsAt, ...(end !== undefined && { endsAt: end }) }
  return {
    budget,
    window,
    hold,
    key: { life, ...hold },
    free: 0,
    owed: 0,
    reserved: 0,
    seq: epoch,
    isLow: false,
    scarceUntil: 0,
    pending: undefined,
    recalled: 0,
    isReturning: false,
    isChanging: false,
    waiters: [],
    state: undefined,
    deniedUntil: 0,
    deniedNeed: 0,
    awayUntil: 0,
    pace: 0,
    recent: 0,
    recentSince: 0,
    usedAt: 0,
    isToldUsedUp: false,
    durations: { values: [], next: 0 },
  }
}

/** Whether what is free is more than 4 % of the limit: more than a process gets that is not alone. */
export function isLarge({ free, budget }: Account): boolean {
  return BigInt(free) * 25n > budget.limit
}

export function noteDuration(durations: Durations, ms: number): void {
  durations.values[durations.next] = ms
  durations.next = (durations.next + 1) % KEPT
}

/** The middle one, or undefined where there is none. */
export function usualDuration({ values }: Durations): number | undefined {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]
}

/** Takes a bound from all accounts, or from none. Undefined = done; else the first that has too little. */
export function take(accounts: readonly Account[], bound: number): Account | undefined {
  for (const account of accounts) if (account.free < bound) return account
  for (const account of accounts) {
    account.free -= bound
    account.reserved += bound
    account.recent += bound
  }
  return undefined
}

export function putBack(accounts: readonly Account[], bound: number): void {
  for (const account of accounts) {
    account.free += bound
    account.reserved -= bound
  }
}
