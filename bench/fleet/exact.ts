import { setTimeout as sleep } from 'node:timers/promises'
import { readFleetBooks } from './books.ts'
import {
  type CheckedKey,
  type Evidence,
  figuresOf,
  MINUTE,
  meanUse,
  NO_ALLOWANCE,
  percentileOf,
  unexpectedAnswers,
  violationsOf,
} from './checker.ts'
import { type FleetServers, outagesOf, startFleet } from './deployment.ts'
import { type Callers, startFleetTraffic } from './traffic.ts'

export interface ExactOptions {
  readonly servers: FleetServers
  readonly seconds: number
  readonly isBuilt: boolean
}

/** Use of the limits of each key that its callers exhaust. */
export interface ExactReport {
  readonly violations: readonly string[]
  readonly lines: readonly string[]
}

const LIMITS = { requestsPerMinute: 100, tokensPerMinute: 10_000, concurrent: 4 }
/** Minimum use of a limit over any 60 s: with Redis, and over Postgres alone. */
const [LEAST_REDIS, LEAST_POSTGRES] = [0.97, 0.9]
/** Part of a limit that may be exceeded over Postgres alone. */
const OVER_POSTGRES = 0.1
/** Maximum calls of Redis per second and limit. */
const REDIS_CALLS = 2
const RICH = 1_000 * 1_000_000_000

type Unit = 'requests' | 'tokens' | 'concurrent'

/**
 * Keys, one for each limit, whose callers reach this limit first. A request is about 1 % of its limit, since the last
 * part of a limit stays unused if it is smaller than a request may become.
 */
const LOADS: readonly (Omit<Callers, 'name' | 'secret'> & { readonly name: Unit })[] = [
  { name: 'requests', count: 4, input: 10, output: 20, hold: 5, pause: 100 },
  { name: 'tokens', count: 4, input: 20, output: 100, hold: 5, pause: 100 },
  { name: 'concurrent', count: 12, input: 10, output: 10, hold: 3_000, pause: 50 },
]

/** Limit of a unit. */
const limitOf = (unit: Unit): number =>
  unit === 'requests' ? LIMITS.requestsPerMinute : unit === 'tokens' ? LIMITS.tokensPerMinute : LIMITS.concurrent

/**
 * Exhausts limits of 100 requests and 10,000 tokens a minute and 4 requests at a time from all nodes, and measures what
 * the upstream has seen.
 */
export async function measureExactness({ servers, seconds, isBuilt }: ExactOptions): Promise<ExactReport> {
  const { calls } = servers.upstream
  const first = calls.length
  const fleet = await startFleet({ servers, isBuilt })
  try {
    await fleet.ready()
    const keys: readonly CheckedKey[] = LOADS.map(({ name }) => ({ name, ...LIMITS, budget: RICH }))
    const secrets = await Promise.all(keys.map((key) => fleet.createKey(key)))
    const groups = LOADS.map((load, nth) => ({ ...load, secret: secrets[nth]?.secret ?? '' }))
    const before = await fleet.metric('headgate_redis_calls_total')
    const from = performance.now()
    const traffic = startFleetTraffic(fleet.urls, groups)
    await sleep(seconds * 1_000)
    const after = await fleet.metric('headgate_redis_calls_total')
    const to = performance.now()
    await traffic.stop()
    await Promise.all(fleet.nodes.map((node) => node.stop()))
    const { rows, findings } = await readFleetBooks(fleet)
    const evidence: Evidence = {
      keys,
      calls: calls.slice(first),
      answers: traffic.answers,
      rows,
      kills: [],
      allowance: servers.redis ? NO_ALLOWANCE : { windows: OVER_POSTGRES, places: 0 },
      isShared: true,
    }
    const redisCalls =
      before === undefined || after === undefined
        ? undefined
        : (after - before) / ((to - from) / 1_000) / (keys.length * Object.keys(LIMITS).length)
    const uses = LOADS.map(({ name }) => ({ unit: name, use: useOf(evidence, name, { from, to }) }))
    return {
      violations: [
        ...violationsOf(evidence),
        ...unexpectedAnswers(traffic.answers, ({ status }) => status === 200 || status === 429),
        ...findings,
        ...lacking(uses, servers.redis ? LEAST_REDIS : LEAST_POSTGRES),
        ...(redisCalls !== undefined && redisCalls > REDIS_CALLS
          ? [`${redisCalls.toFixed(2)} calls of Redis per second and limit, at most ${REDIS_CALLS} are allowed`]
          : []),
      ],
      lines: [
        ...linesOf(evidence, uses),
        ...outagesOf(fleet),
        ...(redisCalls === undefined ? [] : [`Redis: ${redisCalls.toFixed(2)} calls per second and limit`]),
      ],
    }
  } finally {
    await fleet.close()
  }
}

interface UnitUse {
  readonly unit: Unit
  /** Part of the limit; NaN if the run is too short. */
  readonly use: number
}

function useOf({ calls }: Evidence, unit: Unit, { from, to }: { readonly from: number; readonly to: number }): number {
  const own = calls.filter(({ key }) => key === unit)
  if (unit === 'concurrent') {
    const open = own.reduce((sum, { at, endAt = to }) => sum + Math.max(0, Math.min(endAt, to) - Math.max(at, from)), 0)
    return open / (to - from) / limitOf(unit)
  }
  const items = own.map(({ at, tokens }) => ({ at, amount: unit === 'requests' ? 1 : tokens }))
  return meanUse(items, limitOf(unit), { from, to })
}

function lacking(uses: readonly UnitUse[], least: number): readonly string[] {
  return uses.flatMap(({ unit, use }) =>
    use < least ? [`${unit}: ${percent(use)} of the limit are used, at least ${percent(least)} are required`] : [],
  )
}

function linesOf(evidence: Evidence, uses: readonly UnitUse[]): readonly string[] {
  const figures = figuresOf(evidence)
  const lines = uses.map(({ unit, use }) => {
    const most = figures.find(({ name }) => name === unit)?.[unit] ?? 0
    const where = unit === 'concurrent' ? 'at the same time' : `within ${MINUTE / 1_000} s`
    return `${unit}: at most ${most} of ${limitOf(unit)} ${where}, ${percent(use)} used`
  })
  const served = evidence.answers.filter(({ status }) => status === 200).length
  const refused = evidence.answers.filter(({ status }) => status === 429).map(({ ms }) => ms)
  return [
    ...lines,
    `${served} served, ${refused.length} refused; p99 of refusals ${percentileOf(refused, 99).toFixed(0)} ms`,
  ]
}

function percent(part: number): string {
  return Number.isNaN(part) ? 'an unknown part (the run is shorter than 61 s)' : `${(part * 100).toFixed(1)} %`
}
