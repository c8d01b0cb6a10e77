import { createAllocations, createMemorySharedRates } from '../../packages/fleet/src/index.ts'
import type { FleetTimers } from '../../packages/fleet/src/timers.ts'
import type { RateLimit, SharedRates } from '../../packages/gateway/src/ports.ts'
import { MINUTE, maximumInWindow, maximumOpen, meanUse } from '../fleet/checker.ts'
import { startArrivals } from './arrivals.ts'
import type { VirtualClock } from './clock.ts'
import { createZipf, type Draw } from './draw.ts'

export interface RateOptions {
  readonly clock: VirtualClock
  readonly draw: Draw
  readonly nodes: number
  /** Keys, each with limits. Their requests are distributed by Zipf's law. */
  readonly callers: number
  /** Requests per second of all callers, each at a random node. */
  readonly perSecond: number
  readonly ms: number
  /** Period in which the shared store does not answer; undefined = it always does. */
  readonly away?: { readonly from: number; readonly to: number } | undefined
}

export interface RateReport {
  readonly requests: number
  readonly admitted: number
  /** Limits that were exceeded in any 60 s, or at any moment. */
  readonly over: number
  /** Largest excess, as a part of the limit. */
  readonly mostOver: number
  /** Limits of keys that ask for at least twice as much, and the unused part of these, by unit. */
  readonly saturated: number
  readonly unused: { readonly requests: number; readonly tokens: number; readonly concurrent: number }
  /** Round trips to the shared store. */
  readonly exchangesPerSecond: number
  /** Round trips per second and limit of the keys with requests. */
  readonly exchangesPerLimit: number
}

/** Admitted request of a key. */
interface Admission {
  readonly at: number
  endAt: number
  readonly amount: number
}

interface SimulatedKey {
  readonly id: string
  readonly limit: Required<RateLimit>
  /** Unit that is the first to be exhausted. */
  readonly tight: 'requests' | 'tokens' | 'concurrent'
  asked: number
  readonly admissions: Admission[]
}

/** Limits in turn: each has one unit that is exhausted first. */
const LIMITS: readonly Pick<SimulatedKey, 'limit' | 'tight'>[] = [
  { tight: 'requests', limit: { requestsPerMinute: 300, tokensPerMinute: 10_000_000, concurrent: 1_000 } },
  { tight: 'tokens', limit: { requestsPerMinute: 100_000, tokensPerMinute: 100_000, concurrent: 1_000 } },
  { tight: 'concurrent', limit: { requestsPerMinute: 100_000, tokensPerMinute: 10_000_000, concurrent: 4 } },
]
const UNITS = 3
/** Tokens of a request: the estimate, and the smallest part of it that is used. */
const [INPUT, OUTPUT, LEAST_USED] = [200, 300, 0.5]
/** Latencies in milliseconds: one way to the store, a served request, and the deadline of an exchange. */
const [WAY_MS, SERVED_MS, EXCHANGE_MS] = [0.5, 800, 50]
/** Mean of a served request's latency: the distribution is skewed. */
const MEAN_SERVED_MS = SERVED_MS * Math.exp(0.125)
/** Maximum difference between clocks of nodes, in milliseconds. */
const SKEW_MS = 60_000

/** Requests of many keys at many nodes, whose allocations come from one store. */
export async function simulateRates(options: RateOptions): Promise<RateReport> {
  const { clock, draw, nodes, callers, perSecond, ms } = options
  const start = clock.now()
  const shared = createMemorySharedRates({ now: clock.now })
  let exchanges = 0
  const remote: SharedRates = {
    exchange: (exchange) => {
      exchanges += 1
      return new Promise((resolve, reject) => {
        const isAway = (): boolean => isWithin(clock.now() - start, options.away)
        clock.after(draw.latency(WAY_MS), () => {
          if (isAway()) {
            clock.after(EXCHANGE_MS, () => reject(new Error('The shared store does not answer.')))
            return
          }
          const reply = shared.exchangeNow(exchange)
          clock.after(draw.latency(WAY_MS), () => resolve(reply))
        })
      })
    },
  }
  let isOver = false
  const timers: FleetTimers = {
    // Nodes of an earlier part of the simulation do nothing more.
    set: (call, wait) => (isOver ? undefined : clock.after(wait, call)),
    clear: (timer) => {
      if (timer) Object.assign(timer, { run: () => {} })
    },
    soon: clock.soon,
  }
  const fleet = Array.from({ length: nodes }, (_, nth) => {
    const skew = Math.floor(draw.fraction() * SKEW_MS)
    return createAllocations({
      shared: remote,
      node: `node-${nth}`,
      clock: () => clock.now() + skew,
      timers,
    })
  })
  const keys = Array.from({ length: callers }, (_, rank): SimulatedKey => {
    const { limit, tight } = LIMITS[rank % LIMITS.length] as (typeof LIMITS)[number]
    return { id: `key-${rank}`, limit, tight, asked: 0, admissions: [] }
  })
  const zipf = createZipf(callers)
  startArrivals(clock, draw, { perSecond, until: start + ms }, () => {
    const key = keys[zipf(draw.fraction())]
    const node = fleet[Math.floor(draw.fraction() * nodes)]
    if (key && node) void send(options, node, key)
  })
  await clock.runUntil(start + ms)
  isOver = true
  return reportOf(keys, { start, ms, exchanges })
}

