import type { EndpointLimits } from '../ports/routing.ts'
import type { AttemptOutcome } from './attempts.ts'
import { createEndpointWaiting, type EndpointWaiting, type QueueOptions } from './call-queue.ts'
import type { Candidate } from './candidates.ts'
import { type HealthTarget, keyOf } from './health.ts'
import { count, createWindow, msUntil, type SlidingWindow, usedOf } from './window.ts'

/** Factor of the adaptive limit after a refusal, and the minimum time between two reductions in milliseconds. */
const DECREASE = 0.9
const DECREASE_PAUSE_MS = 1_000
/** Minimum of the adaptive limit, so that a few concurrent requests are never refused because of it. */
const LEAST_LIMIT = 4
/** Time without refusals after which the adaptive limit ends, in milliseconds. */
const FORGET_MS = 600_000
/** Estimated time until a call ends, in milliseconds. */
const CALL_MS = 1_000
/** Maximum number of targets. Callers choose model names, so memory must be limited. */
const MAX_TARGETS = 10_000
/** Windows of one minute. */
const SLOT_MS = 1_000
const SLOTS = 60

/** Calls of a model at an endpoint. */
interface TargetLoad {
  inFlight: number
  /** Adaptive limit; Infinity = none. */
  limit: number
  /** Time of the last reduction. */
  reducedAt: number
}

/** Calls of an endpoint, over all of its models. */
interface EndpointLoad {
  inFlight: number
  readonly requests: SlidingWindow
  readonly tokens: SlidingWindow
}

/**
 * Calls in progress, and limits on them: the configured ones of an endpoint, and an adaptive one for each model, which
 * refusals of the upstream reduce and successes raise. In memory only. `now` is the time of a monotonic clock.
 */
export interface Load {
  /** Counts a call. Returns the function that ends it. */
  enter(
    candidate: Candidate,
    target: HealthTarget,
    tokens: number,
    now: number,
  ): (outcome: AttemptOutcome, now: number) => void
  inFlight(target: HealthTarget): number
  /** Keys of targets with calls in progress. */
  busy(): readonly string[]
  /** Adaptive limit of a target; Infinity = none. */
  limitOf(target: HealthTarget, now: number): number
  /** Milliseconds until an endpoint may have space for a call of `tokens`; 0 = now. */
  msUntilFree(candidate: Candidate, target: HealthTarget, tokens: number, now: number): number
  /** Requests that wait for an endpoint with space. */
  readonly queue: EndpointWaiting
}

/** @param waiting limits of the queue */
export function createLoad(waiting: QueueOptions): Load {
  const targets = new Map<string, TargetLoad>()
  const endpoints = new WeakMap<Candidate['endpoint'], EndpointLoad>()
  const of = (target: HealthTarget): TargetLoad => {
    const key = keyOf(target)
    const known = targets.get(key)
    if (known) return known
    const created = { inFlight: 0, limit: Number.POSITIVE_INFINITY, reducedAt: 0 }
    if (targets.size >= MAX_TARGETS) forgetIdle(targets)
    targets.set(key, created)
    return created
  }
  const endpointOf = ({ endpoint }: Candidate): EndpointLoad => {
    const known = endpoints.get(endpoint)
    if (known) return known
    const created = { inFlight: 0, requests: createWindow(SLOT_MS, SLOTS), tokens: createWindow(SLOT_MS, SLOTS) }
    endpoints.set(endpoint, created)
    return created
  }
  const load: Omit<Load, 'queue'> = {
    enter(candidate, target, tokens, now) {
      const here = of(target)
      const endpoint = endpointOf(candidate)
      here.inFlight++
      endpoint.inFlight++
      const { limits } = candidate.endpoint
      if (limits) {
        usedOf(endpoint.requests, now)
        count(endpoint.requests, 1, now)
        usedOf(endpoint.tokens, now)
        count(endpoint.tokens, tokens, now)
      }
      let isOver = false
      return (outcome, at) => {
        if (isOver) return
        isOver = true
        adapt(here, outcome, at)
        here.inFlight--
        endpoint.inFlight--
        queue.ended(target)
      }
    },
    inFlight: (target) => targets.get(keyOf(target))?.inFlight ?? 0,
    busy: () => [...targets].flatMap(([key, { inFlight }]) => (inFlight > 0 ? [key] : [])),
    limitOf(target, now) {
      const known = targets.get(keyOf(target))
      if (known && known.limit < Number.POSITIVE_INFINITY && now - known.reducedAt > FORGET_MS)
        known.limit = Number.POSITIVE_INFINITY
      return known ? Math.max(LEAST_LIMIT, Math.floor(known.limit)) : Number.POSITIVE_INFINITY
    },
    msUntilFree(candidate, target, tokens, now) {
      const known = targets.get(keyOf(target))
      if (known && known.limit < Number.POSITIVE_INFINITY && known.inFlight >= load.limitOf(target, now)) return CALL_MS
      const { limits } = candidate.endpoint
      return limits ? msWithin(limits, endpointOf(candidate), tokens, now) : 0
    },
  }
  const queue = createEndpointWaiting(load, waiting)
  return Object.assign(load, { queue })
}

function forgetIdle(targets: Map<string, TargetLoad>): void {
  for (const [key, { inFlight }] of targets) if (inFlight === 0) targets.delete(key)
}

/** Adapts the limit of a target to the outcome of a call, which still counts as in progress. */
function adapt(load: TargetLoad, outcome: AttemptOutcome, now: number): void {
  if (outcome === 'served') {
    if (load.limit < Number.POSITIVE_INFINITY && 2 * load.inFlight >= load.limit) load.limit += 1 / load.limit
    return
  }
  const isRefusal = outcome.kind === 'rate-limited' || outcome.kind === 'overloaded'
  if (!isRefusal || now - load.reducedAt < DECREASE_PAUSE_MS) return
  load.limit = Math.max(LEAST_LIMIT, DECREASE * Math.min(load.limit, load.inFlight))
  load.reducedAt = now
}

/** Milliseconds until the configured limits of an endpoint have space for a call; 0 = now. */
function msWithin(
  { concurrent, requestsPerMinute, tokensPerMinute }: EndpointLimits,
  used: EndpointLoad,
  tokens: number,
  now: number,
): number {
  if (concurrent !== undefined && used.inFlight >= concurrent) return CALL_MS
  const requests = requestsPerMinute === undefined ? 0 : msUntil(used.requests, requestsPerMinute - 1, now)
  // A request that exceeds the limit by itself is sent when the window is empty.
  const space = Math.max(0, (tokensPerMinute ?? 0) - tokens)
  return Math.max(requests, tokensPerMinute === undefined ? 0 : msUntil(used.tokens, space, now))
}
