import { createRandom } from '../../packages/gateway/test/faults/random.ts'
import { createVirtualClock } from './clock.ts'
import { createDraw } from './draw.ts'
import { OUTAGES, type OutageReport, simulateOutage } from './outages.ts'
import { type RateReport, simulateRates } from './rates.ts'
import { type StoreReadReport, simulateStoreReads } from './store-reads.ts'

/** Size of a simulation. Times are virtual milliseconds. */
export interface SimulationSize {
  readonly seed: number
  readonly nodes: number
  readonly callers: number
  /** Requests per second of all nodes with rate limits. */
  readonly perSecond: number
  readonly ratesMs: number
  readonly providers: number
  /** Requests per second of all nodes to providers, and duration of each outage. */
  readonly callsPerSecond: number
  readonly outageMs: number
  readonly readsMs: number
}

export interface SimulationReport {
  readonly rates: RateReport
  /** Rates while the shared store is unreachable for 10 s. */
  readonly away: RateReport
  readonly outages: readonly OutageReport[]
  readonly reads: StoreReadReport
  readonly events: number
}

/** Duration of an outage of the shared store, and its start. */
const [AWAY_MS, AWAY_FROM] = [10_000, 30_000]
/** Time before an outage of a provider; after it, twice as long. */
const AROUND_MS = 30_000
const REVOCATIONS = 5

/** Simulates nodes that run the gateway's and the fleet's own modules, by virtual time. */
export async function simulate(size: SimulationSize): Promise<SimulationReport> {
  const clock = createVirtualClock()
  const draw = createDraw(createRandom(size.seed))
  const { nodes, callers, perSecond, ratesMs, providers, callsPerSecond, outageMs, readsMs } = size
  const traffic = { clock, draw, nodes, callers, perSecond, ms: ratesMs }
  const rates = await simulateRates(traffic)
  const away = await simulateRates({ ...traffic, away: { from: AWAY_FROM, to: AWAY_FROM + AWAY_MS } })
  const outages: OutageReport[] = []
  for (const outage of OUTAGES)
    outages.push(
      await simulateOutage({
        clock,
        draw,
        nodes,
        providers,
        perSecond: callsPerSecond,
        from: AROUND_MS,
        to: AROUND_MS + outageMs,
        end: AROUND_MS + outageMs + 2 * AROUND_MS,
        outage,
      }),
    )
  const reads = await simulateStoreReads({ clock, draw, nodes, ms: readsMs, revocations: REVOCATIONS })
  return { rates, away, outages, reads, events: clock.events }
}
