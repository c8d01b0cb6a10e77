import { nextLostRunSearch } from '../../packages/store/src/budgets/lost-run-watch.ts'
import { pollInterval } from '../../packages/store/src/threads/watch.ts'
import { percentileOf } from '../fleet/checker.ts'
import type { VirtualClock } from './clock.ts'
import type { Draw } from './draw.ts'

export interface StoreReadOptions {
  readonly clock: VirtualClock
  readonly draw: Draw
  /** Processes that serve requests. */
  readonly nodes: number
  readonly ms: number
  /** Revocations during the simulation. */
  readonly revocations: number
}

/** Reads of the store by nodes that wait for changes, and the time that changes need to reach all of them. */
export interface StoreReadReport {
  readonly readsPerSecond: number
  /** Highest number of reads within one second. */
  readonly peak: number
  /** Time from a revocation until the last node knows it, in milliseconds. */
  readonly spread: { readonly median: number; readonly most: number }
}

/** Latency of a read in milliseconds, its random part as in `watchStore`, and interval of counting nodes. */
const READ_MS = 2
const JITTER = 0.1
const COUNT_MS = 30_000
const SECOND = 1_000

interface Revocation {
  readonly at: number
  /** Nodes that do not know it yet. */
  left: number
  spreadMs: number
}

/**
 * Reads of the store by budgets and keys, with the intervals of the store: a node reads the versions of all topics, and
 * its keys after a revocation. All nodes have leases, so that all of them watch recalls.
 */
export async function simulateStoreReads({
  clock,
  draw,
  nodes,
  ms,
  revocations,
}: StoreReadOptions): Promise<StoreReadReport> {
  const start = clock.now()
  const reads: number[] = []
  const revoked: Revocation[] = []
  const read = (): void => {
    const second = Math.floor((clock.now() - start) / SECOND)
    reads[second] = (reads[second] ?? 0) + 1
  }
  const watch = (seen: number, counted: number): void => {
    read()
    const now = clock.now()
    if (now - counted >= COUNT_MS) read()
    const version = revoked.length
    clock.after(draw.latency(READ_MS), () => {
      if (version > seen) {
        read()
        clock.after(draw.latency(READ_MS), () => note(revoked, { from: seen, to: version, now: clock.now() }))
      }
      const interval = pollInterval(nodes, true) * (1 + JITTER * (2 * draw.fraction() - 1))
      clock.after(interval, () => watch(version, now - counted >= COUNT_MS ? now : counted))
    })
  }
  const search = (): void => {
    read()
    clock.after(nextLostRunSearch({ runs: nodes, isPending: false }, draw.fraction()), search)
  }
  for (let node = 0; node < nodes; node += 1) {
    clock.after(draw.fraction() * pollInterval(nodes, true), () => watch(0, start))
    clock.after(nextLostRunSearch({ runs: nodes, isPending: false }, draw.fraction()), search)
  }
  for (let nth = 0; nth < revocations; nth += 1)
    clock.after(2 * SECOND + draw.fraction() * (ms - 5 * SECOND), () => {
      revoked.push({ at: clock.now(), left: nodes, spreadMs: Number.NaN })
    })
  await clock.runUntil(start + ms)
  const whole = reads.slice(1, Math.floor(ms / SECOND))
  const spread = revoked.map(({ spreadMs }) => spreadMs)
  return {
    readsPerSecond: whole.reduce((sum, one) => sum + (one ?? 0), 0) / whole.length,
    peak: Math.max(...whole),
    spread: { median: percentileOf(spread, 50), most: Math.max(...spread) },
  }
}

/** Notes that one more node knows the revocations from one number to another. */
function note(
  revoked: readonly Revocation[],
  { from, to, now }: { readonly from: number; readonly to: number; readonly now: number },
): void {
  for (const revocation of revoked.slice(from, to)) {
    revocation.left -= 1
    if (revocation.left === 0) revocation.spreadMs = now - revocation.at
  }
}
