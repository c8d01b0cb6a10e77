import type { PlacesReply, PlacesRequest } from '@headgate/gateway/ports'
import { type AllocatedPlaces, markChanged } from './limits.ts'
import { pollMsOf } from './windows.ts'

/** Time after which an idle place is returned, in milliseconds. It is shorter if other nodes may need it. */
const IDLE_FREE_MS = 5_000
const IDLE_MS = 500
const IDLE_FULL_MS = 100
/** Average times between two requests after which an idle place of a full limit is returned. */
const IDLE_GAPS = 2
const IDLE_GAPS_MS = 250
/** Weight of the last value in an average. */
const SMOOTHING = 0.2
/** Time in which refused requests are counted, in milliseconds. */
const REFUSED_MS = 1_000
/** Maximum time between two exchanges of places that are held or wanted, in milliseconds. */
export const DECLARED_MS = 2_000
/** Time until a node asks again for a place that another node is about to return, if the store cannot wake it up. */
const TURN_POLL_MS = 500
/** Time after a turn of another node in which its place is likely returned, in milliseconds. */
const TURN_END_MS = 250

/** Time after which idle places are returned. */
function idleMsOf(places: AllocatedPlaces): number {
  if (isFull(places)) return Math.min(IDLE_GAPS_MS, Math.max(IDLE_FULL_MS, IDLE_GAPS * places.demandGap))
  return 2 * (places.held + places.others) > places.limit ? IDLE_MS : IDLE_FREE_MS
}

/** True if all places of the limit are held by nodes. */
function isFull({ limit, held, others }: AllocatedPlaces): boolean {
  return held + others >= limit
}

/** True if the demands of all nodes exceeded the limit in the last reply. */
function isScarce({ part, limit }: AllocatedPlaces): boolean {
  return part < limit
}

/** Maximum of `held`. A turn ends with the request whose end is next to it. */
function partAt({ part, nextPart, nextPartAt, meanMs }: AllocatedPlaces, now: number): number {
  return now < nextPartAt - meanMs / 2 ? part : nextPart
}

export function usePlace(places: AllocatedPlaces): void {
  places.running++
  places.peak = Math.max(places.peak, places.running)
  // While the store is unreachable a node may use places that it does not hold.
  places.held = Math.max(places.held, places.running)
}

/** Ends a request. Its place is given up if all nodes have more than the limit, as after an outage. */
export function leavePlace(places: AllocatedPlaces, durationMs: number, now: number): void {
  places.running--
  places.meanMs += (durationMs - places.meanMs) * SMOOTHING
  if (places.surplus === 0) return
  places.surplus--
  places.held--
  markChanged(places.target, now, true)
}

/** Counts demand, admitted or not. */
export function countPlaceDemand(places: AllocatedPlaces, now: number): void {
  const gap = now - places.demandAt
  places.demandAt = now
  places.demandGap = Number.isFinite(places.demandGap) ? places.demandGap * (1 - SMOOTHING) + gap * SMOOTHING : gap
}

/** Counts a request that got no place. */
export function countRefused(places: AllocatedPlaces, now: number): void {
  const age = now - places.refusedAt
  if (age >= REFUSED_MS) {
    places.refusedBefore = age < 2 * REFUSED_MS ? places.refused : 0
    places.refused = 0
    places.refusedAt = now
  }
  places.refused++
}

function forgetRefused(places: AllocatedPlaces): void {
  places.refused = 0
  places.refusedBefore = 0
}

/**
 * Places that the node can use: the held places, or the places for requests that run or wait, and for requests like
 * the refused requests of the last second.
 */
export function placesDemand(places: AllocatedPlaces, now: number): number {
  const { held, running, need, parked, limit, refused, refusedBefore, refusedAt, meanMs } = places
  const age = now - refusedAt
  const perSecond = age < REFUSED_MS ? Math.max(refused, refusedBefore) : age < 2 * REFUSED_MS ? refused : 0
  const missing = Math.min(perSecond, Math.ceil((perSecond * meanMs) / REFUSED_MS))
  return Math.min(limit, Math.max(held, running + Math.max(need, parked.length) + missing))
}

/** Returns idle places that belong to other nodes by the last reply. True if places are returned. */
export function returnExcess(places: AllocatedPlaces, now: number): boolean {
  if (!isScarce(places) || places.held <= partAt(places, now)) return false
  return keepPlaces(places, partAt(places, now), now)
}

