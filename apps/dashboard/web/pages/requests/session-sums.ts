import type { RequestRow } from '../../api/usage.ts'
import { sumOf } from '../../formats/money.ts'

/** Sums of the requests of a session. */
export interface SessionSums {
  /** Known amounts; null if no amount is known. */
  readonly charged: bigint | null
  /** False if the amount of a request is unknown. */
  readonly isWhole: boolean
  /** Known tokens; null if none are known. */
  readonly input: number | null
  readonly output: number | null
  /** Part of the input that was read from caches, from 0 to 1; null = unknown. */
  readonly cacheShare: number | null
  /** Time from the start of the first request to the end of the last one, in milliseconds. */
  readonly elapsedMs: number
}

type SessionRequest = Pick<RequestRow, 'at' | 'durationMs' | 'charged' | 'input' | 'output' | 'cacheRead'>

/** Sums of requests in the order of their start. */
export function sessionSums(rows: readonly SessionRequest[]): SessionSums {
  const amounts = rows.map(({ charged }) => charged)
  const known = amounts.filter((charged) => charged !== null)
  const input = knownSum(rows.map((row) => row.input))
  // A provider without a cache reports no reads.
  const cached = rows.reduce((sum, { cacheRead }) => sum + (cacheRead ?? 0), 0)
  const [first] = rows
  const end = Math.max(0, ...rows.map(({ at, durationMs }) => at + durationMs))
  return {
    charged: known.length === 0 ? null : sumOf(known),
    isWhole: known.length === rows.length,
    input,
    output: knownSum(rows.map((row) => row.output)),
    cacheShare: input === null || input === 0 ? null : cached / input,
    elapsedMs: first === undefined ? 0 : end - first.at,
  }
}

/** Sum of the known counts; null if none are known. */
function knownSum(counts: readonly (number | null)[]): number | null {
  const known = counts.filter((value) => value !== null)
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0)
}
