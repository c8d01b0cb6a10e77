import type { UsagePoint } from '../api/usage.ts'

/** Usage totals. */
export interface UsageTotals {
  readonly spend: bigint
  readonly requests: number
  readonly input: number
  readonly output: number
  readonly failed: number
  /** Requests of unknown cost. */
  readonly unpriced: number
}

export const NOTHING: UsageTotals = { spend: 0n, requests: 0, input: 0, output: 0, failed: 0, unpriced: 0 }

export function sumsOf(points: readonly UsagePoint[]): UsageTotals {
  return points.reduce(plus, NOTHING)
}

/** Adds a point to the totals. */
export function plus(sum: UsageTotals, { charged, counts, failed }: UsagePoint): UsageTotals {
  return {
    spend: sum.spend + BigInt(charged),
    requests: sum.requests + (counts['requests'] ?? 0),
    input: sum.input + (counts['input'] ?? 0),
    output: sum.output + (counts['output'] ?? 0),
    failed: sum.failed + (failed ?? 0),
    unpriced: sum.unpriced + (counts['unpriced'] ?? 0),
  }
}

export function failureShare({ failed, requests }: UsageTotals): number {
  return requests === 0 ? 0 : failed / requests
}
