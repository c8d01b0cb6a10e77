import type { Range } from '../view/ranges.ts'

export const STEPS = { hour: 3_600_000, day: 86_400_000 } as const

/**
 * The starts of all hours or days of a range, also of those of which there is nothing. Days begin where the store says: where there is
 * anything, by that, and else in UTC; they are not all of one length.
 */
export function timesOf(known: readonly number[], { from, to, step }: Range): readonly number[] {
  const length = STEPS[step]
  const times = new Set(known)
  const sorted = [...times].toSorted((one, other) => one - other)
  const first = sorted[0] ?? Math.floor(from / length) * length
  const begin = first - Math.ceil((first - from) / length) * length
  let next = 0
  for (let at = begin; at < to; at += length) {
    while (next < sorted.length && (sorted[next] ?? 0) < at - length / 2) next += 1
    const near = sorted[next]
    if (near === undefined || near > at + length / 2) times.add(at)
  }
  return [...times].toSorted((one, other) => one - other)
}
