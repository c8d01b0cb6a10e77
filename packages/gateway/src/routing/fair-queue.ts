import { SERVICE_CLASSES, type ServiceClass } from '../ports/service-class.ts'

/** Weights of the classes while requests of several classes wait: 8 tokens of the first to 1 of the last. */
export const CLASS_WEIGHTS: Readonly<Record<ServiceClass, number>> = { interactive: 8, normal: 4, batch: 1 }
/** Tokens that a request without tokens counts as. */
export const WITHOUT_TOKENS = 1_000
/** Maximum tokens of a request, so that sums stay exact. */
const MAX_TOKENS = 2 ** 31
/** Keys without waiting requests are removed when a class has more keys than this. */
const MAX_KEYS = 10_000
/** Maximum requests that are passed over because they cannot start, for each request that is taken. */
const MAX_PASSED = 64
/** Factor by which the longest queue is longer than the queue of another key of its class, to which it gives way. */
const MUCH_MORE = 2
/** Part of the maximum wait after which the rate of a new measurement is used. */
const FIRST_RATE = 1 / 4

/** A request that waits, as the order of the queue sees it. */
export interface FairRequest {
  /** Requests of the same key wait in the order of their arrival. */
  readonly key: string
  /** Weight of the key within its class, from 1. */
  readonly weight: number
  readonly serviceClass: ServiceClass
  /** Estimated tokens of the request. */
  readonly tokens: number
}

/** Place of a request in a queue. */
export interface QueuePlace {
  /** Removes the request, if it still waits. */
  leave(): void
}

/** Number of waiting requests of several queues together. */
export interface QueueTotal {
  count: number
  /** Maximum number. */
  readonly most: number
}

export interface FairQueueOptions<T> {
  /** Maximum waiting requests of this queue. */
  readonly most: number
  /** Maximum wait in milliseconds. A request that would wait longer at the present rate is refused. */
  readonly ms: number
  /** Waiting requests of all queues with the same object; default: of this queue only. */
  readonly total?: QueueTotal | undefined
  /** Monotonic clock in milliseconds. */
  readonly clock: () => number
  /** Receives requests that gave way to others. */
  readonly onEvicted: (value: T) => void
}

/**
 * Queue that is fair to keys, measured in tokens. The classes are served by weighted fair queueing, and the keys of a
 * class by weighted deficit round robin, so that a key with many requests delays others no more than one with few. Each
 * operation takes constant time (amortized). If it is full, the newest request of the longest queue of the lowest class
 * gives way to a request of a higher class, or of a key with less than half as many waiting requests.
 */
export interface FairQueue<T> {
  /** Number of waiting requests. */
  readonly size: number
  /** Number of waiting requests of a class. */
  waiting(serviceClass: ServiceClass): number
  /** Adds a request. Undefined = the queue is full for it. */
  add(request: FairRequest, value: T): QueuePlace | undefined
  /** Removes the next request in fair order that can start; undefined = none. */
  take(canStart?: (value: T) => boolean): T | undefined
  /** Milliseconds that a request at the end of the queue waits at the present rate; undefined = unknown. */
  expectedMs(): number | undefined
}

/** Request in the list of its key. */
interface QueueEntry<T> {
  readonly value: T
  readonly tokens: number
  readonly key: KeyQueue<T>
  older: QueueEntry<T> | undefined
  newer: QueueEntry<T> | undefined
  isWaiting: boolean
}

/** Waiting requests of a key in one class: a linked list, and its place in the ring of keys. */
interface KeyQueue<T> {
  readonly own: ClassQueue<T>
  weight: number
  /** Tokens that remain for its turn. */
  credit: number
  count: number
  oldest: QueueEntry<T> | undefined
  newest: QueueEntry<T> | undefined
  before: KeyQueue<T>
  after: KeyQueue<T>
  /** Index in the list of keys with the same count. */
  index: number
}

/** Waiting requests of a class. */
interface ClassQueue<T> {
  readonly serviceClass: ServiceClass
  readonly weight: number
  readonly keys: Map<string, KeyQueue<T>>
  /** Key whose turn it is. */
  current: KeyQueue<T> | undefined
  /** True if the turn of the current key has begun. */
  hasBegun: boolean
  count: number
  tokens: number
  /** Number of keys with waiting requests. */
  active: number
  /** Virtual time until which the class was served: its tokens by its weight. */
  served: number
  /** Keys by their number of waiting requests, and the highest number. */
  readonly byCount: KeyQueue<T>[][]
  longest: number
}

