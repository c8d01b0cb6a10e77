import {
  type AppliedLimit,
  type Bucket,
  createWindow,
  type RateRefusal,
  type RateSlot,
  type RateUnit,
  SHARED_SLOT_MS,
  SHARED_SLOTS,
  type SlidingWindow,
} from '@headgate/gateway/ports'

/** Average number of exchanges of a limit per second, and the number that may follow each other. */
const EXCHANGES_PER_SECOND = 2
const EXCHANGE_BURST = 20
/** Duration of requests before the first has ended, in milliseconds. */
const FIRST_MEAN_MS = 1_000

/**
 * Units that the store granted for a short time.
 *
 * An `open` grant can be spent. When it expires, it is `closed`: the store learns what was not spent, and the slot of
 * the last use, in which the rest is `counted` from then on. The store may or may not know the changes of a `lost`
 * grant, so that nothing of it can be returned.
 */
export interface Grant {
  /** Number of times that the store had lost its counts before. */
  readonly epoch: number
  /** Slot in which the store counted the grant. */
  readonly slot: number
  /** End of the grant by the node's clock. */
  readonly expiresAt: number
  /** Maximum difference of the store's clock from the node's. */
  readonly offset: number
  stage: 'open' | 'closed' | 'counted' | 'lost'
  left: number
  used: number
  /** Units that came back after the grant was closed. */
  back: number
  /** Time of the last use, by the node's clock. */
  lastUse: number
  /** Slot in which the store counts the used units. */
  counted: number
  /** True while the grant waits in `returns`. */
  isQueued: boolean
}

/** Amount that the store does not know yet. */
export interface UndeclaredAmount {
  /** Slot of the node's clock. */
  readonly slot: number
  /** Time of the last change, by the node's clock. */
  at: number
  amount: number
}

/** Limits of a window while the store is unreachable. */
export interface AloneWindow {
  /** Number of the outage. */
  readonly outage: number
  /** Amount within the window at the beginning. */
  readonly base: number
  /** Part of the amount that was free; undefined if unknown. */
  readonly free: number | undefined
  /** Amounts that the store did not grant. */
  readonly admitted: SlidingWindow
}

/** Unit of a limit, `requests` or `tokens`. Times are of the node's clock. */
export interface AllocatedWindow {
  readonly key: string
  readonly target: AllocatedLimit
  limit: number
  /** Open grants by their end. */
  grants: Grant[]
  /** Grants with changes for the store. */
  returns: Grant[]
  undeclared: UndeclaredAmount[]
  /** Amounts that this node admitted. */
  readonly own: SlidingWindow
  epoch: number
  /** Amount over all nodes in the last reply. */
  used: number
  repliedAt: number
  /** Time from which an exchange is useful, and estimated time at which the last refused amount is free. */
  nextAt: number
  freeAt: number
  /** Demand of the second that began at `paceAt`, and of the second before it. */
  pace: number
  paceBefore: number
  paceAt: number
  /** Total and smallest amount that requests wait for, while an exchange is composed. */
  need: number
  leastNeed: number
  alone: AloneWindow | undefined
}

/** Concurrent requests of a limit. Times are of the node's clock. */
export interface AllocatedPlaces {
  readonly key: string
  readonly target: AllocatedLimit
  limit: number
  /** Places of this node, in use or not. */
  held: number
  running: number
  /** Maximum of `running` since `peakAt`. */
  peak: number
  peakAt: number
  /** Places that the store knows of, and the time of the exchange. */
  declared: number
  declaredAt: number
  /** Places of other nodes in the last reply. */
  others: number
  /** Places that all nodes had above the limit in the last reply. This node gives up its next free ones. */
  surplus: number
  /** Maximum of `held` by the last reply, the next maximum, and the time from which it applies. */
  part: number
  nextPart: number
  nextPartAt: number
  /** Demand that the store knows of. */
  declaredDemand: number
  /** Requests without a place in the second that began at `refusedAt`, and in the second before it. */
  refused: number
  refusedBefore: number
  refusedAt: number
  /** Average duration of requests in milliseconds. */
  meanMs: number
  /** Time of the last request, and average time between requests. */
  demandAt: number
  demandGap: number
  /** Time from which an exchange is useful. */
  nextAt: number
  /** Places that requests wait for, while an exchange is composed. */
  need: number
  /** Requests that wait for a place of this node. */
  readonly parked: WaitingRequest[]
  /** Outage and number of held places at its beginning. */
  aloneIn: number
  aloneBase: number
}

/** Rate limit with its allocations. */
export interface AllocatedLimit {
  readonly key: string
  requests: AllocatedWindow | undefined
  tokens: AllocatedWindow | undefined
  places: AllocatedPlaces | undefined
  /** Exchanges that may follow now. */
  budget: number
  budgetAt: number
  /** Time of the first change that the store does not know; undefined = the store knows all. */
  changedAt: number | undefined
  /** True if other nodes can use what the changes return. */
  isUrgent: boolean
  /** True if requests wait for the exchange that is composed. */
  isNeeded: boolean
  /** Number of requests that wait. */
  waiting: number
  /** Limits with changes for the store, of the whole node. */
  readonly changed: Set<AllocatedLimit>
}

