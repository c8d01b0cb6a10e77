import type { Range } from '../../view/ranges.ts'

/** Longest range that the API sorts by other fields than the time, in milliseconds. */
const LONGEST = 7 * 86_400_000

/** Part of a range that can be sorted: its last 7 days. */
export function sortedRange({ from, to, step }: Range): Range {
  return { from: Math.max(from, to - LONGEST), to, step }
}
