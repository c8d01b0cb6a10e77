import {
  type CountedRequest,
  NODE_SEEN_MS,
  type RateExchangeReply,
  type RateRefusal,
  type RateSlot,
  type SharedRates,
} from '@headgate/gateway/ports'
import type { Allocations, AllocationsOptions } from './allocations.ts'
import { addDemands, fitsAll, nextStepOf, spendAll, statesOf } from './demands.ts'
import { abandonPlan, applyAnswer, type ExchangePlan, exchangeWithin, needsOf, planExchange } from './exchanges.ts'
import { LimitTable } from './limit-table.ts'
import {
  type AllocatedLimit,
  type AllocatedPlaces,
  type AllocatedWindow,
  limitKeyOf,
  markChanged,
  msUntilExchange,
  type UnitDemand,
  type WaitingRequest,
  windowsOfLimit,
} from './limits.ts'
import { dueLimits, pauseMsOf } from './maintenance.ts'
import { ObservedStore } from './observed-store.ts'
import { type AllocationsState, Outages } from './outages.ts'
import {
  countPlaceDemand,
  dropIdle,
  leavePlace,
  placesDemand,
  releasePlaces,
  returnExcess,
  yieldIdle,
} from './places.ts'
import { type FleetTimers, NODE_TIMERS } from './timers.ts'
import { WaitingRequests } from './waiting.ts'
import { closeAll, correct, countDemand, redeclareOwn, returnGrant } from './windows.ts'

/** Time for which granted units can be spent, in milliseconds. */
const ALLOCATION_MS = 1_000
/** Time between two looks at what is due, in milliseconds. */
const BEAT_MS = 250
/** Time between two attempts to reach the store, in milliseconds. */
const OUTAGE_BEAT_MS = 150
/** Time without an exchange after which other nodes may soon get the places of this one, in milliseconds. */
const UNSEEN_MS = NODE_SEEN_MS - 2_000
/** Maximum number of limits in an exchange. */
const MAX_PER_EXCHANGE = 250
/** Maximum number of limits. */
const MAX_LIMITS = 100_000
/**
 * Time after the store answers again until it grants, in milliseconds: other nodes declare what they admitted. It is
 * longer if the store lost its counts, since some nodes notice that late.
 */
const SETTLE_MS = 400
const SETTLE_LOST_MS = 2_500

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

