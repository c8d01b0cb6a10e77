import type {
  AppliedLimit,
  CountedRequest,
  RateCounters,
  RateExchangeReply,
  RateRefusal,
  RateSlot,
  SharedRates,
} from '@headgate/gateway/ports'
import { NODE_SEEN_MS, usedInWindow } from '@headgate/gateway/ports'
import type { Outage } from './alone.ts'
import { addDemands, fits, fitsAll, nextStepOf, refusalOfAll, spendAll, statesOf } from './demands.ts'
import { abandonPlan, applyAnswer, type ExchangePlan, needsOf, planExchange } from './exchanges.ts'
import {
  type AllocatedLimit,
  type AllocatedPlaces,
  type AllocatedWindow,
  createLimit,
  keyOfLimit,
  markChanged,
  msUntilExchange,
  type UnitDemand,
  type WaitingRequest,
  windowsOfLimit,
} from './limits.ts'
import { countPlaceDemand, dropIdle, leavePlace, returnIdle, yieldIdle } from './places.ts'
import { type FleetTimers, NODE_TIMERS } from './timers.ts'
import { closeAll, closeExpired, correct, countDemand, redeclareOwn, returnGrant } from './windows.ts'

/** Time for which granted units can be spent, in milliseconds. */
const ALLOCATION_MS = 1_000
/** Time limit of an exchange whose store has no limit, in milliseconds. */
const DEADLINE_MS = 2_000
/** Time between two looks at what is due, and between two attempts to reach the store, in milliseconds. */
const BEAT_MS = 250
/** Time after which other nodes get returned units, and after which all changes are sent, in milliseconds. */
const RETURN_MS = 250
const CHANGE_MS = 2_000
/** Time between two exchanges of a busy and of an idle node, in milliseconds. */
const BUSY_MS = 2_000
const IDLE_MS = 5_000
/** Time after the start in which the node gets to know the others, and time between its exchanges. */
const STARTED_MS = 10_000
const STARTING_MS = 1_000
/** Time without an exchange after which other nodes may soon get the places of this one, in milliseconds. */
const UNSEEN_MS = NODE_SEEN_MS - 2_000
/** Time for which an admitted request matters to the node, in milliseconds. */
const RECENT_MS = 61_500
/** Maximum wait for the end of another request of this node, in milliseconds. */
const GRACE_MS = 25
/** Maximum number of requests that wait for a place of one limit. */
const MAX_PARKED = 1_000
/** Maximum number of exchanges that a request waits for. */
const MAX_TRIES = 2
/** Maximum number of limits in an exchange. */
const MAX_PER_EXCHANGE = 250
/** Maximum number of limits. Idle ones are removed when new ones need space. */
const MAX_LIMITS = 100_000
/** Number of limits before the first removal of idle ones. */
const FIRST_SWEEP = 1_000
/**
 * Time after the store answers again until it grants, in milliseconds: other nodes declare what they admitted. It is
 * longer if the store lost its counts, since some nodes notice that late.
 */
const SETTLE_MS = 400
const SETTLE_LOST_MS = 2_500
/** Change of the difference of two clocks that is a jump, in milliseconds. */
const JUMP_MS = 1_000
/** Time for which the number of nodes of the lost data counts, in milliseconds. */
const NODES_KEPT_MS = 10_000

/** State of the node's counts. */
export interface AllocationsState {
  /** True if limits are counted for all nodes; false while this node uses its part of each limit. */
  readonly isShared: boolean
  /** Reasons why limits are not counted for all nodes. */
  readonly reasons: readonly string[]
}

export interface AllocationsOptions {
  readonly shared: SharedRates
  /** Id of the node's process run. */
  readonly node: string
  /** Monotonic clock in milliseconds; default: the clock of the process. */
  readonly clock?: (() => number) | undefined
  /** Default: timers that do not keep the process running. */
  readonly timers?: FleetTimers | undefined
  /** Called when the store becomes unreachable, and when limits are counted for all nodes again. */
  readonly onChange?: ((state: AllocationsState) => void) | undefined
  /** Number of nodes until the first reply of the store; default 1. */
  readonly nodes?: number | undefined
  /** Maximum number of limits; default 100,000. */
  readonly most?: number | undefined
}

