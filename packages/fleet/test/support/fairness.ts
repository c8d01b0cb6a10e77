import type { RateLimit } from '@headgate/gateway/ports'
import { type AdmittedRequest, createRandom, createTestFleet, mostConcurrent, type TestFleet } from './fleet.ts'

/** Time in which places are measured, after the nodes have learned about each other, in milliseconds. */
const MINUTE = 60_000
const SETTLED_MS = 12_000
/** Maximum time between two requests of a node whose demand exceeds its part, in milliseconds. */
const MOST_GAP_MS = 15
/** Time after which a refused caller tries again, in milliseconds. */
const RETRY_MS = 100
/** Demand of a node whose demand exceeds its part, as a multiple of its equal part. */
const EXCESS = 2.5

export interface FairnessOptions {
  readonly places: number
  /** Duration of each request in milliseconds. */
  readonly durationMs: number
  /** Number of callers of each node; `Infinity` = more than it has places. */
  readonly demands: readonly number[]
  readonly seed?: number | undefined
  /** Default true: the store wakes up nodes. */
  readonly isWoken?: boolean | undefined
}

export interface FairnessResult {
  /** Average number of used places by node. */
  readonly used: readonly number[]
  /** Part of the places that was used. */
  readonly use: number
  /** Maximum number of used places. */
  readonly most: number
  /** Exchanges of all nodes per second. */
  readonly exchanges: number
  readonly fleet: TestFleet
}

/** Jain's index of fairness: 1 = all parts are equal. */
export function jainIndex(parts: readonly number[]): number {
  const sum = parts.reduce((total, part) => total + part, 0)
  return (sum * sum) / (parts.length * parts.reduce((total, part) => total + part * part, 0))
}

/** Milliseconds that a request ran within a period. */
function overlap({ at, endAt }: AdmittedRequest, from: number, to: number): number {
  return Math.max(0, Math.min(endAt, to) - Math.max(at, from))
}

/** Runs nodes with one limit of concurrent requests for a minute of virtual time. */
export async function runFairness(options: FairnessOptions): Promise<FairnessResult> {
  const { places, durationMs, demands, seed = 1, isWoken } = options
  const nodes = demands.length
  const random = createRandom(seed)
  const fleet = createTestFleet({ nodes, random, isWoken })
  const limit: RateLimit = { concurrent: places }
  const busyGap = Math.min(MOST_GAP_MS, durationMs / 25, (durationMs * nodes) / places / EXCESS)
  const to = SETTLED_MS + MINUTE
  const arrive = (node: number): void => {
    fleet.send(node, limit, { endMs: durationMs })
    fleet.clock.set(() => arrive(node), -Math.log(1 - random()) * busyGap)
  }
  const call = (node: number): void => {
    // A caller sends its next request after a moment.
    const onDone = (isAdmitted: boolean): void => {
      fleet.clock.set(() => call(node), isAdmitted ? 1 : RETRY_MS)
    }
    fleet.send(node, limit, { endMs: durationMs, onDone })
  }
  for (const [node, demand] of demands.entries()) {
    if (Number.isFinite(demand)) for (let nth = 0; nth < demand; nth++) call(node)
    else arrive(node)
  }
  await fleet.run(SETTLED_MS)
  const countExchanges = (): number => fleet.nodes.reduce((sum, { counters }) => sum + counters.exchanges, 0)
  const before = countExchanges()
  await fleet.run(MINUTE)
  const used = demands.map(() => 0)
  for (const request of fleet.admitted)
    used[request.node] = (used[request.node] ?? 0) + overlap(request, SETTLED_MS, to) / MINUTE
  return {
    used,
    use: used.reduce((sum, part) => sum + part, 0) / places,
    most: mostConcurrent(fleet.admitted),
    exchanges: ((countExchanges() - before) * 1_000) / MINUTE,
    fleet,
  }
}
