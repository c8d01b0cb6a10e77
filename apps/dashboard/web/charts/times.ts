import type { PeriodStep, Range } from '../view/ranges.ts'

/** Lengths of periods, in milliseconds. */
export const STEPS: Readonly<Record<PeriodStep, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 }

/**
 * Starts of all periods of a range, including periods without data. Days start as in the data, or in UTC if there is no
 * data. Their lengths differ when clocks change.
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

/** Start and end of the time axis in seconds: the range, extended to whole periods. */
export function axisEnds(
  times: readonly number[],
  step: PeriodStep,
  { from, to }: Pick<Range, 'from' | 'to'>,
): [from: number, to: number] {
  const [first = from, last = to - STEPS[step]] = [times[0], times.at(-1)]
  return [Math.min(first, from) / 1_000, Math.max(last + STEPS[step], to) / 1_000]
}
