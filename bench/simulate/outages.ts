import { HeadgateError } from '../../packages/core/src/errors.ts'
import { type AttemptOutcome, runAttempts } from '../../packages/gateway/src/routing/attempts.ts'
import { createHealth, type Health, type HealthTarget, keyOf } from '../../packages/gateway/src/routing/health.ts'
import { createRetryBudget, type RetryBudget } from '../../packages/gateway/src/routing/retry-budget.ts'
import { startArrivals } from './arrivals.ts'
import type { VirtualClock } from './clock.ts'
import type { Draw } from './draw.ts'

/** Shape of an outage, as providers have published them. */
export interface Outage {
  readonly name: string
  /** Result of a call to the affected endpoints. */
  readonly call: (draw: Draw) => { readonly afterMs: number; readonly failure: HeadgateError | undefined }
  /** True if only one of the two regions of the provider is affected. */
  readonly isRegional?: boolean | undefined
}

const SERVED_MS = 800
const served = (draw: Draw) => ({ afterMs: draw.latency(SERVED_MS), failure: undefined })
const failed = (afterMs: number, failure: HeadgateError) => ({ afterMs, failure })

/** Time without a first byte after which the gateway gives up, in milliseconds. */
const FIRST_BYTE_MS = 30_000
const refused = new HeadgateError('upstream', 'The connection was refused.', { code: 'ECONNREFUSED' })
const broken = new HeadgateError('upstream', 'The provider failed.', { upstreamStatus: 500 })
const silent = new HeadgateError('timeout', 'No first byte.')
const overloaded = new HeadgateError('overloaded', 'The provider is overloaded.', { upstreamStatus: 529 })
const limited = new HeadgateError('rate-limited', 'Too many requests.', { upstreamStatus: 429, retryAfterMs: 10_000 })

export const OUTAGES: readonly Outage[] = [
  { name: 'all connections are refused', call: (draw) => failed(draw.latency(5), refused) },
  {
    name: '30 % of the calls fail with 500',
    call: (draw) => (draw.fraction() < 0.3 ? failed(draw.latency(300), broken) : served(draw)),
  },
  {
    name: 'responses take 20 times as long, and half of them never begin',
    call: (draw) =>
      draw.fraction() < 0.5
        ? failed(FIRST_BYTE_MS, silent)
        : { afterMs: Math.min(FIRST_BYTE_MS, draw.latency(20 * SERVED_MS)), failure: undefined },
  },
  {
    name: '70 % of the calls get 429 or 529',
    call: (draw) => {
      const chance = draw.fraction()
      if (chance < 0.4) return failed(draw.latency(50), limited)
      return chance < 0.7 ? failed(draw.latency(50), overloaded) : served(draw)
    },
  },
  { name: 'one of two regions refuses all calls', call: (draw) => failed(draw.latency(5), refused), isRegional: true },
]

/** A call of a request: an endpoint of a provider. */
interface Candidate {
  readonly provider: number
  readonly region: number
}

export interface OutageOptions {
  readonly clock: VirtualClock
  readonly draw: Draw
  readonly nodes: number
  readonly providers: number
  /** Requests per second of all nodes. */
  readonly perSecond: number
  /** Times in milliseconds of the simulation. */
  readonly from: number
  readonly to: number
  readonly end: number
  readonly outage: Outage
}

/** Effects of an outage of one provider, of the requests that prefer it. */
export interface OutageReport {
  readonly name: string
  readonly requests: number
  /** Requests that no candidate served. */
  readonly failures: number
  /** Calls beyond the first one of each request. */
  readonly furtherCalls: number
  /** Calls to the affected endpoints during the outage, as a part of those without an outage. */
  readonly load: number
  /** Highest number of calls to the affected endpoints within one second, as a multiple of the usual one. */
  readonly peak: number
  /** Time from the end of the outage until the affected endpoints get 90 % of their usual calls, in milliseconds. */
  readonly returnMs: number
}

interface SimulatedNode {
  readonly health: Health
  readonly retries: RetryBudget
  /** Calls in progress by key of their target. */
  readonly running: Map<string, number>
}

/** The affected provider. Candidates of a request are the regions of its provider, then two other providers. */
const AFFECTED = 0
/** Part of the requests that prefer the affected provider: only outages of large providers matter. */
const AFFECTED_PART = 0.5
const REGIONS = 2
/** Maximum time of a request, and the first maximum wait before a retry, in milliseconds. */
const [DEADLINE, BACKOFF] = [120_000, 1_000]
const SECOND = 1_000
/** Median time of a message with cooldowns to other nodes, in milliseconds. */
const MESSAGE_MS = 250

/** Counts of calls to the affected endpoints. */
interface AffectedCalls {
  /** Calls by second. */
  readonly bySecond: number[]
  requests: number
  failures: number
  further: number
}

