import type { Range, Step } from '../view/ranges.ts'

/** Lengths of periods in milliseconds. */
export const STEPS: Readonly<Record<Step, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 }

/**
 * The starts of all periods of a range, also of those without data. Days begin where the store says: where there is
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

/** Ends of the time axis in seconds: those of the range, and of the periods that begin or end beyond them. */
export function axisEnds(
  times: readonly number[],
  step: Step,
  { from, to }: Pick<Range, 'from' | 'to'>,
): [from: number, to: number] {
  const [first = from, last = to - STEPS[step]] = [times[0], times.at(-1)]
  return [Math.min(first, from) / 1_000, Math.max(last + STEPS[step], to) / 1_000]
}
