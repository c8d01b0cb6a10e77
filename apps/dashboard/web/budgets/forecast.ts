import type { BudgetItem } from '../api/budgets.ts'

const DAY = 86_400_000

/** Fields of a budget that a forecast needs. */
export interface Paced {
  readonly limit: string
  readonly spent: string
  readonly period: 'day' | 'week' | 'month' | 'forever'
  readonly resetAt?: number | undefined
}

/** Forecast of a budget at the rate of its current window. */
export interface Forecast {
  /** Spent share of the limit, from 0. */
  readonly share: number
  /** Share that will be spent at the end of the window; undefined = unknown. */
  readonly atEnd: number | undefined
  /** Time at which the budget runs out, in Unix milliseconds; undefined = not in this window, or unknown. */
  readonly endsAt: number | undefined
}

/** Share of a window before which there is no forecast, because a single request would dominate it. */
const EARLY = 0.02

export function forecastOf({ limit, spent, period, resetAt }: Paced, now: number): Forecast {
  const share = shareOf(spent, limit)
  if (share >= 1) return { share, atEnd: share, endsAt: now }
  const begun = resetAt === undefined || period === 'forever' ? undefined : windowStart(period, resetAt)
  if (begun === undefined || resetAt === undefined || share === 0) return { share, atEnd: undefined, endsAt: undefined }
  const gone = (now - begun) / (resetAt - begun)
  if (gone < EARLY) return { share, atEnd: undefined, endsAt: undefined }
  const endsAt = begun + (now - begun) / share
  return { share, atEnd: share / gone, endsAt: endsAt < resetAt ? endsAt : undefined }
}

/** Share of an amount, with the precision that a drawing needs. */
export function shareOf(part: string | bigint, whole: string | bigint): number {
  const [some, all] = [BigInt(part), BigInt(whole)]
  return all === 0n ? 1 : Number((some * 1_000_000n) / all) / 1_000_000
}

/** Sorts budgets by the time at which they run out, then by spent share. */
export function byEnd<Given extends Paced>(
  budgets: readonly Given[],
  now: number,
): readonly { readonly budget: Given; readonly forecast: Forecast }[] {
  return budgets
    .map((budget) => ({ budget, forecast: forecastOf(budget, now) }))
    .toSorted(
      ({ forecast: one }, { forecast: other }) =>
        (one.endsAt ?? Number.MAX_SAFE_INTEGER) - (other.endsAt ?? Number.MAX_SAFE_INTEGER) || other.share - one.share,
    )
}

function windowStart(period: 'day' | 'week' | 'month', resetAt: number): number {
  if (period === 'day') return resetAt - DAY
  if (period === 'week') return resetAt - 7 * DAY
  // The start of the previous month, at the same day and time as the reset.
  const reset = new Date(resetAt)
  return Date.UTC(
    reset.getUTCFullYear(),
    reset.getUTCMonth() - 1,
    reset.getUTCDate(),
    reset.getUTCHours(),
    reset.getUTCMinutes(),
  )
}

/** Budget with the largest spent share of each key, by key ID. */
export function tightest(budgets: readonly BudgetItem[]): ReadonlyMap<string, BudgetItem> {
  const found = new Map<string, BudgetItem>()
  for (const budget of budgets) {
    const other = found.get(budget.owner)
    if (budget.scope === 'key' && (!other || gone(budget) > gone(other))) found.set(budget.owner, budget)
  }
  return found
}

function gone({ spent, limit }: BudgetItem): number {
  return shareOf(spent, limit)
}
