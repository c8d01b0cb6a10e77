import {
  type AppliedLimit,
  msUntilEmpty,
  noteRateState,
  type RateEstimate,
  type RateRefusal,
  type RateState,
  type RateUnit,
  reservedTokens,
  usedInWindow,
} from '@headgate/gateway/ports'
import { fitsAlone, msUntilAlone, type Outage, placesAlone, remainingAlone } from './alone.ts'
import {
  type AllocatedLimit,
  type AllocatedPlaces,
  type AllocatedWindow,
  createAllocatedPlaces,
  createAllocatedWindow,
  msUntilExchange,
  type UnitDemand,
} from './limits.ts'
import { usePlace } from './places.ts'
import { msUntilUseful, spend, spendUndeclared, usableIn } from './windows.ts'

/** `retryAfterMs` if only the end of another request frees capacity, in milliseconds. */
const SOON = 1_000
/** Time for which amounts of a reply count, in milliseconds: a window and an allocation. */
const REPLY_KEPT_MS = 61_250

type UnitRefusal = Omit<RateRefusal, 'states'>

/** Steps that can help a request. */
export interface NextStep {
  /** An exchange may help. */
  exchange: boolean
  /** The end of another request may help. */
  place: boolean
  /** Reason why the request must come again later. */
  refused: UnitRefusal | undefined
}

/** Demands of a request in one of its limits. */
export function addDemands(
  demands: UnitDemand[],
  target: AllocatedLimit,
  applied: AppliedLimit,
  tokens: RateEstimate | undefined,
): void {
  const { requestsPerMinute, tokensPerMinute, concurrent } = applied.limit
  const add = (unit: RateUnit, limit: number, amount: number, window?: AllocatedWindow, places?: AllocatedPlaces) =>
    void demands.push({ applied, target, unit, limit, amount, window, places, spent: undefined })
  if (requestsPerMinute !== undefined) {
    target.requests ??= createAllocatedWindow(target, 'requests', requestsPerMinute)
    target.requests.limit = requestsPerMinute
    add('requests', requestsPerMinute, 1, target.requests)
  }
  if (tokensPerMinute !== undefined && tokens) {
    target.tokens ??= createAllocatedWindow(target, 'tokens', tokensPerMinute)
    target.tokens.limit = tokensPerMinute
    add('tokens', tokensPerMinute, reservedTokens(tokens, tokensPerMinute), target.tokens)
  }
  if (concurrent !== undefined) {
    target.places ??= createAllocatedPlaces(target, concurrent)
    target.places.limit = concurrent
    add('concurrent', concurrent, 1, undefined, target.places)
  }
}

export function fits({ window, places, amount }: UnitDemand, now: number, outage: Outage | undefined): boolean {
  if (window) return outage ? fitsAlone(window, amount, outage, now) : amount <= usableIn(window, now)
  return !places || hasPlace(places, now, outage)
}

/** True if a place of this node is free. */
export function hasPlace(places: AllocatedPlaces, now: number, outage: Outage | undefined): boolean {
  return places.running < Math.min(places.limit, outage ? placesAlone(places, outage, now) : places.held)
}

export function fitsAll(demands: readonly UnitDemand[], now: number, outage: Outage | undefined): boolean {
  for (const demand of demands) if (!fits(demand, now, outage)) return false
  return true
}

/** Takes all demands, which fit. */
export function spendAll(demands: readonly UnitDemand[], now: number): void {
  for (const demand of demands) {
    const { window, places, amount } = demand
    if (places) usePlace(places)
    if (window)
      demand.spent = usableIn(window, now) >= amount ? spend(window, amount, now) : spendUndeclared(window, amount, now)
  }
}

/**
 * True if at most half of a limit was used in the last reply. Then exchanges are not bounded: if replies are
 * slow or lost, grants expire before they are spent, and requests would be refused far below the limit.
 */
function isLittleUsed({ used, limit }: AllocatedWindow, amount: number): boolean {
  return used + amount <= limit / 2
}

/** Steps that can help a request. Its demands do not fit now. */
export function nextStepOf(demands: readonly UnitDemand[], now: number, outage: Outage | undefined): NextStep {
  const step: NextStep = { exchange: false, place: false, refused: undefined }
  for (const demand of demands) {
    if (fits(demand, now, outage)) continue
    const { window, places, target, amount, limit } = demand
    const isAllowed = msUntilExchange(target, now) === 0 || (window !== undefined && isLittleUsed(window, amount))
    const mayHelp = outage === undefined && amount <= limit && isAllowed
    if (window) {
      if (!mayHelp || msUntilUseful(window, amount, now) > 0)
        step.refused = later(step.refused, refusalOf(demand, now, outage))
      else step.exchange = true
    } else if (places && mayHelp && now >= places.nextAt) step.exchange = true
    else step.place = true
  }
  return step
}

/** The reason with the longest wait why a request does not fit. */
export function refusalOfAll(
  demands: readonly UnitDemand[],
  now: number,
  outage: Outage | undefined,
): UnitRefusal | undefined {
  let refused: UnitRefusal | undefined
  for (const demand of demands) if (!fits(demand, now, outage)) refused = later(refused, refusalOf(demand, now, outage))
  return refused
}

function refusalOf(demand: UnitDemand, now: number, outage: Outage | undefined): UnitRefusal {
  const { applied, unit, limit, amount } = demand
  const { scope, id } = applied
  const { remaining, resetMs } = stateOf(demand, now, outage)
  const refusal = { scope, id, unit, limit, asked: amount, remaining, resetMs }
  return amount > limit ? refusal : { ...refusal, retryAfterMs: retryMsOf(demand, now, outage) }
}

function retryMsOf({ window, target, amount }: UnitDemand, now: number, outage: Outage | undefined): number {
  if (!window) return SOON
  if (outage) return msUntilAlone(window, amount, outage, now)
  return Math.max(1, msUntilExchange(target, now), msUntilUseful(window, amount, now))
}

/** The refusal with the longer wait. */
function later(one: UnitRefusal | undefined, other: UnitRefusal): UnitRefusal {
  if (!one) return other
  return (other.retryAfterMs ?? Number.POSITIVE_INFINITY) > (one.retryAfterMs ?? Number.POSITIVE_INFINITY) ? other : one
}

/** State of the tightest limits, for headers. Amounts of other nodes are from the last reply. */
export function statesOf(demands: readonly UnitDemand[], now: number, outage: Outage | undefined): RateState[] {
  const states: RateState[] = []
  for (const demand of demands) {
    const { unit, limit, remaining, resetMs } = stateOf(demand, now, outage)
    noteRateState(states, unit, limit, limit - remaining, resetMs)
  }
  return states
}

function stateOf({ unit, limit, window, places }: UnitDemand, now: number, outage: Outage | undefined): RateState {
  if (!window) return { unit, limit, remaining: places ? freePlaces(places, limit) : limit, resetMs: 0 }
  const own = usedInWindow(window.own, now)
  const isKnown = now - window.repliedAt < REPLY_KEPT_MS
  const used = isKnown ? Math.max(own, window.used - usableIn(window, now)) : own
  const known = Math.max(0, Math.min(limit, limit - used))
  const remaining = outage ? Math.min(known, remainingAlone(window, outage, now)) : known
  const isShared = isKnown && used > own
  const resetMs = Math.max(
    msUntilEmpty(window.own, now),
    isShared ? Math.ceil(window.repliedAt + REPLY_KEPT_MS - now) : 0,
  )
  return { unit, limit, remaining, resetMs }
}

function freePlaces({ running, others }: AllocatedPlaces, limit: number): number {
  return Math.max(0, limit - running - others)
}
