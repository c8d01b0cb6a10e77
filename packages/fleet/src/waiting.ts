import type { RateRefusal, RateSlot } from '@headgate/gateway/ports'
import type { Outage } from './alone.ts'
import { fits, fitsAll, hasPlace, type NextStep, nextStepOf, refusalOfAll, statesOf } from './demands.ts'
import type { AllocatedLimit, AllocatedPlaces, UnitDemand, WaitingRequest } from './limits.ts'
import { countRefused } from './places.ts'
import type { FleetTimers } from './timers.ts'

/** Maximum wait for the end of another request of this node, in milliseconds. */
const GRACE_MS = 25
/** Maximum number of requests that wait for a place of one limit. */
const MAX_PARKED = 1_000
/** Maximum number of exchanges that a request waits for. */
const MAX_TRIES = 2

export interface WaitingOptions {
  readonly clock: () => number
  readonly timers: FleetTimers
  readonly outage: () => Outage | undefined
  /** Admits a request whose demands fit. */
  readonly admit: (demands: readonly UnitDemand[], now: number) => RateSlot
  /** Called when a request waits for an exchange. */
  readonly onQueued: () => void
  /** Called when a request got no place. */
  readonly onRefused: (places: AllocatedPlaces) => void
}

/** Requests that wait for an exchange, or for a moment for a place of this node (parked). */
export class WaitingRequests {
  readonly #options: WaitingOptions
  readonly #queue: WaitingRequest[] = []
  /** Parked requests by the end of their wait. */
  readonly #parked: WaitingRequest[] = []
  #timer: unknown

  constructor(options: WaitingOptions) {
    this.#options = options
  }

  /** True if requests wait for an exchange. */
  get isQueued(): boolean {
    return this.#queue.length > 0
  }

  /** Lets a request wait for its next step. */
  add(demands: readonly UnitDemand[], { exchange }: NextStep, now: number): Promise<RateSlot | RateRefusal> {
    return new Promise((resolve) => {
      const waiting: WaitingRequest = { demands, resolve, isDone: false, tries: 0, until: undefined }
      for (const { target } of demands) target.waiting++
      if (exchange) this.#enqueue(waiting)
      else this.#park(waiting, now)
    })
  }

  /** Takes requests from the queue whose limits fit into an exchange of `most` limits. */
  takeQueued(most: number): readonly WaitingRequest[] {
    const targets = new Set<AllocatedLimit>()
    let count = 0
    for (const { demands } of this.#queue) {
      for (const { target } of demands) targets.add(target)
      if (count > 0 && targets.size > most) break
      count++
    }
    const sent = this.#queue.splice(0, count)
    for (const waiting of sent) waiting.tries++
    return sent
  }

  /** Retries all requests that wait for an exchange. */
  drainQueue(): void {
    for (const waiting of this.#queue.splice(0)) this.retry(waiting)
  }

  /** Retries parked requests while places are free. */
  servePlaces(places: AllocatedPlaces): void {
    const { clock, outage } = this.#options
    while (places.parked.length > 0 && hasPlace(places, clock(), outage())) {
      const waiting = places.parked.shift()
      if (waiting) this.retry(waiting)
    }
  }

  /** Admits or refuses a request that waited, or lets it wait again. */
  retry(waiting: WaitingRequest): void {
    if (waiting.isDone) return
    const { clock, outage, admit } = this.#options
    const now = clock()
    const { demands, tries, until } = waiting
    if (fitsAll(demands, now, outage())) {
      finish(waiting, admit(demands, now))
      return
    }
    const { refused, exchange, place } = nextStepOf(demands, now, outage())
    if (!refused && exchange && tries < MAX_TRIES) this.#enqueue(waiting)
    else if (!refused && place && (until === undefined || now < until)) this.#park(waiting, now)
    else this.#conclude(waiting, now)
  }

  #enqueue(waiting: WaitingRequest): void {
    this.#queue.push(waiting)
    this.#options.onQueued()
  }

  /** Lets a request wait for the end of another one. */
  #park(waiting: WaitingRequest, now: number): void {
    const { outage, timers } = this.#options
    const places = waiting.demands.find((demand) => demand.places && !fits(demand, now, outage()))?.places
    if (!places || places.parked.length >= MAX_PARKED) {
      this.#conclude(waiting, now)
      return
    }
    places.parked.push(waiting)
    if (waiting.until !== undefined) return
    waiting.until = now + GRACE_MS
    this.#parked.push(waiting)
    this.#timer ??= timers.set(() => this.#endParking(), GRACE_MS)
  }

  #endParking(): void {
    this.#timer = undefined
    const { clock, timers } = this.#options
    const now = clock()
    for (let first = this.#parked[0]; first && (first.isDone || (first.until ?? now) <= now); first = this.#parked[0]) {
      this.#parked.shift()
      if (!first.isDone) this.#conclude(first, now)
      for (const { places } of first.demands) while (places?.parked[0]?.isDone) places.parked.shift()
    }
    const [next] = this.#parked
    if (next) this.#timer = timers.set(() => this.#endParking(), Math.max(1, (next.until ?? now) - now))
  }

  /** Admits or refuses a request that can wait no longer. */
  #conclude(waiting: WaitingRequest, now: number): void {
    const { outage, admit, onRefused } = this.#options
    const { demands } = waiting
    const refused = refusalOfAll(demands, now, outage())
    if (!refused) {
      finish(waiting, admit(demands, now))
      return
    }
    for (const demand of demands) {
      const { places } = demand
      if (!places || fits(demand, now, outage())) continue
      countRefused(places, now)
      onRefused(places)
    }
    finish(waiting, { ...refused, states: statesOf(demands, now, outage()) })
  }
}

function finish(waiting: WaitingRequest, result: RateSlot | RateRefusal): void {
  waiting.isDone = true
  for (const { target } of waiting.demands) target.waiting--
  waiting.resolve(result)
}
