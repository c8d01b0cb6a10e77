import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom } from '../../packages/gateway/test/faults/random.ts'
import { readFleetBooks, untilLeasesEnd } from './books.ts'
import {
  type CallerAnswer,
  type CheckedKey,
  type Evidence,
  figuresOf,
  type KeyFigures,
  type LimitAllowance,
  MINUTE,
  NO_ALLOWANCE,
  type NodeKill,
  percentileOf,
  unexpectedAnswers,
  violationsOf,
} from './checker.ts'
import { type Fleet, type FleetServers, outagesOf, startFleet } from './deployment.ts'
import { ALONE, CUT_OFF, type Fault } from './faults.ts'
import { type Callers, type FleetTraffic, startFleetTraffic } from './traffic.ts'
import { OUTPUT_PRICE } from './upstream.ts'

export interface FaultOptions {
  readonly servers: FleetServers
  readonly seed: number
  /** Duration of the load, in seconds. */
  readonly seconds: number
  readonly isBuilt: boolean
  /** Maximum time that the 99th percentile of responses may grow by while Redis is away, in milliseconds. */
  readonly slack: number
  /** True: waits until the leases of lost machines are released, up to 90 s. */
  readonly isPatient: boolean
}

/** Result of a fault. */
export interface FaultReport {
  /** Empty = nothing is wrong. */
  readonly violations: readonly string[]
  /** Times at which nodes did not reach the shared counts, and the last lines of the log of nodes that failed. */
  readonly notes: readonly string[]
  readonly answers: number
  readonly served: number
  readonly kills: number
  readonly figures: readonly KeyFigures[]
  /** 99th percentile of responses before and during the fault, in milliseconds. */
  readonly p99: { readonly before: number; readonly during: number }
  /** Calls of Redis per second and limit; undefined without Redis. */
  readonly redisCalls: number | undefined
  /** Time from the end of the fault until all nodes share rates again, in milliseconds; undefined without Redis. */
  readonly backMs: number | undefined
}

/** Key of the callers that stay within their limits: they must be served. */
const STEADY = 'steady'
const REVOKED = 'revoked'
/** Output of a call in tokens, and a budget that pays for 100 of these calls. */
const OUTPUT = 100
const BUDGET = 100 * OUTPUT * OUTPUT_PRICE
const UNLIMITED = 1_000_000
const RICH = 1_000 * 1_000_000_000

/** Every key has a budget, so that each call is in the journal before it is sent. */
const KEYS: readonly CheckedKey[] = [
  {
    name: STEADY,
    requestsPerMinute: UNLIMITED,
    tokensPerMinute: 1_000 * UNLIMITED,
    concurrent: UNLIMITED,
    budget: RICH,
  },
  { name: 'requests', requestsPerMinute: 200, tokensPerMinute: UNLIMITED, concurrent: 50, budget: RICH },
  { name: 'tokens', requestsPerMinute: UNLIMITED, tokensPerMinute: 20_000, concurrent: 50, budget: RICH },
  { name: 'concurrent', requestsPerMinute: UNLIMITED, tokensPerMinute: 1_000 * UNLIMITED, concurrent: 6, budget: RICH },
  { name: 'spender', budget: BUDGET },
  { name: REVOKED, budget: RICH },
]
/** Shared limits of these keys: each unit counts. */
const LIMITS = 12

const LOAD: Readonly<Record<string, Omit<Callers, 'name' | 'secret'>>> = {
  [STEADY]: { count: 9, input: 10, output: OUTPUT, hold: 40, pause: 100 },
  requests: { count: 6, input: 10, output: 20, hold: 10, pause: 200 },
  tokens: { count: 6, input: 10, output: 500, hold: 20, pause: 200 },
  concurrent: { count: 12, input: 10, output: 20, hold: 150, pause: 100 },
  spender: { count: 6, input: 10, output: OUTPUT, hold: 30, pause: 200 },
  [REVOKED]: { count: 6, input: 10, output: OUTPUT, hold: 20, pause: 50 },
}

