import type { ServiceClass } from '../ports/service-class.ts'
import type { AttemptOutcome } from './attempts.ts'
import { type Candidate, subjectOf } from './candidates.ts'
import { createFairQueue, type FairQueue, type FairRequest, type QueuePlace, type QueueTotal } from './fair-queue.ts'
import type { HealthTarget } from './health.ts'

/** Maximum part of the waiting requests that one endpoint can have. */
const PER_ENDPOINT = 1 / 2
/** Minimum and maximum time until a full endpoint is looked at again without the end of a call, in milliseconds. */
const MIN_RETRY_MS = 5
const MAX_RETRY_MS = 1_000
/** Queues without requests are removed when there are more. Callers choose model names, so memory must be limited. */
const MAX_QUEUES = 1_000

/** Counted call that has not been sent yet. */
export interface SpanPlace {
  readonly candidate: Candidate
  /** Ends the call. */
  readonly leave: (outcome: AttemptOutcome, now: number) => void
}

/** Reason why a request waits no longer: the queue is full, or its maximum wait is over. */
export type QueueRefusal = 'queue-full' | 'queue-timeout'

/** Wait of a request. */
export interface CallWait {
  /** A place at an endpoint, or the reason for its absence; undefined after `leave`. */
  readonly result: Promise<SpanPlace | QueueRefusal | undefined>
  /** Ends the wait. A place that was given already stays. */
  leave(): void
}

export interface QueueOptions {
  /** Maximum waiting requests of all endpoints together; one endpoint can have half of them. */
  readonly most: number
  /** Usual maximum wait in milliseconds. */
  readonly ms: number
  /** Monotonic clock in milliseconds. */
  readonly clock: () => number
}

/** Call for which a request waits. */
export interface WaitingCall {
  /** Tokens that limits of endpoints count; 0 if the request has none. */
  readonly tokens: number
  /** Maximum wait in milliseconds. */
  readonly ms: number
}

/** Calls that the queue counts, and their limits. */
export interface CallCounts {
  msUntilFree(candidate: Candidate, target: HealthTarget, tokens: number, now: number): number
  enter(candidate: Candidate, target: HealthTarget, tokens: number, now: number): SpanPlace['leave']
}

/** Requests that wait for full endpoints, in fair order for each endpoint. */
export interface EndpointWaiting {
  /** True if requests wait for the endpoint, so that a new one must wait after them. */
  isWaiting(target: HealthTarget): boolean
  /** Number of waiting requests of a class. */
  waiting(serviceClass: ServiceClass): number
  /** Waits until one of the candidates has space. */
  wait(request: FairRequest, candidates: readonly Candidate[], call: WaitingCall): CallWait
  /** Serves the next requests after the end of a call. */
  ended(target: HealthTarget): void
}

/** Request that waits, and its place in the queue of each endpoint. */
interface WaitingCandidate {
  readonly tokens: number
  readonly places: Map<EndpointQueue, QueuePlace>
  settle(result: SpanPlace | QueueRefusal | undefined): void
}

/** A waiter in the queue of one endpoint, with its candidates there. */
interface EndpointWaiter {
  readonly waiter: WaitingCandidate
  readonly candidates: readonly Candidate[]
  /** Candidate that has space; undefined = none, or not known yet. */
  free: Candidate | undefined
}

interface EndpointQueue {
  readonly queue: FairQueue<EndpointWaiter>
  /** Looks again at an endpoint whose space returns with time. */
  timer: NodeJS.Timeout | undefined
}

/** Key of an endpoint. */
function placeOf({ provider, endpoint }: HealthTarget): string {
  return `${provider}\n${endpoint}`
}

/** Creates the queues of the endpoints. */
export function createEndpointWaiting(counts: CallCounts, options: QueueOptions): EndpointWaiting {
  return new EndpointQueues(counts, options)
}

