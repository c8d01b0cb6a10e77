import { EFFORTS, type Effort } from './request.ts'

/** Tokens of thinking up to which an effort goes. The thresholds are ours, as no vendor names any. */
const BUDGETS: readonly (readonly [number, Effort])[] = [
  [4096, 'low'],
  [16_384, 'medium'],
]

/**
 * The effort that a budget amounts to; undefined where the model decides (-1). `least`: tokens up to which it is
 * `minimal`.
 */
export function effortOfBudget(budget: number, least = 1024): Effort | undefined {
  if (budget < 0) return undefined
  if (budget <= least) return budget === 0 ? 'none' : 'minimal'
  return BUDGETS.find(([limit]) => budget <= limit)?.[1] ?? 'high'
}

/** Of some levels the weakest that is not weaker than the one asked for, else the strongest. */
export function nearestEffort<E extends Effort>(asked: Effort, levels: readonly E[]): E | undefined {
  const rank = EFFORTS.indexOf(asked)
  return levels.find((level) => EFFORTS.indexOf(level) >= rank) ?? levels.at(-1)
}