/** Parts of the load before and during the fault; the rest comes after it. */
const [BEFORE, DURING] = [0.25, 0.5]
/** Maximum time that a lease of a lost machine is held, in milliseconds. */
const LEASE_HELD = 90_000
/** Number of shown lines of a log. */
const SHOWN_LINES = 5
/** Interval of looks whether rates are shared again, and maximum time until they are, in milliseconds. */
const [LOOK, BACK] = [50, 1_000]

/** Runs the load and a fault, shuts all down, and checks what the upstream, the callers and the store have seen. */
export async function runFault(fault: Fault, options: FaultOptions): Promise<FaultReport> {
  const { servers, isBuilt } = options
  const firstCall = servers.upstream.calls.length
  const fleet = await startFleet({ servers, isBuilt, environment: fault.environment })
  try {
    await fleet.ready()
    const keys = await Promise.all(KEYS.map(async (key) => ({ name: key.name, ...(await fleet.createKey(key)) })))
    const groups = keys.map(({ name, secret }) => callersOf(name, secret))
    const traffic = startFleetTraffic(fleet.urls, groups)
    const revokedId = keys.find(({ name }) => name === REVOKED)?.id ?? ''
    const course = await play(fault, fleet, { options, traffic, revokedId })
    await fleet.ready()
    const { kills } = course
    const lost = kills.findLast(({ isDiskLost }) => isDiskLost)
    const isReleased = !options.isPatient || !lost || (await untilLeasesEnd(fleet, lost.at + LEASE_HELD))
    const codes = await Promise.all(fleet.nodes.map((node) => node.stop()))
    const books = await readFleetBooks(fleet)
    const outages = outagesOf(fleet)
    const evidence: Evidence = {
      keys: KEYS,
      calls: servers.upstream.calls.slice(firstCall),
      answers: traffic.answers,
      rows: books.rows,
      kills,
      revoked: course.revokedAt === undefined ? undefined : { key: REVOKED, at: course.revokedAt },
      allowance: allowanceOf(hasCounts(fault, servers) ? fault.allowance : undefined, outages),
      isShared: course.isShared,
    }
    return {
      violations: [
        ...violationsOf(evidence),
        ...wrongAnswers(fault, evidence),
        ...(isReleased ? [] : [`leases of a lost machine are held for more than ${LEASE_HELD / 1_000} s`]),
        ...(lost ? [] : books.leased),
        ...books.findings,
        ...codes.flatMap((code, nth) => (code === 0 ? [] : [`node ${nth} ended with ${code}`])),
        ...late(fault, course, options),
      ],
      notes: [
        ...outages,
        ...codes.flatMap((code, nth) => (code === 0 ? [] : (fleet.nodes[nth]?.log().slice(-SHOWN_LINES) ?? []))),
      ],
      answers: traffic.answers.length,
      served: traffic.answers.filter(({ status }) => status === 200).length,
      kills: kills.length,
      figures: figuresOf(evidence),
      p99: course.p99,
      redisCalls: course.redisCalls,
      backMs: course.backMs,
    }
  } finally {
    await fleet.close()
  }
}

/** True if the fault is one of the server that has the shared counts. */
function hasCounts({ needsRedis }: Fault, { redis }: FleetServers): boolean {
  return needsRedis || redis === undefined
}

/** Allowance of a fault. On a busy machine Redis may answer too late without a fault, so that nodes are cut off. */
function allowanceOf(allowance: LimitAllowance | undefined, outages: readonly string[]): LimitAllowance {
  const { windows, places } = allowance ?? NO_ALLOWANCE
  if (!outages.some((line) => line.includes('unreachable'))) return { windows, places }
  return { windows: Math.max(windows, CUT_OFF.windows), places: Math.max(places, ALONE.places) }
}