/**
 * Creates a fair queue.
 *
 * @example
 * ```ts
 * const queue = createFairQueue<string>({ most: 100, ms: 10_000, clock: now, onEvicted: refuse })
 * queue.add({ key: 'alice', weight: 1, serviceClass: 'normal', tokens: 500 }, 'a request')
 * queue.take() // 'a request'
 * ```
 */
export function createFairQueue<T>(options: FairQueueOptions<T>): FairQueue<T> {
  return new ClassQueues(options)
}

function createKey<T>(own: ClassQueue<T>): KeyQueue<T> {
  const key: Omit<KeyQueue<T>, 'before' | 'after'> = {
    own,
    weight: 1,
    credit: 0,
    count: 0,
    oldest: undefined,
    newest: undefined,
    index: 0,
  }
  const ring = key as KeyQueue<T>
  ring.before = ring
  ring.after = ring
  return ring
}

function keyOf<T>(own: ClassQueue<T>, id: string): KeyQueue<T> {
  const known = own.keys.get(id)
  if (known) return known
  // Idle keys stay otherwise: a map with as many deletions as additions keeps its outgrown tables.
  if (own.keys.size >= MAX_KEYS) for (const [other, { count }] of own.keys) if (count === 0) own.keys.delete(other)
  const created = createKey(own)
  own.keys.set(id, created)
  return created
}

/** Moves a key to the list of its new number of waiting requests. */
function recount<T>(key: KeyQueue<T>, count: number): void {
  const { byCount } = key.own
  if (key.count > 0) {
    const same = byCount[key.count] ?? []
    const last = same.pop()
    if (last && last !== key) {
      same[key.index] = last
      last.index = key.index
    }
  }
  key.count = count
  if (count > 0) {
    const others = byCount[count] ?? []
    byCount[count] = others
    key.index = others.length
    others.push(key)
  }
  if (count > key.own.longest) key.own.longest = count
  else if ((byCount[key.own.longest] ?? []).length === 0) key.own.longest = Math.max(0, key.own.longest - 1)
}

/** Adds a key at the end of the ring: before the key whose turn it is. */
function enterRing<T>(key: KeyQueue<T>): void {
  const { own } = key
  own.active++
  key.credit = 0
  if (!own.current) {
    key.before = key
    key.after = key
    own.current = key
    own.hasBegun = false
    return
  }
  key.after = own.current
  key.before = own.current.before
  key.before.after = key
  own.current.before = key
}

function leaveRing<T>(key: KeyQueue<T>): void {
  const { own } = key
  own.active--
  if (own.current === key) {
    own.current = key.after === key ? undefined : key.after
    own.hasBegun = false
  }
  key.before.after = key.after
  key.after.before = key.before
  key.before = key
  key.after = key
}

/** Ends the turn of the current key. */
function pass<T>(own: ClassQueue<T>): void {
  own.current = own.current?.after
  own.hasBegun = false
}

/**
 * The next request of a class by deficit round robin. In its turn, a key may take the mean of the waiting requests by
 * its weight, so that most turns serve a request.
 */
function nextOf<T>(own: ClassQueue<T>, canStart: ((value: T) => boolean) | undefined): QueueEntry<T> | undefined {
  const { current, hasBegun } = own
  let passed = 0
  let inRow = 0
  for (let key = own.current; key?.oldest; key = own.current) {
    const entry = key.oldest
    if (canStart && !canStart(entry.value)) {
      passed++
      inRow++
      if (inRow >= own.active || passed >= MAX_PASSED) {
        // The turn stays where it is, or each look at a full endpoint would move it.
        own.current = current
        own.hasBegun = hasBegun
        return undefined
      }
      pass(own)
      continue
    }
    if (!own.hasBegun) {
      key.credit += Math.max(1, own.tokens / own.count) * key.weight
      own.hasBegun = true
    }
    if (key.credit >= entry.tokens) {
      key.credit -= entry.tokens
      return entry
    }
    inRow = 0
    pass(own)
  }
  return undefined
}

class ClassQueues<T> implements FairQueue<T> {
  size = 0
  private readonly options: FairQueueOptions<T>
  private readonly classes: readonly ClassQueue<T>[]
  /** Virtual time of the last request that was taken. */
  private virtual = 0
  /** Number of requests that this measurement counted, its time with waiting requests, and the rate of the one before. */
  private taken = 0
  private busyMs = 0
  private rate: number | undefined
  /** Times at which the queue had its first request, and at which it became empty. */
  private since = 0
  private emptyAt = Number.NEGATIVE_INFINITY

  constructor(options: FairQueueOptions<T>) {
    this.options = options
    this.classes = SERVICE_CLASSES.map((serviceClass) => ({
      serviceClass,
      weight: CLASS_WEIGHTS[serviceClass],
      keys: new Map(),
      current: undefined,
      hasBegun: false,
      count: 0,
      tokens: 0,
      active: 0,
      served: 0,
      byCount: [],
      longest: 0,
    }))
  }