/**
 * Returns idle places now if other nodes can use them and this node has few requests. It keeps its part for a while if
 * demands exceed the limit. True if places are returned.
 */
export function yieldIdle(places: AllocatedPlaces, now: number): boolean {
  if (places.demandGap < IDLE_FULL_MS || !isFull(places) || isScarce(places)) return false
  return keepPlaces(places, 0, now)
}

/** Returns all idle places, since other nodes may have got them. */
export function dropIdle(places: AllocatedPlaces, now: number): void {
  keepPlaces(places, 0, now)
}

/** Returns idle places until `most` are held. True if places are returned. */
function keepPlaces(places: AllocatedPlaces, most: number, now: number): boolean {
  const kept = Math.max(places.running, most)
  if (places.held <= kept) return false
  places.held = kept
  places.peak = places.running
  places.peakAt = now
  markChanged(places.target, now, true)
  return true
}

/** Returns places that were idle for a while. */
export function returnIdle(places: AllocatedPlaces, now: number): void {
  const { held, running, peak, peakAt } = places
  if (held <= running) {
    places.peak = running
    places.peakAt = now
    return
  }
  if (returnExcess(places, now) || now - peakAt < idleMsOf(places)) return
  places.peak = running
  places.peakAt = now
  if (peak >= held) return
  forgetRefused(places)
  places.held = peak
  markChanged(places.target, now, true)
}

/** Number of places to request: for the waiting requests, and some ahead. The node declares `held` with it. */
function placesFor({ held, others, running, need, limit, target }: AllocatedPlaces, nodes: number): number {
  if (!target.isNeeded) return 0
  const idle = Math.max(0, held - running)
  const missing = Math.max(0, need - idle)
  const free = Math.floor((limit - held - others - missing) / (2 * nodes))
  const ahead = Math.min(free, Math.ceil(running / 4)) - Math.max(0, idle - need)
  return Math.min(limit, missing + Math.max(0, ahead))
}

/** Request for an exchange. Undefined if the store knows that the node neither holds nor wants places. */
export function requestPlaces(places: AllocatedPlaces, nodes: number, now: number): PlacesRequest | undefined {
  if (places.need > 0) places.need += places.parked.length
  const demand = placesDemand(places, now)
  const want = Math.max(placesFor(places, nodes), demand - places.held)
  places.need = 0
  const { key, limit, held, declared, declaredDemand } = places
  if (held + declared + demand + declaredDemand + want === 0) return undefined
  return { key, limit, held, demand, want }
}

/** Returns all places that are not in use, and forgets the demand. */
export function releasePlaces(places: AllocatedPlaces, now: number): void {
  places.held = places.running
  forgetRefused(places)
  if (places.declared !== places.held || places.declaredDemand > places.running) markChanged(places.target, now, true)
}

/** True if the store knows nothing of the places, and need not. */
export function isUnused({ held, declared, declaredDemand }: AllocatedPlaces): boolean {
  return held + declared + declaredDemand === 0
}

export interface PlacesReplyContext {
  readonly now: number
  readonly nodes: number
  /** True if the store wakes up the node when places are free. */
  readonly isWoken: boolean
}

export function applyPlacesReply(
  places: AllocatedPlaces,
  asked: PlacesRequest,
  { granted, others, part, nextPart, nextInMs }: PlacesReply,
  { now, nodes, isWoken }: PlacesReplyContext,
): void {
  places.held += granted
  places.declared = asked.held + granted
  places.declaredDemand = asked.demand
  places.declaredAt = now
  places.others = others
  places.part = part
  places.nextPart = nextPart
  places.nextPartAt = nextPart === part ? Number.POSITIVE_INFINITY : now + nextInMs
  places.surplus = Math.max(0, places.held + others - places.limit)
  if (granted > 0) {
    places.peakAt = now
    places.peak = places.running
  }
  if (asked.want === 0) return
  places.nextAt = granted < asked.want ? now + pollMs(places, nodes, isWoken, now) : 0
}

/** Time until it is useful to ask for places again. */
function pollMs(places: AllocatedPlaces, nodes: number, isWoken: boolean, now: number): number {
  const { part, held, nextPart, nextPartAt } = places
  if (isWoken) return DECLARED_MS
  if (!isScarce(places)) return Math.min(DECLARED_MS, pollMsOf(nodes))
  if (part > held) return TURN_POLL_MS
  return nextPart > part ? Math.min(DECLARED_MS, nextPartAt - now + TURN_END_MS) : DECLARED_MS
}
