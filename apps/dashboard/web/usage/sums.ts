import type { SeriesPoint } from '../api/usage.ts'

/** What was used in all. */
export interface Sums {
  readonly spend: bigint
  readonly requests: number
  readonly input: number
  readonly output: number
  readonly failed: number
  /** Requests whose cost nobody knows. */
  readonly unpriced: number
}

export const NOTHING: Sums = { spend: 0n, requests: 0, input: 0, output: 0, failed: 0, unpriced: 0 }

export function sumsOf(points: readonly SeriesPoint[]): Sums {
  return points.reduce(plus, NOTHING)
}

/** A sum, and a point more. */
export function plus(sum: Sums, { charged, counts, failed }: SeriesPoint): Sums {
  return {
    spend: sum.spend + BigInt(charged),
    requests: sum.requests + (counts['requests'] ?? 0),
    input: sum.input + (counts['input'] ?? 0),
    output: sum.output + (counts['output'] ?? 0),
    failed: sum.failed + (failed ?? 0),
    unpriced: sum.unpriced + (counts['unpriced'] ?? 0),
  }
}

export function failureShare({ failed, requests }: Sums): number {
  return requests === 0 ? 0 : failed / requests
}