class NodeAllocations implements Allocations {
  exchanges = 0
  readonly #shared: SharedRates
  readonly #node: string
  readonly #clock: () => number
  readonly #timers: FleetTimers
  readonly #startedAt: number
  readonly #store: ObservedStore
  readonly #outages: Outages
  readonly #waiting: WaitingRequests
  readonly #limits: LimitTable
  readonly #granted = new Set<AllocatedWindow>()
  /** Places that the node holds or wants. */
  readonly #active = new Set<AllocatedPlaces>()
  /** Limits whose places can move between nodes now. */
  readonly #moving = new Set<AllocatedLimit>()
  #exchangedAt = Number.NEGATIVE_INFINITY
  #admittedAt = Number.NEGATIVE_INFINITY
  #running: Promise<boolean> | undefined
  #isScheduled = false
  #isEnded = false
  readonly #ready = Promise.withResolvers<void>()
  #beatTimer: unknown

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
    this.#startedAt = clock()
    this.#store = new ObservedStore(nodes)
    this.#outages = new Outages(onChange)
    this.#limits = new LimitTable(most)
    this.#waiting = new WaitingRequests({
      clock,
      timers,
      outage: () => this.#outages.current,
      admit: (demands, now) => this.#admit(demands, now),
      onQueued: () => this.#schedule(),
      onRefused: (places) => this.#active.add(places),
    })
    shared.onFreePlaces?.(node, (key) => this.#wake(key))
    this.#schedule()
    this.#beatTimer = timers.set(() => this.#beat(), BEAT_MS)
  }

  get size(): number {
    return this.#limits.size
  }

  state(): AllocationsState {
    return this.#outages.state
  }

  take({ limits, tokens }: CountedRequest): RateSlot | RateRefusal | Promise<RateSlot | RateRefusal> {
    const now = this.#clock()
    const outage = this.#outages.current
    this.#dropUnseen(now)
    const overflow = this.#limits.makeSpace(limits, now)
    if (overflow) return overflow
    const demands: UnitDemand[] = []
    for (const applied of limits) addDemands(demands, this.#limits.of(applied, now), applied, tokens)
    for (const { window, places, amount } of demands) {
      if (window) countDemand(window, amount, now)
      if (places) countPlaceDemand(places, now)
    }
    if (fitsAll(demands, now, outage)) return this.#admit(demands, now)
    const step = nextStepOf(demands, now, outage)
    if (step.refused) return { ...step.refused, states: statesOf(demands, now, outage) }
    return this.#waiting.add(demands, step, now)
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
      const target = this.#limits.of(applied, now)
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
    this.#outages.begin('The node ends.', { at: now, nodes: this.#store.nodes, hasUnknownNodes: false }, false)
    this.#waiting.drainQueue()
    for (const target of this.#limits.values()) {
      for (const window of windowsOfLimit(target)) closeAll(window, now)
      if (target.places) releasePlaces(target.places, now)
    }
    while (this.#store.offset !== undefined && this.#limits.changed.size > 0)
      if (!(await this.#run(this.#limits.firstChanged(MAX_PER_EXCHANGE), []))) return
  }

  /** Returns idle places after a pause of the process in which other nodes may have got them. */
  #dropUnseen(now: number): void {
    if (now - this.#store.seenAt <= UNSEEN_MS || this.#outages.current) return
    for (const places of this.#active) dropIdle(places, now)
  }

  #admit(demands: readonly UnitDemand[], now: number): RateSlot {
    spendAll(demands, now)
    for (const { places, target } of demands) {
      if (!places) continue
      this.#active.add(places)
      if (this.#outages.current) markChanged(target, now, true)
    }
    this.#admittedAt = now
    let isLeft = false
    return {
      states: statesOf(demands, now, this.#outages.current),
      leave: (tokens) => {
        if (isLeft) return
        isLeft = true
        this.#leave(demands, tokens, now)
      },
    }
  }

  #leave(demands: readonly UnitDemand[], used: number | undefined, admittedAt: number): void {
    const now = this.#clock()
    const isKnown = used !== undefined && Number.isSafeInteger(used) && used >= 0
    for (const { window, places, unit, spent, amount } of demands) {
      if (places) leavePlace(places, now - admittedAt, now)
      if (window && spent && unit === 'tokens' && isKnown) correct(window, spent, used - amount, now)
    }
    this.#dropUnseen(now)
    for (const { places } of demands) {
      if (!places) continue
      const isShared = this.#store.nodes > 1 && !this.#outages.current
      const isReturned = isShared && returnExcess(places, now)
      this.#waiting.servePlaces(places)
      if (isReturned || (isShared && yieldIdle(places, now))) this.#move(places)
    }
  }

  /** Exchanges places soon, if the limit has exchanges left. */
  #move(places: AllocatedPlaces): void {
    this.#moving.add(places.target)
    this.#schedule()
  }

  /** Asks for places that are free for this node. */
  #wake(key: string): void {
    const places = this.#limits.get(limitKeyOf(key))?.places
    if (!places || this.#isEnded || this.#outages.current) return
    places.nextAt = 0
    if (placesDemand(places, this.#clock()) > places.held) this.#move(places)
  }

  /** Sends an exchange after this turn of the event loop. */
  #schedule(): void {
    if (this.#isScheduled || this.#running || this.#outages.current) return
    this.#isScheduled = true
    this.#timers.soon(() => {
      this.#isScheduled = false
      if (this.#running || this.#outages.current) return
      const sent = this.#waiting.takeQueued(MAX_PER_EXCHANGE)
      const targets = new Set(needsOf(sent))
      for (const target of this.#moving)
        if (targets.size < MAX_PER_EXCHANGE && msUntilExchange(target, this.#clock()) === 0) targets.add(target)
      this.#moving.clear()
      if (targets.size > 0 || this.#store.instance === undefined) void this.#run(targets, sent)
    })
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
      nodes: this.#store.nodes,
      offset: this.#store.offset ?? 0,
      now: sentAt,
    })
    this.#exchangedAt = sentAt
    this.exchanges++
    const outcome = await exchangeWithin(this.#shared, plan.exchange, this.#timers)
    this.#running = undefined
    if ('reply' in outcome) this.#answered(plan, outcome.reply, sentAt)
    else {
      abandonPlan(plan, this.#clock())
      this.#beginOutage(`The shared store of rate limits is unreachable: ${outcome.error}`)
    }
    if (!this.#outages.current?.hasUnknownNodes) this.#ready.resolve()
    for (const waiting of sent) this.#waiting.retry(waiting)
    for (const { places } of plan.places) this.#waiting.servePlaces(places)
    if (this.#outages.current) this.#waiting.drainQueue()
    else if (this.#waiting.isQueued || this.#moving.size > 0) this.#schedule()
    return 'reply' in outcome
  }

  #answered(plan: ExchangePlan, reply: RateExchangeReply, sentAt: number): void {
    const now = this.#clock()
    const { isFirst, isLost } = this.#store.observe(reply, sentAt, now)
    const { offset = 0, nodes } = this.#store
    const isWoken = this.#shared.onFreePlaces !== undefined
    const times = { sentAt, now, expiresAt: sentAt + ALLOCATION_MS, offset, nodes, isWoken }
    for (const window of applyAnswer(plan, reply, times)) this.#granted.add(window)
    for (const { places } of plan.places) if (places.held > 0) this.#active.add(places)
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
    this.#outages.returnAt = now + SETTLE_LOST_MS
  }

  /** Waits after the start if the store has just lost its counts: nodes may exist that it does not know yet. */
  #awaitOthers({ now: storeNow, since }: RateExchangeReply, now: number): void {
    const settledInMs = since === undefined ? 0 : since + SETTLE_LOST_MS - storeNow
    if (settledInMs <= 0) return
    for (const target of this.#limits.values()) for (const window of windowsOfLimit(target)) closeAll(window, now)
    for (const places of this.#active) dropIdle(places, now)
    this.#beginOutage('The shared store of rate limits is new; other nodes may declare their counts.', true)
    this.#outages.returnAt = now + Math.min(SETTLE_LOST_MS, settledInMs)
  }

  #beginOutage(reason: string, hasUnknownNodes = false): void {
    const now = this.#clock()
    if (!this.#outages.current) {
      this.#dropUnseen(now)
      for (const { target } of this.#active) markChanged(target, now, true)
    }
    const isReported = !this.#isEnded && !hasUnknownNodes
    this.#outages.begin(reason, { at: now, nodes: this.#store.nodes, hasUnknownNodes }, isReported)
  }

  #beat(): void {
    this.#beatTimer = this.#timers.set(() => this.#beat(), this.#outages.current ? OUTAGE_BEAT_MS : BEAT_MS)
    if (this.#running) return
    if (this.#outages.current) void this.#reconnect()
    else this.#maintain(this.#clock())
  }

  /** Declares what this node admitted in an outage, and ends the outage when other nodes have done so, too. */
  async #reconnect(): Promise<void> {
    for (;;) {
      if (!this.#outages.current || this.#isEnded) return
      const isKnown = this.#store.offset !== undefined
      const declared = isKnown ? this.#limits.firstChanged(MAX_PER_EXCHANGE) : []
      const isComplete = isKnown && declared.length === this.#limits.changed.size
      if (!(await this.#run(declared, []))) return
      const now = this.#clock()
      this.#outages.returnAt ??= now + SETTLE_MS
      if (!isComplete) continue
      if (now < this.#outages.returnAt) return
      this.#ready.resolve()
      this.#outages.end()
      return
    }
  }

  /** Returns what is idle, and declares what is held. */
  #maintain(now: number): void {
    const held = { granted: this.#granted, active: this.#active, changed: this.#limits.changed }
    const due = dueLimits(held, this.#store.nodes, MAX_PER_EXCHANGE, now)
    const activity = { startedAt: this.#startedAt, admittedAt: this.#admittedAt, isActive: this.#active.size > 0 }
    if (due.size > 0 || now - this.#exchangedAt >= pauseMsOf(activity, now)) void this.#run(due, [])
  }
}