/** Sends requests from all nodes to all providers, of which one has an outage. */
export async function simulateOutage(options: OutageOptions): Promise<OutageReport> {
  const { clock, draw, nodes, providers, perSecond, end } = options
  const fleet = Array.from(
    { length: nodes },
    (): SimulatedNode => ({
      health: createHealth(draw.fraction),
      retries: createRetryBudget(),
      running: new Map(),
    }),
  )
  /** Sends new cooldowns of a node to all others, as messages do. */
  const announce = (from: SimulatedNode): void => {
    const records = from.health.drain(clock.now())
    if (records.length === 0) return
    clock.after(draw.latency(MESSAGE_MS), () => {
      for (const node of fleet) if (node !== from) node.health.merge(records, clock.now())
    })
  }
  const start = clock.now()
  const counts: AffectedCalls = { bySecond: [], requests: 0, failures: 0, further: 0 }
  startArrivals(clock, draw, { perSecond, until: start + end }, () => {
    const node = fleet[Math.floor(draw.fraction() * nodes)]
    const provider = draw.fraction() < AFFECTED_PART ? AFFECTED : Math.floor(draw.fraction() * providers)
    if (node) void request(options, node, { start, provider, counts }).then(() => announce(node))
  })
  // Requests of the last seconds end after it.
  await clock.runUntil(start + end + DEADLINE)
  return reportOf(options, counts)
}

interface RequestParts {
  readonly start: number
  readonly provider: number
  readonly counts: AffectedCalls
}

async function request(
  { clock, draw, providers, outage, from, to }: OutageOptions,
  { health, retries, running }: SimulatedNode,
  { start, provider, counts }: RequestParts,
): Promise<void> {
  const startedAt = clock.now()
  const region = Math.floor(draw.fraction() * REGIONS)
  const candidates: readonly Candidate[] = [
    { provider, region },
    { provider, region: (region + 1) % REGIONS },
    { provider: (provider + 1) % providers, region },
    { provider: (provider + 2) % providers, region },
  ]
  const targets = new Map(candidates.map((one) => [one, targetOf(one)]))
  const subjectOf = (candidate: Candidate): HealthTarget => targets.get(candidate) ?? targetOf(candidate)
  const change = (candidate: Candidate, by: number): void => {
    const key = keyOf(subjectOf(candidate))
    running.set(key, (running.get(key) ?? 0) + by)
  }
  // After a cooldown one call tests an endpoint, and its load returns in steps.
  const isOpen = (target: HealthTarget): boolean =>
    health.isHealthy(target, startedAt) && (running.get(keyOf(target)) ?? 0) < health.admits(target, startedAt)
  const healthy = candidates.filter((one) => isOpen(subjectOf(one)))
  const others = candidates.filter((one) => !healthy.includes(one))
  let calls = 0
  const outcome = await runAttempts<Candidate>({
    candidates: [...healthy, ...others],
    subjectOf,
    health,
    retries,
    deadline: startedAt + DEADLINE,
    backoff: BACKOFF,
    random: draw.fraction,
    clock: clock.now,
    isOver: () => false,
    wait: (ms) => new Promise((resolve) => clock.after(ms, resolve)),
    attempt: (candidate) => {
      calls += 1
      change(candidate, 1)
      const now = clock.now() - start
      const isAffected = candidate.provider === AFFECTED && (!outage.isRegional || candidate.region === 0)
      if (isAffected) {
        const second = Math.floor(now / SECOND)
        counts.bySecond[second] = (counts.bySecond[second] ?? 0) + 1
      }
      const { afterMs, failure } = isAffected && now >= from && now < to ? outage.call(draw) : served(draw)
      return new Promise<AttemptOutcome>((resolve) => {
        clock.after(afterMs, () => {
          change(candidate, -1)
          resolve(failure ?? 'served')
        })
      })
    },
  })
  if (provider !== AFFECTED || startedAt - start < from || startedAt - start >= to) return
  counts.requests += 1
  counts.further += calls - 1
  if (outcome !== 'served') counts.failures += 1
}

function targetOf({ provider, region }: Candidate): HealthTarget {
  const name = `provider-${provider}`
  return { provider: name, endpoint: `region-${region}`, account: name, model: 'model' }
}

function reportOf({ from, to, end, outage }: OutageOptions, counts: AffectedCalls): OutageReport {
  const mean = (first: number, last: number): number => {
    const seconds = Array.from({ length: last - first }, (_, n) => counts.bySecond[first + n] ?? 0)
    return seconds.reduce((sum, one) => sum + one, 0) / seconds.length
  }
  const [first, last] = [from / SECOND, to / SECOND]
  // The first seconds have no calls yet that a retry could follow.
  const usual = mean(Math.min(5, first - 1), first)
  let back = last
  // Means of five seconds: single seconds vary.
  while (back + 5 < end / SECOND && mean(back, back + 5) < 0.9 * usual) back += 1
  return {
    name: outage.name,
    requests: counts.requests,
    failures: counts.failures,
    furtherCalls: counts.further,
    load: mean(first, last) / usual,
    peak: Math.max(...Array.from({ length: last - first }, (_, n) => counts.bySecond[first + n] ?? 0)) / usual,
    returnMs: (back - last) * SECOND,
  }
}