/** Counters of rate limits that several nodes share. */
export interface Allocations extends RateCounters {
  /** Number of limits with counts. */
  readonly size: number
  /** Number of exchanges with the store. */
  readonly exchanges: number
  state(): AllocationsState
  /**
   * Resolves after the first exchange. If the store is new, it resolves once other nodes had the time to declare their
   * counts, at most 2.5 seconds later.
   */
  ready(): Promise<void>
  adopt(ask: CountedRequest): RateSlot
  /** Returns all units and idle places to the store. Later requests are counted in this node only. */
  end(): Promise<void>
}

type Outcome = { readonly reply: RateExchangeReply } | { readonly error: unknown }

/**
 * Rate limits that several nodes share. The node takes allocations of each limit from the shared store, and admits
 * requests from them without a round trip. If they are used up, a request waits for one exchange. While the store is
 * unreachable, the node uses its part of each limit.
 * @example
 * ```ts
 * const counters = createAllocations({ shared: createMemorySharedRates(), node: randomUUID() })
 * const rateLimits = rateLimitsBy(counters, limitsOfKey)
 * ```
 */
export function createAllocations(options: AllocationsOptions): Allocations {
  return new NodeAllocations(options)
}

/** True if nothing of a limit is counted any more. */
function isIdle(target: AllocatedLimit, now: number): boolean {
  const { places, waiting, changedAt } = target
  if (waiting > 0 || changedAt !== undefined) return false
  if (places && (places.running > 0 || places.held > 0 || places.declared > 0)) return false
  return windowsOfLimit(target).every(({ own, grants }) => grants.length === 0 && usedInWindow(own, now) === 0)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

class NodeAllocations implements Allocations {
  exchanges = 0
  readonly #shared: SharedRates
  readonly #node: string
  readonly #clock: () => number
  readonly #timers: FleetTimers
  readonly #onChange: (state: AllocationsState) => void
  readonly #most: number
  readonly #startedAt: number
  readonly #limits = new Map<string, AllocatedLimit>()
  /** Limits with changes that the store does not know. */
  readonly #changed = new Set<AllocatedLimit>()
  readonly #granted = new Set<AllocatedWindow>()
  readonly #holding = new Set<AllocatedPlaces>()
  readonly #parked: WaitingRequest[] = []
  /** Limits whose places other nodes can have now. */
  readonly #yielded = new Set<AllocatedLimit>()
  #queue: WaitingRequest[] = []
  #sweepAt: number
  #nodes: number
  /** Number of nodes before the store lost its counts, and until when it counts. */
  #nodesBefore = 0
  #nodesUntil = 0
  #instance: string | undefined
  /** Maximum difference of the store's clock from the node's; undefined before the first reply. */
  #offset: number | undefined
  #repliedAt = Number.NEGATIVE_INFINITY
  #exchangedAt = Number.NEGATIVE_INFINITY
  /** Time at which the last answered exchange was sent. */
  #seenAt = Number.NEGATIVE_INFINITY
  #admittedAt = Number.NEGATIVE_INFINITY
  #running: Promise<boolean> | undefined
  #isScheduled = false
  #isEnded = false
  #outage: Outage | undefined
  #outages = 0
  #reason = ''
  /** Time at which an outage ends if the store continues to answer. */
  #returnAt: number | undefined
  readonly #ready = Promise.withResolvers<void>()
  #beatTimer: unknown
  #parkTimer: unknown

  constructor({
    shared,
    node,
    clock = () => performance.now(),
    timers = NODE_TIMERS,
    onChange = () => {},
    nodes = 1,
    most = MAX_LIMITS,
  }: AllocationsOptions) {
    this.#shared = shared
    this.#node = node
    this.#clock = clock
    this.#timers = timers
    this.#onChange = onChange
    this.#nodes = nodes
    this.#most = most
    this.#startedAt = clock()
    this.#sweepAt = Math.min(FIRST_SWEEP, most)
    this.#schedule()
    this.#beatTimer = timers.set(() => this.#beat(), BEAT_MS)
  }

  get size(): number {
    return this.#limits.size
  }

  state(): AllocationsState {
    return this.#outage ? { isShared: false, reasons: [this.#reason] } : { isShared: true, reasons: [] }
  }

  take({ limits, tokens }: CountedRequest): RateSlot | RateRefusal | Promise<RateSlot | RateRefusal> {
    const now = this.#clock()
    this.#dropUnseen(now)
    const overflow = this.#makeSpace(limits, now)
    if (overflow) return overflow
    const demands: UnitDemand[] = []
    for (const applied of limits) addDemands(demands, this.#limitOf(applied, now), applied, tokens)
    for (const { window, places, amount } of demands) {
      if (window) countDemand(window, amount, now)
      if (places) countPlaceDemand(places, now)
    }
    if (fitsAll(demands, now, this.#outage)) return this.#admit(demands, now)
    const step = nextStepOf(demands, now, this.#outage)
    if (step.refused) return { ...step.refused, states: statesOf(demands, now, this.#outage) }
    return new Promise((resolve) => {
      const waiting: WaitingRequest = { demands, resolve, isDone: false, tries: 0, until: undefined }
      for (const { target } of demands) target.waiting++
      if (step.exchange) this.#enqueue(waiting)
      else this.#park(waiting, now)
    })
  }

  ready(): Promise<void> {
    return this.#ready.promise
  }

  adopt({ limits }: CountedRequest): RateSlot {
    const now = this.#clock()
    const demands: UnitDemand[] = []
    for (const applied of limits) {
      const { concurrent } = applied.limit
      if (concurrent === undefined) continue
      const target = this.#limitOf(applied, now)
      addDemands(demands, target, { ...applied, limit: { concurrent } }, undefined)
      markChanged(target, now, true)
    }
    return this.#admit(demands, now)
  }

  async end(): Promise<void> {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#ready.resolve()
    this.#timers.clear(this.#beatTimer)
    await this.#running
    const now = this.#clock()
    this.#outage ??= this.#newOutage(now)
    this.#drainQueue()
    for (const target of this.#limits.values()) {
      for (const window of windowsOfLimit(target)) closeAll(window, now)
      const { places } = target
      if (!places) continue
      places.held = places.running
      if (places.declared !== places.held) markChanged(target, now, true)
    }
    while (this.#offset !== undefined && this.#changed.size > 0)
      if (!(await this.#run(this.#firstChanged(), []))) return
  }

  /** Returns idle places after a pause of the process in which other nodes may have got them. */
  #dropUnseen(now: number): void {
    if (now - this.#seenAt <= UNSEEN_MS || this.#outage) return
    for (const places of this.#holding) dropIdle(places, now)
  }

  #limitOf(applied: AppliedLimit, now: number): AllocatedLimit {
    const key = keyOfLimit(applied)
    const known = this.#limits.get(key)
    if (known) return known
    const target = createLimit(key, this.#changed, now)
    this.#limits.set(key, target)
    return target
  }

  /** Removes idle limits if new ones need space. The cost per request stays constant. */
  #makeSpace(limits: readonly AppliedLimit[], now: number): RateRefusal | undefined {
    if (this.#limits.size + limits.length <= this.#sweepAt) return undefined
    const fresh = limits.filter((applied) => !this.#limits.has(keyOfLimit(applied))).length
    if (fresh === 0 || this.#limits.size + fresh <= this.#sweepAt) return undefined
    for (const [key, target] of this.#limits) if (isIdle(target, now)) this.#limits.delete(key)
    this.#sweepAt = Math.min(this.#most, Math.max(FIRST_SWEEP, 2 * this.#limits.size))
    const [first] = limits
    if (!first || this.#limits.size + fresh <= this.#most) return undefined
    const { scope, id } = first
    const state = { unit: 'concurrent', limit: this.#most, remaining: 0, resetMs: 0 } as const
    return { scope, id, ...state, asked: 1, retryAfterMs: 1_000, states: [] }
  }

  #admit(demands: readonly UnitDemand[], now: number): RateSlot {
    spendAll(demands, now)
    for (const { places, target } of demands) {
      if (!places) continue
      this.#holding.add(places)
      if (this.#outage) markChanged(target, now, true)
    }
    this.#admittedAt = now
    let isLeft = false
    return {
      states: statesOf(demands, now, this.#outage),
      leave: (tokens) => {
        if (isLeft) return
        isLeft = true
        this.#leave(demands, tokens)
      },
    }
  }

  #leave(demands: readonly UnitDemand[], used: number | undefined): void {
    const now = this.#clock()
    const isKnown = used !== undefined && Number.isSafeInteger(used) && used >= 0
    for (const { window, places, unit, spent, amount } of demands) {
      if (places) leavePlace(places, now)
      if (window && spent && unit === 'tokens' && isKnown) correct(window, spent, used - amount, now)
    }
    this.#dropUnseen(now)
    for (const demand of demands) {
      const { places, target } = demand
      if (!places) continue
      this.#serveParked(demand, places)
      if (this.#nodes > 1 && !this.#outage && yieldIdle(places, now)) {
        this.#yielded.add(target)
        this.#schedule()
      }
    }
  }

  #enqueue(waiting: WaitingRequest): void {
    this.#queue.push(waiting)
    this.#schedule()
  }

  /** Sends an exchange after this turn of the event loop. */
  #schedule(): void {
    if (this.#isScheduled || this.#running || this.#outage) return
    this.#isScheduled = true
    this.#timers.soon(() => {
      this.#isScheduled = false
      if (this.#running || this.#outage) return
      const sent = this.#takeQueued()
      const targets = new Set(needsOf(sent))
      for (const target of this.#yielded)
        if (targets.size < MAX_PER_EXCHANGE && msUntilExchange(target, this.#clock()) === 0) targets.add(target)
      this.#yielded.clear()
      if (targets.size > 0 || this.#instance === undefined) void this.#run(targets, sent)
    })
  }

  /** Takes requests from the queue whose limits fit into an exchange. */
  #takeQueued(): readonly WaitingRequest[] {
    const targets = new Set<AllocatedLimit>()
    let count = 0
    for (const { demands } of this.#queue) {
      for (const { target } of demands) targets.add(target)
      if (count > 0 && targets.size > MAX_PER_EXCHANGE) break
      count++
    }
    const sent = this.#queue.splice(0, count)
    for (const waiting of sent) waiting.tries++
    return sent
  }

  /** Resolves with false if the store did not answer. */
  #run(targets: Iterable<AllocatedLimit>, sent: readonly WaitingRequest[]): Promise<boolean> {
    const running = this.#exchange(targets, sent)
    this.#running = running
    return running
  }

  async #exchange(targets: Iterable<AllocatedLimit>, sent: readonly WaitingRequest[]): Promise<boolean> {
    const sentAt = this.#clock()
    const plan = planExchange(targets, {
      node: this.#node,
      allocationMs: ALLOCATION_MS,
      nodes: this.#nodes,
      offset: this.#offset ?? 0,
      now: sentAt,
    })
    this.#exchangedAt = sentAt
    this.exchanges++
    const outcome = await this.#outcomeOf(plan)
    this.#running = undefined
    if ('reply' in outcome) this.#answered(plan, outcome.reply, sentAt)
    else {
      abandonPlan(plan, this.#clock())
      this.#beginOutage(`The shared store of rate limits is unreachable: ${messageOf(outcome.error)}`)
    }
    if (!this.#outage?.hasUnknownNodes) this.#ready.resolve()
    for (const waiting of sent) this.#retry(waiting)
    if (this.#outage) this.#drainQueue()
    else if (this.#queue.length > 0 || this.#yielded.size > 0) this.#schedule()
    return 'reply' in outcome
  }

  #outcomeOf({ exchange }: ExchangePlan): Promise<Outcome> {
    return new Promise((resolve) => {
      const timer = this.#timers.set(() => resolve({ error: new Error('it did not answer in time') }), DEADLINE_MS)
      const end = (outcome: Outcome): void => {
        this.#timers.clear(timer)
        resolve(outcome)
      }
      const call = async (): Promise<RateExchangeReply> => this.#shared.exchange(exchange)
      call().then(
        (reply) => end({ reply }),
        (error: unknown) => end({ error }),
      )
    })
  }

  #answered(plan: ExchangePlan, reply: RateExchangeReply, sentAt: number): void {
    const now = this.#clock()
    const isFirst = this.#instance === undefined
    const isLost = this.#hasLost(reply, now)
    if (isLost) {
      this.#nodesBefore = this.#nodes
      this.#nodesUntil = now + NODES_KEPT_MS
    }
    this.#nodes = Math.max(1, reply.nodes, now < this.#nodesUntil ? this.#nodesBefore : 0)
    this.#instance = reply.instance
    this.#offset = reply.now + 1 - sentAt
    this.#repliedAt = now
    this.#seenAt = sentAt
    const times = { sentAt, now, expiresAt: sentAt + ALLOCATION_MS, offset: this.#offset, nodes: this.#nodes }
    for (const window of applyAnswer(plan, reply, times)) this.#granted.add(window)
    for (const { places } of plan.places) if (places.held > 0) this.#holding.add(places)
    // The reply itself may be old.
    this.#dropUnseen(now)
    if (isFirst) this.#awaitOthers(reply, now)
    if (!isLost) return
    for (const target of this.#limits.values()) for (const window of windowsOfLimit(target)) redeclareOwn(window, now)
    for (const [index, { window }] of plan.windows.entries()) {
      const one = reply.windows[index]
      if (one && one.granted > 0) returnGrant(window, one, times)
    }
    this.#beginOutage('The shared store of rate limits lost its counts; the nodes declare them again.')
    this.#returnAt = now + SETTLE_LOST_MS
  }

  /** Waits after the start if the store has just lost its counts: nodes may exist that it does not know yet. */
  #awaitOthers({ now: storeNow, since }: RateExchangeReply, now: number): void {
    const settledInMs = since === undefined ? 0 : since + SETTLE_LOST_MS - storeNow
    if (settledInMs <= 0) return
    for (const target of this.#limits.values()) for (const window of windowsOfLimit(target)) closeAll(window, now)
    for (const places of this.#holding) dropIdle(places, now)
    this.#beginOutage('The shared store of rate limits is new; other nodes may declare their counts.', true)
    this.#returnAt = now + Math.min(SETTLE_LOST_MS, settledInMs)
  }

  /** True if the store has other data than before, or if its clock jumped ahead, so that slots left too early. */
  #hasLost({ instance, now: storeNow }: RateExchangeReply, now: number): boolean {
    if (this.#instance === undefined || this.#offset === undefined) return false
    const drift = (now - this.#repliedAt) / 1_000
    return instance !== this.#instance || storeNow - now > this.#offset + JUMP_MS + drift
  }

  #newOutage(now: number, hasUnknownNodes = false): Outage {
    return { number: ++this.#outages, at: now, nodes: this.#nodes, hasUnknownNodes }
  }

  #beginOutage(reason: string, hasUnknownNodes = false): void {
    this.#reason = reason
    this.#returnAt = undefined
    if (this.#outage) return
    const now = this.#clock()
    this.#dropUnseen(now)
    this.#outage = this.#newOutage(now, hasUnknownNodes)
    for (const { target } of this.#holding) markChanged(target, now, true)
    if (!this.#isEnded && !hasUnknownNodes) this.#onChange(this.state())
  }

  #endOutage(): void {
    // The wait after a start is not reported.
    const isReported = !this.#outage?.hasUnknownNodes
    this.#outage = undefined
    this.#returnAt = undefined
    this.#ready.resolve()
    if (isReported) this.#onChange(this.state())
  }

  #beat(): void {
    this.#beatTimer = this.#timers.set(() => this.#beat(), BEAT_MS)
    if (this.#running) return
    if (this.#outage) void this.#reconnect()
    else this.#maintain(this.#clock())
  }

  #firstChanged(): readonly AllocatedLimit[] {
    const first: AllocatedLimit[] = []
    for (const target of this.#changed) {
      if (first.length === MAX_PER_EXCHANGE) break
      first.push(target)
    }
    return first
  }

  /** Declares what this node admitted in an outage, and ends the outage when other nodes have done so, too. */
  async #reconnect(): Promise<void> {
    for (;;) {
      if (!this.#outage || this.#isEnded) return
      const isKnown = this.#offset !== undefined
      const declared = isKnown ? this.#firstChanged() : []
      const isComplete = isKnown && declared.length === this.#changed.size
      if (!(await this.#run(declared, []))) return
      const now = this.#clock()
      this.#returnAt ??= now + SETTLE_MS
      if (!isComplete) continue
      if (now >= this.#returnAt) this.#endOutage()
      return
    }
  }

  /** Returns what is idle, and declares what is held. */
  #maintain(now: number): void {
    for (const window of this.#granted) {
      closeExpired(window, now)
      if (window.grants.length === 0) this.#granted.delete(window)
    }
    const due = new Set<AllocatedLimit>()
    for (const places of this.#holding) {
      returnIdle(places, now)
      if (places.held === 0 && places.declared === 0) this.#holding.delete(places)
      else if (places.declaredAt <= now - CHANGE_MS) due.add(places.target)
      if (due.size >= MAX_PER_EXCHANGE) break
    }
    for (const target of this.#changed) {
      if (due.size >= MAX_PER_EXCHANGE) break
      const age = now - (target.changedAt ?? now)
      const isDue = age >= CHANGE_MS || (target.isUrgent && this.#nodes > 1 && age >= RETURN_MS)
      if (isDue && msUntilExchange(target, now) === 0) due.add(target)
    }
    if (due.size > 0 || now - this.#exchangedAt >= this.#pauseMs(now)) void this.#run(due, [])
  }

  /** Maximum time between two exchanges. */
  #pauseMs(now: number): number {
    if (now - this.#startedAt < STARTED_MS) return STARTING_MS
    return this.#holding.size > 0 || now - this.#admittedAt < RECENT_MS ? BUSY_MS : IDLE_MS
  }

  #drainQueue(): void {
    for (const waiting of this.#queue.splice(0)) this.#retry(waiting)
  }

  /** Admits or refuses a request that waited, or lets it wait again. */
  #retry(waiting: WaitingRequest): void {
    if (waiting.isDone) return
    const now = this.#clock()
    const { demands, tries, until } = waiting
    if (fitsAll(demands, now, this.#outage)) {
      this.#finish(waiting, this.#admit(demands, now))
      return
    }
    const { refused, exchange, place } = nextStepOf(demands, now, this.#outage)
    if (!refused && exchange && tries < MAX_TRIES) this.#enqueue(waiting)
    else if (!refused && place && (until === undefined || now < until)) this.#park(waiting, now)
    else this.#conclude(waiting, now)
  }

  #finish(waiting: WaitingRequest, result: RateSlot | RateRefusal): void {
    waiting.isDone = true
    for (const { target } of waiting.demands) target.waiting--
    waiting.resolve(result)
  }

  /** Admits or refuses a request that can wait no longer. */
  #conclude(waiting: WaitingRequest, now: number): void {
    const { demands } = waiting
    const refused = refusalOfAll(demands, now, this.#outage)
    this.#finish(
      waiting,
      refused ? { ...refused, states: statesOf(demands, now, this.#outage) } : this.#admit(demands, now),
    )
  }

  /** Lets a request wait for the end of another one. */
  #park(waiting: WaitingRequest, now: number): void {
    const places = waiting.demands.find((demand) => demand.places && !fits(demand, now, this.#outage))?.places
    if (!places || places.parked.length >= MAX_PARKED) {
      this.#conclude(waiting, now)
      return
    }
    places.parked.push(waiting)
    if (waiting.until !== undefined) return
    waiting.until = now + GRACE_MS
    this.#parked.push(waiting)
    this.#parkTimer ??= this.#timers.set(() => this.#endParking(), GRACE_MS)
  }

  #endParking(): void {
    this.#parkTimer = undefined
    const now = this.#clock()
    for (let first = this.#parked[0]; first && (first.isDone || (first.until ?? now) <= now); first = this.#parked[0]) {
      this.#parked.shift()
      if (!first.isDone) this.#conclude(first, now)
      for (const { places } of first.demands) while (places?.parked[0]?.isDone) places.parked.shift()
    }
    const [next] = this.#parked
    if (next) this.#parkTimer = this.#timers.set(() => this.#endParking(), Math.max(1, (next.until ?? now) - now))
  }

  #serveParked(demand: UnitDemand, places: AllocatedPlaces): void {
    while (places.parked.length > 0 && fits(demand, this.#clock(), this.#outage)) {
      const waiting = places.parked.shift()
      if (waiting) this.#retry(waiting)
    }
  }
}
