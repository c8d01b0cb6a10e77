import type { Budget } from '../api/budgets.ts'

const DAY = 86_400_000

/** What of a budget is needed to say when it ends. */
export interface Paced {
  readonly limit: string
  readonly spent: string
  readonly period: 'day' | 'week' | 'month' | 'forever'
  readonly resetAt?: number | undefined
}

/** How a budget goes on at the pace of its window so far. */
export interface Forecast {
  /** Share that is spent, from 0. */
  readonly share: number
  /** Share that will be spent when its window ends; undefined = nobody can say. */
  readonly atEnd: number | undefined
  /** When it is used up, in Unix milliseconds; undefined = not within its window, or nobody can say. */
  readonly endsAt: number | undefined
}

/** Below which share of its window nothing is foretold: a single request would say too much. */
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

/** A share of an amount, exact enough to be drawn. */
export function shareOf(part: string | bigint, whole: string | bigint): number {
  const [some, all] = [BigInt(part), BigInt(whole)]
  return all === 0n ? 1 : Number((some * 1_000_000n) / all) / 1_000_000
}

/** Those that end soonest first, then those of which most is gone. */
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
  // The month before, as long as that is; its days begin as those of the reset.
  const reset = new Date(resetAt)
  return Date.UTC(
    reset.getUTCFullYear(),
    reset.getUTCMonth() - 1,
    reset.getUTCDate(),
    reset.getUTCHours(),
    reset.getUTCMinutes(),
  )
}

/** Of each key the budget of which most is gone, since that is what it hits first. */
export function tightest(budgets: readonly Budget[]): ReadonlyMap<string, Budget> {
  const found = new Map<string, Budget>()
  for (const budget of budgets) {
    const other = found.get(budget.owner)
    if (budget.scope === 'key' && (!other || gone(budget) > gone(other))) found.set(budget.owner, budget)
  }
  return found
}

function gone({ spent, limit }: Budget): number {
  return shareOf(spent, limit)
}