function isWithin(ms: number, period: RateOptions['away']): boolean {
  return period !== undefined && ms >= period.from && ms < period.to
}

async function send(
  { clock, draw }: RateOptions,
  node: ReturnType<typeof createAllocations>,
  key: SimulatedKey,
): Promise<void> {
  key.asked += 1
  const limits = [{ scope: 'key' as const, id: key.id, limit: key.limit }]
  const slot = await node.take({ limits, tokens: { input: INPUT, output: OUTPUT } })
  if (!('leave' in slot)) return
  const amount = Math.round((INPUT + OUTPUT) * (LEAST_USED + (1 - LEAST_USED) * draw.fraction()))
  const admission: Admission = { at: clock.now(), endAt: Number.POSITIVE_INFINITY, amount }
  key.admissions.push(admission)
  clock.after(draw.latency(SERVED_MS), () => {
    admission.endAt = clock.now()
    slot.leave(amount)
  })
}

interface Totals {
  readonly start: number
  readonly ms: number
  readonly exchanges: number
}

function reportOf(keys: readonly SimulatedKey[], { start, ms, exchanges }: Totals): RateReport {
  const active = keys.filter(({ asked }) => asked > 0)
  const excesses = active.flatMap((key) => excessesOf(key))
  const saturated = active.filter((key) => demandOf(key, ms) >= 2)
  const unusedOf = (unit: SimulatedKey['tight']): number => {
    const own = saturated.filter(({ tight }) => tight === unit)
    return own.reduce((sum, key) => sum + 1 - useOf(key, { from: start, to: start + ms }), 0) / own.length
  }
  return {
    requests: active.reduce((sum, { asked }) => sum + asked, 0),
    admitted: active.reduce((sum, { admissions }) => sum + admissions.length, 0),
    over: excesses.length,
    mostOver: Math.max(0, ...excesses),
    saturated: saturated.length,
    unused: { requests: unusedOf('requests'), tokens: unusedOf('tokens'), concurrent: unusedOf('concurrent') },
    exchangesPerSecond: exchanges / (ms / 1_000),
    exchangesPerLimit: exchanges / (ms / 1_000) / (active.length * UNITS),
  }
}

/** Parts by which limits of a key were exceeded. */
function excessesOf({ limit, admissions }: SimulatedKey): readonly number[] {
  const used = [
    [maximumInWindow(admissions.map(({ at }) => ({ at, amount: 1 }))), limit.requestsPerMinute],
    [maximumInWindow(admissions), limit.tokensPerMinute],
    [maximumOpen(admissions), limit.concurrent],
  ] as const
  return used.flatMap(([most, allowed]) => (most > allowed ? [most / allowed - 1] : []))
}

/** Requested amount of the tight unit, in multiples of its limit. */
function demandOf({ asked, tight, limit }: SimulatedKey, ms: number): number {
  const perMinute = asked / (ms / MINUTE)
  if (tight === 'requests') return perMinute / limit.requestsPerMinute
  if (tight === 'tokens') return (perMinute * (INPUT + OUTPUT) * (1 + LEAST_USED)) / 2 / limit.tokensPerMinute
  return (perMinute * MEAN_SERVED_MS) / MINUTE / limit.concurrent
}

/** Used part of the tight limit: mean of all periods of 60 s, or of all moments. */
function useOf(
  { tight, limit, admissions }: SimulatedKey,
  period: { readonly from: number; readonly to: number },
): number {
  if (tight === 'requests')
    return meanUse(
      admissions.map(({ at }) => ({ at, amount: 1 })),
      limit.requestsPerMinute,
      period,
    )
  if (tight === 'tokens') return meanUse(admissions, limit.tokensPerMinute, period)
  const { from, to } = period
  const open = admissions.reduce((sum, { at, endAt }) => sum + Math.min(endAt, to) - at, 0)
  return open / (to - from) / limit.concurrent
}
