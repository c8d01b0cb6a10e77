import type { Budget } from '@headgate/gateway/ports'
import type { ReservedWindow } from '../journal/record.ts'
import type { LeaseChange, LeaseKey, WindowState } from './lease.ts'
import type { BudgetWindow } from './window.ts'

/**
 * Amounts that this process can still spend in a window of a budget, in nano-dollars. Times are milliseconds of a
 * monotonic clock.
 */
export interface LeaseAccount {
  budget: Budget
  readonly window: BudgetWindow
  /** The window, as journal records name it. */
  readonly hold: ReservedWindow
  readonly key: LeaseKey
  /** Unreserved rest of the lease. Negative if a worst-case cost was too low. */
  free: number
  /** Amount reserved here that other processes have counted. It is returned to the store and not used again. */
  owed: number
  /** Worst-case cost of requests in progress. */
  reserved: number
  /** Number of the last lease change that was answered. */
  seq: number
  /** True to lease more before it is needed. */
  isLow: boolean
  /** Time until which nothing is leased in advance, since other processes need the money. */
  scarceUntil: number
  /** Change that the store may have applied. It is sent again until it is answered. */
  pending: LeaseChange | undefined
  /** Recall to answer; 0 = none. */
  recalled: number
  /** True to return the unreserved rest. */
  isReturning: boolean
  isChanging: boolean
  readonly waiters: Waiter[]
  /** Last state that the store reported. */
  state: WindowState | undefined
  /** Time until which an amount of `deniedNeed` or more is not requested again. */
  deniedUntil: number
  deniedNeed: number
  /** Time until which nothing is requested, since the store does not answer. */
  awayUntil: number
  /** Amount reserved in 10 s. */
  pace: number
  /** Amount reserved since the last update of `pace`. */
  recent: number
  recentSince: number
  usedAt: number
  /** True if the alert for a used-up window was sent. */
  isUsedUpReported: boolean
  readonly durations: RequestDurations
}

/** Request that waits for a larger lease. */
export interface Waiter {
  readonly need: number
  readonly isLate: boolean
  resolve(verdict: LeaseOutcome): void
}

/** Outcome of a lease request: try again, denied, store unreachable, budget removed, or window not current. */
export type LeaseOutcome = 'again' | 'denied' | 'away' | 'gone' | 'moved'

/** Durations of the newest requests. */
export interface RequestDurations {
  readonly values: number[]
  next: number
}

const KEPT = 32

/**
 * @param epoch number after which the changes of its lease begin. It exceeds the numbers of all earlier accounts of
 * this window.
 */
export function createAccount(budget: Budget, window: BudgetWindow, run: string, epoch: number): LeaseAccount {
  const { id: win, start: startsAt, end } = window
  const hold = { budget: budget.id, win, startsAt, ...(end !== undefined && { endsAt: end }) }
  return {
    budget,
    window,
    hold,
    key: { run, ...hold },
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
    isUsedUpReported: false,
    durations: { values: [], next: 0 },
  }
}

/** True if the unreserved rest exceeds 4 % of the limit, which is more than one of several processes is granted. */
export function isLarge({ free, budget }: LeaseAccount): boolean {
  return BigInt(free) * 25n > budget.limit
}

export function recordDuration(durations: RequestDurations, ms: number): void {
  durations.values[durations.next] = ms
  durations.next = (durations.next + 1) % KEPT
}

/** Median duration; undefined if none is known. */
export function usualDuration({ values }: RequestDurations): number | undefined {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]
}

/**
 * Reserves an amount in all accounts or in none. Returns the first account that has too little, or undefined on
 * success.
 */
export function reserveAll(accounts: readonly LeaseAccount[], bound: number): LeaseAccount | undefined {
  for (const account of accounts) if (account.free < bound) return account
  for (const account of accounts) {
    account.free -= bound
    account.reserved += bound
    account.recent += bound
  }
  return undefined
}

export function unreserve(accounts: readonly LeaseAccount[], bound: number): void {
  for (const account of accounts) {
    account.free += bound
    account.reserved -= bound
  }
}