class EndpointQueues implements EndpointWaiting {
  private readonly counts: CallCounts
  private readonly options: QueueOptions
  private readonly queues = new Map<string, EndpointQueue>()
  private readonly total: QueueTotal
  private readonly byClass: Record<ServiceClass, number> = { interactive: 0, normal: 0, batch: 0 }

  constructor(counts: CallCounts, options: QueueOptions) {
    this.counts = counts
    this.options = options
    this.total = { count: 0, most: options.most }
  }

  isWaiting(target: HealthTarget): boolean {
    return this.total.count > 0 && (this.queues.get(placeOf(target))?.queue.size ?? 0) > 0
  }

  waiting(serviceClass: ServiceClass): number {
    return this.byClass[serviceClass]
  }

  wait(request: FairRequest, candidates: readonly Candidate[], { tokens, ms }: WaitingCall): CallWait {
    const { promise, resolve } = Promise.withResolvers<SpanPlace | QueueRefusal | undefined>()
    const { byClass } = this
    let isOver = false
    byClass[request.serviceClass]++
    const waiter: WaitingCandidate = {
      tokens,
      places: new Map(),
      settle(result) {
        if (isOver) return
        isOver = true
        byClass[request.serviceClass]--
        clearTimeout(timer)
        for (const place of this.places.values()) place.leave()
        this.places.clear()
        resolve(result)
      },
    }
    const timer = setTimeout(() => waiter.settle('queue-timeout'), ms)
    for (const [key, own] of Map.groupBy(candidates, (one) => placeOf(subjectOf(one)))) {
      const at = this.queueOf(key)
      const place = at.queue.add(request, { waiter, candidates: own, free: undefined })
      if (place) waiter.places.set(at, place)
    }
    if (waiter.places.size === 0) waiter.settle('queue-full')
    for (const at of [...waiter.places.keys()]) this.serve(at)
    return { result: promise, leave: () => waiter.settle(undefined) }
  }

  ended(target: HealthTarget): void {
    if (this.total.count === 0) return
    const at = this.queues.get(placeOf(target))
    if (at) this.serve(at)
  }

  private queueOf(key: string): EndpointQueue {
    const known = this.queues.get(key)
    if (known) return known
    if (this.queues.size >= MAX_QUEUES)
      for (const [other, { queue }] of this.queues) if (queue.size === 0) this.queues.delete(other)
    const { most, ms, clock } = this.options
    const created: EndpointQueue = {
      queue: createFairQueue<EndpointWaiter>({
        most: Math.max(1, Math.ceil(most * PER_ENDPOINT)),
        ms,
        clock,
        total: this.total,
        onEvicted: ({ waiter }) => {
          waiter.places.delete(created)
          if (waiter.places.size === 0) waiter.settle('queue-full')
        },
      }),
      timer: undefined,
    }
    this.queues.set(key, created)
    return created
  }

  /** Gives the space of an endpoint to waiting requests. The calls count immediately, so that no other request takes it. */
  private serve(at: EndpointQueue): void {
    const { counts } = this
    const moment = this.options.clock()
    let soonest = MAX_RETRY_MS
    const canStart = (waiting: EndpointWaiter): boolean => {
      const { waiter, candidates } = waiting
      waiting.free = candidates.find((candidate) => {
        const ms = counts.msUntilFree(candidate, subjectOf(candidate), waiter.tokens, moment)
        if (ms > 0) soonest = Math.min(soonest, ms)
        return ms === 0
      })
      return waiting.free !== undefined
    }
    for (let next = at.queue.take(canStart); next?.free; next = at.queue.take(canStart)) {
      const { waiter, free } = next
      waiter.settle({ candidate: free, leave: counts.enter(free, subjectOf(free), waiter.tokens, moment) })
    }
    clearTimeout(at.timer)
    at.timer =
      at.queue.size > 0
        ? setTimeout(() => this.serve(at), Math.max(MIN_RETRY_MS, Math.ceil(soonest))).unref()
        : undefined
  }
}