function callersOf(name: string, secret: string): Callers {
  const load = LOAD[name]
  if (!load) throw new TypeError(`There is no load for the key ${name}.`)
  return { name, secret, ...load }
}

/** Course of a fault. */
interface Course {
  readonly kills: readonly NodeKill[]
  readonly revokedAt: number | undefined
  readonly p99: FaultReport['p99']
  readonly redisCalls: number | undefined
  readonly backMs: number | undefined
  readonly isShared: boolean
}

interface PlayParts {
  readonly options: FaultOptions
  readonly traffic: FleetTraffic
  /** Id of the key to revoke. */
  readonly revokedId: string
}

async function play(fault: Fault, fleet: Fleet, { options, traffic, revokedId }: PlayParts): Promise<Course> {
  const ms = options.seconds * 1_000
  const kills: NodeKill[] = []
  const isShared = (await fleet.metric('headgate_rates_shared')) !== undefined
  const callsAtStart = (await fleet.metric('headgate_redis_calls_total')) ?? 0
  const startedAt = performance.now()
  await sleep(ms * BEFORE)
  const calls = await fleet.metric('headgate_redis_calls_total')
  const faultAt = performance.now()
  const redisCalls = calls === undefined ? undefined : (calls - callsAtStart) / ((faultAt - startedAt) / 1_000) / LIMITS
  const random = createRandom(options.seed)
  const revoking = fault.canRevoke ? revokeLater(fleet, revokedId, (ms * DURING) / 4) : undefined
  await fault.play({ fleet, random, ms: ms * DURING, kills })
  const healedAt = performance.now()
  const revokedAt = await revoking
  const backMs = redisCalls === undefined ? undefined : await untilShared(fleet, healedAt)
  // Long enough to see a key that is revoked, and not refused.
  await sleep(Math.max(ms * (1 - BEFORE - DURING), 2 * BACK))
  await traffic.stop()
  const steady = traffic.answers.filter(({ key, status }) => key === STEADY && status === 200)
  const p99 = (from: number, to: number): number =>
    percentileOf(
      steady.filter(({ at }) => at >= from && at < to).map((answer) => answer.ms),
      99,
    )
  return {
    kills,
    revokedAt,
    p99: { before: p99(startedAt + (ms * BEFORE) / 2, faultAt), during: p99(faultAt, healedAt) },
    redisCalls,
    backMs,
    isShared,
  }
}

/** Resolves with the moment at which the store has the revocation. */
async function revokeLater(fleet: Fleet, id: string, ms: number): Promise<number> {
  await sleep(ms)
  await fleet.store.keys.revoke(id)
  return performance.now()
}

async function untilShared(fleet: Fleet, since: number): Promise<number> {
  while ((await fleet.metric('headgate_rates_shared')) !== fleet.nodes.length) {
    if (performance.now() - since > MINUTE) return Number.POSITIVE_INFINITY
    await sleep(LOOK)
  }
  return performance.now() - since
}

/** Answers to callers within their limits that are neither served nor explained by the fault. */
function wrongAnswers(fault: Fault, { answers }: Evidence): readonly string[] {
  const isExpected = ({ key, status }: CallerAnswer): boolean => {
    if (status === 200 || fault.statuses.includes(status)) return true
    if (key === STEADY) return false
    return key === REVOKED ? status === 401 : status === 429
  }
  return unexpectedAnswers(answers, isExpected)
}

function late(fault: Fault, { p99, backMs }: Course, { slack }: FaultOptions): readonly string[] {
  if (!fault.isQuick) return []
  const grown = p99.during - p99.before
  const violations: string[] = []
  if (grown > slack)
    violations.push(`the p99 of responses grew by ${Math.round(grown)} ms, at most ${slack} is allowed`)
  const mostBack = fault.backMs ?? BACK
  if (backMs !== undefined && backMs > mostBack + slack)
    violations.push(`rates were shared again after ${Math.round(backMs)} ms`)
  return violations
}
