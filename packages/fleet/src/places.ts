import type { PlacesReply } from '@headgate/gateway/ports'
import { type AllocatedPlaces, markChanged } from './limits.ts'
import { pollMsOf } from './windows.ts'

/** Time after which an idle place is returned, in milliseconds. It is shorter if other nodes may need it. */
const IDLE_FREE_MS = 5_000
const IDLE_MS = 500
const IDLE_FULL_MS = 100
/** Weight of the last time between two requests in their average. */
const SMOOTHING = 0.2

/** Time after which idle places are returned. */
function idleMsOf(places: AllocatedPlaces): number {
  if (isFull(places)) return IDLE_FULL_MS
  return 2 * (places.held + places.others) > places.limit ? IDLE_MS : IDLE_FREE_MS
}

/** True if all places of the limit are held by nodes. */
function isFull({ limit, held, others }: AllocatedPlaces): boolean {
  return held + others >= limit
}

export function usePlace(places: AllocatedPlaces): void {
  places.running++
  places.peak = Math.max(places.peak, places.running)
  // While the store is unreachable a node may use places that it does not hold.
  places.held = Math.max(places.held, places.running)
}

/** Ends a request. Its place is given up if all nodes have more than the limit, as after an outage. */
export function leavePlace(places: AllocatedPlaces, now: number): void {
  places.running--
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

/** Returns idle places now if other nodes can use them and this node has few requests. True if places are returned. */
export function yieldIdle(places: AllocatedPlaces, now: number): boolean {
  const { held, running, demandGap } = places
  if (held <= running || demandGap < IDLE_FULL_MS || !isFull(places)) return false
  dropIdle(places, now)
  return true
}

/** Returns all idle places, since other nodes may have got them. */
export function dropIdle(places: AllocatedPlaces, now: number): void {
  if (places.held <= places.running) return
  places.held = places.running
  places.peak = places.running
  places.peakAt = now
  markChanged(places.target, now, true)
}

/** Returns places that were idle for a while. */
export function returnIdle(places: AllocatedPlaces, now: number): void {
  const { held, running, peak, peakAt } = places
  if (held <= running) {
    places.peak = running
    places.peakAt = now
    return
  }
  if (now - peakAt < idleMsOf(places)) return
  places.peak = running
  places.peakAt = now
  if (peak >= held) return
  places.held = peak
  markChanged(places.target, now, true)
}

/** Number of places to request: for the waiting requests, and some ahead. The node declares `held` with it. */
export function placesFor({ held, others, running, need, limit, target }: AllocatedPlaces, nodes: number): number {
  if (!target.isNeeded) return 0
  const idle = Math.max(0, held - running)
  const missing = Math.max(0, need - idle)
  const free = Math.floor((limit - held - others - missing) / (2 * nodes))
  const ahead = Math.min(free, Math.ceil(running / 4)) - Math.max(0, idle - need)
  return Math.min(limit, missing + Math.max(0, ahead))
}

export function applyPlacesReply(
  places: AllocatedPlaces,
  asked: { readonly held: number; readonly want: number },
  { granted, others }: PlacesReply,
  now: number,
  nodes: number,
): void {
  places.held += granted
  places.declared = asked.held + granted
  places.declaredAt = now
  places.others = others
  places.surplus = Math.max(0, places.held + others - places.limit)
  if (granted > 0) {
    places.peakAt = now
    places.peak = places.running
  }
  if (asked.want > 0) places.nextAt = granted < asked.want ? now + pollMsOf(nodes) : 0
}
