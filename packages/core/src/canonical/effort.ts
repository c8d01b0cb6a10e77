import { EFFORTS, type Effort } from './request.ts'

/** Maximum reasoning tokens of each effort. No vendor documents thresholds, so these are Headgate's. */
const BUDGETS: readonly (readonly [number, Effort])[] = [
  [4096, 'low'],
  [16_384, 'medium'],
]

/**
 * Effort for a reasoning budget. Undefined if the model decides (-1).
 * @param least maximum tokens of the effort `minimal`.
 * @example effortOfBudget(8192) // 'medium'
 */
export function effortOfBudget(budget: number, least = 1024): Effort | undefined {
  if (budget < 0) return undefined
  if (budget <= least) return budget === 0 ? 'none' : 'minimal'
  return BUDGETS.find(([limit]) => budget <= limit)?.[1] ?? 'high'
}

/**
 * Supported effort for a requested one: the lowest that is not below it, else the highest.
 * @example nearestEffort('minimal', ['low', 'high']) // 'low'
 */
export function nearestEffort<E extends Effort>(asked: Effort, levels: readonly E[]): E | undefined {
  const rank = EFFORTS.indexOf(asked)
  return levels.find((level) => EFFORTS.indexOf(level) >= rank) ?? levels.at(-1)
}