  waiting(serviceClass: ServiceClass): number {
    return this.classOf(serviceClass).count
  }

  add({ key: id, weight, serviceClass, tokens }: FairRequest, value: T): QueuePlace | undefined {
    const own = this.classOf(serviceClass)
    const key = keyOf(own, id)
    if (this.isFull()) {
      const other = this.leastUrgent(own, key)
      if (!other) return undefined
      this.remove(other)
      this.options.onEvicted(other.value)
    }
    if (this.size === 0) this.resume()
    const entry: QueueEntry<T> = {
      value,
      tokens: Math.min(MAX_TOKENS, Math.max(1, tokens || 1)),
      key,
      older: key.newest,
      newer: undefined,
      isWaiting: true,
    }
    if (key.newest) key.newest.newer = entry
    else key.oldest = entry
    key.newest = entry
    key.weight = Math.max(1, weight)
    if (own.count === 0) own.served = Math.max(own.served, this.virtual)
    if (key.count === 0) enterRing(key)
    recount(key, key.count + 1)
    own.count++
    own.tokens += entry.tokens
    this.change(1)
    return { leave: () => this.remove(entry) }
  }

  take(canStart?: (value: T) => boolean): T | undefined {
    const order = this.classes.filter(({ count }) => count > 0).sort((one, other) => one.served - other.served)
    for (const own of order) {
      const entry = nextOf(own, canStart)
      if (!entry) continue
      this.virtual = own.served
      own.served += entry.tokens / own.weight
      this.remove(entry)
      this.measure()
      return entry.value
    }
    return undefined
  }

  expectedMs(): number | undefined {
    const rate = this.presentRate()
    return rate === undefined ? undefined : (this.size + 1) / rate
  }

  private classOf(serviceClass: ServiceClass): ClassQueue<T> {
    const found = this.classes.find((one) => one.serviceClass === serviceClass)
    if (!found) throw new TypeError(`Unknown class ${serviceClass}.`)
    return found
  }

  private isFull(): boolean {
    const { most, ms, total } = this.options
    if (this.size >= most || (total && total.count >= total.most)) return true
    return this.size > 0 && (this.expectedMs() ?? 0) > ms
  }

  /** The request that gives way to one of a key; undefined = none. */
  private leastUrgent(own: ClassQueue<T>, key: KeyQueue<T>): QueueEntry<T> | undefined {
    const lowest = this.classes.findLast(({ count }) => count > 0)
    if (!lowest || this.classes.indexOf(lowest) < this.classes.indexOf(own)) return undefined
    const longest = lowest.byCount[lowest.longest]?.[0]
    if (!longest) return undefined
    // Keys with about as many would take each other's places, and requests that wait already would be refused.
    return lowest !== own || longest.count > MUCH_MORE * (key.count + 1) ? longest.newest : undefined
  }

  private remove(entry: QueueEntry<T>): void {
    if (!entry.isWaiting) return
    entry.isWaiting = false
    const { key, older, newer } = entry
    if (older) older.newer = newer
    else key.oldest = newer
    if (newer) newer.older = older
    else key.newest = older
    recount(key, key.count - 1)
    if (key.count === 0) leaveRing(key)
    key.own.count--
    key.own.tokens -= entry.tokens
    this.change(-1)
  }

  private change(by: number): void {
    this.size += by
    if (this.options.total) this.options.total.count += by
    if (this.size > 0) return
    this.emptyAt = this.options.clock()
    this.busyMs += this.emptyAt - this.since
  }

  /** Begins to measure the rate again. A measurement that is too old does not count. */
  private resume(): void {
    this.since = this.options.clock()
    if (this.since - this.emptyAt <= 2 * this.options.ms) return
    this.rate = undefined
    this.taken = 0
    this.busyMs = 0
  }

  private measuredMs(): number {
    return this.busyMs + (this.size > 0 ? this.options.clock() - this.since : 0)
  }

  private measure(): void {
    this.taken++
    const measured = this.measuredMs()
    if (measured < this.options.ms) return
    this.rate = this.taken / measured
    this.taken = 0
    this.busyMs = 0
    this.since = this.options.clock()
  }

  /** Requests per millisecond that were taken while others waited; undefined = not measured yet. */
  private presentRate(): number | undefined {
    const measured = this.measuredMs()
    const present = this.taken > 0 && measured >= this.options.ms * FIRST_RATE ? this.taken / measured : undefined
    return present === undefined ? this.rate : Math.max(present, this.rate ?? 0)
  }
}