/** Units of a request that were taken from a window. */
export interface SpentUnits {
  readonly bucket: Bucket
  readonly pieces: readonly SpentPiece[]
  /** Slot of {@link UndeclaredAmount}; undefined if the store granted all. */
  readonly undeclaredSlot: number | undefined
}

export interface SpentPiece {
  readonly grant: Grant
  readonly amount: number
}

/** Amount of one unit of one limit that a request needs. Either `window` or `places` is defined. */
export interface UnitDemand {
  readonly applied: AppliedLimit
  readonly target: AllocatedLimit
  readonly unit: RateUnit
  readonly limit: number
  readonly amount: number
  readonly window: AllocatedWindow | undefined
  readonly places: AllocatedPlaces | undefined
  spent: SpentUnits | undefined
}

/** Request that waits for an exchange or for a place. */
export interface WaitingRequest {
  readonly demands: readonly UnitDemand[]
  readonly resolve: (result: RateSlot | RateRefusal) => void
  isDone: boolean
  /** Number of exchanges. */
  tries: number
  /** End of the wait for a place, by the node's clock; undefined = it did not wait for one yet. */
  until: number | undefined
}

export function keyOfLimit({ scope, id }: Pick<AppliedLimit, 'scope' | 'id'>): string {
  return `${scope}\n${id}`
}

/** Key of the limit whose places have a key. */
export function limitKeyOf(placesKey: string): string {
  return placesKey.slice(0, placesKey.lastIndexOf('\n'))
}

export function createLimit(key: string, changed: Set<AllocatedLimit>, now: number): AllocatedLimit {
  return {
    key,
    requests: undefined,
    tokens: undefined,
    places: undefined,
    budget: EXCHANGE_BURST,
    budgetAt: now,
    changedAt: undefined,
    isUrgent: false,
    isNeeded: false,
    waiting: 0,
    changed,
  }
}

export function createOwnWindow(): SlidingWindow {
  return createWindow(SHARED_SLOT_MS, SHARED_SLOTS)
}

export function createAllocatedWindow(target: AllocatedLimit, unit: RateUnit, limit: number): AllocatedWindow {
  return {
    key: `${target.key}\n${unit}`,
    target,
    limit,
    grants: [],
    returns: [],
    undeclared: [],
    own: createOwnWindow(),
    epoch: 0,
    used: 0,
    repliedAt: Number.NEGATIVE_INFINITY,
    nextAt: 0,
    freeAt: 0,
    pace: 0,
    paceBefore: 0,
    paceAt: Number.NEGATIVE_INFINITY,
    need: 0,
    leastNeed: 0,
    alone: undefined,
  }
}

export function createAllocatedPlaces(target: AllocatedLimit, limit: number): AllocatedPlaces {
  return {
    key: `${target.key}\nconcurrent`,
    target,
    limit,
    held: 0,
    running: 0,
    peak: 0,
    peakAt: Number.NEGATIVE_INFINITY,
    declared: 0,
    declaredAt: Number.NEGATIVE_INFINITY,
    others: 0,
    surplus: 0,
    part: limit,
    nextPart: limit,
    nextPartAt: Number.POSITIVE_INFINITY,
    declaredDemand: 0,
    refused: 0,
    refusedBefore: 0,
    refusedAt: Number.NEGATIVE_INFINITY,
    meanMs: FIRST_MEAN_MS,
    demandAt: Number.NEGATIVE_INFINITY,
    demandGap: Number.POSITIVE_INFINITY,
    nextAt: 0,
    need: 0,
    parked: [],
    aloneIn: 0,
    aloneBase: 0,
  }
}

/** Records that the store does not know a change of a limit. */
export function markChanged(target: AllocatedLimit, now: number, isUrgent: boolean): void {
  target.changedAt ??= now
  if (isUrgent) target.isUrgent = true
  target.changed.add(target)
}

/** Milliseconds until an exchange may include the limit; 0 = now. */
export function msUntilExchange(target: AllocatedLimit, now: number): number {
  const refill = ((now - target.budgetAt) * EXCHANGES_PER_SECOND) / 1_000
  if (refill > 0) {
    target.budget = Math.min(EXCHANGE_BURST, target.budget + refill)
    target.budgetAt = now
  }
  return target.budget >= 1 ? 0 : Math.ceil(((1 - target.budget) * 1_000) / EXCHANGES_PER_SECOND)
}

export function windowsOfLimit({ requests, tokens }: AllocatedLimit): readonly AllocatedWindow[] {
  if (requests) return tokens ? [requests, tokens] : [requests]
  return tokens ? [tokens] : []
}
