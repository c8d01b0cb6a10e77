import { msUntilUsed, usedInWindow } from '@headgate/gateway/ports'
import { type AllocatedPlaces, type AllocatedWindow, type AloneWindow, createOwnWindow } from './limits.ts'
import { usableIn } from './windows.ts'

/** Time after which no unit from before an outage is within the window, in milliseconds. */
const ALL_LEFT_MS = 61_500
const MINUTE = 60_000
/** Maximum age of a reply whose amounts are used in an outage, in milliseconds. */
const KNOWN_MS = 10_000

/** Outage of the store, as seen by this node. */
export interface Outage {
  readonly number: number
  /** Beginning by the node's clock. */
  readonly at: number
  /** Nodes of the last reply. */
  readonly nodes: number
  /** True if there may be nodes that the store does not know. */
  readonly hasUnknownNodes: boolean
}

/** This node's part of a limit. */
function partOf(limit: number, { nodes }: Outage): number {
  return Math.max(1, Math.floor(limit / nodes))
}

/** State of a window in an outage. Its base is the amount of this node, since units that it holds stay usable. */
function aloneOf(window: AllocatedWindow, outage: Outage, now: number): AloneWindow {
  if (window.alone?.outage === outage.number) return window.alone
  // Replies during the outage lack what other nodes have not declared yet.
  const isKnown = window.repliedAt >= outage.at - KNOWN_MS && window.repliedAt <= outage.at
  const isOnly = outage.nodes === 1 && !outage.hasUnknownNodes
  const left = Math.max(0, window.limit - window.used)
  const alone = {
    outage: outage.number,
    base: usedInWindow(window.own, now) + usableIn(window, now),
    free: isKnown || isOnly ? Math.floor(left / outage.nodes) : undefined,
    admitted: createOwnWindow(),
  }
  window.alone = alone
  return alone
}

/**
 * Maximum amount of this node within any 60 seconds of an outage.
 *
 * All nodes together had at most the limit when the outage began. As long as units of that time may count, each node
 * only replaces its own units, and takes its part of what was free. If the free amount is unknown, the maximum moves in
 * a line to the node's part of the limit. Later each node has its part.
 */
function maximumOf(window: AllocatedWindow, outage: Outage, now: number): number {
  const { base, free } = aloneOf(window, outage, now)
  const part = partOf(window.limit, outage)
  const age = now - outage.at
  if (age >= ALL_LEFT_MS) return part
  if (free !== undefined) return Math.max(1, base + free)
  return Math.max(1, Math.floor(base + Math.max(0, part - base) * Math.min(1, age / MINUTE)))
}

/** True if the last reply is new, and says that other nodes have used up the limit. */
function isUsedUp({ repliedAt, used, limit }: AllocatedWindow, amount: number, now: number): boolean {
  return now < repliedAt + KNOWN_MS && used + amount > limit
}

/**
 * True if a request fits while the store is unreachable. The first request of 60 seconds always fits, unless the limit
 * was certainly used up.
 */
export function fitsAlone(window: AllocatedWindow, amount: number, outage: Outage, now: number): boolean {
  const { admitted } = aloneOf(window, outage, now)
  const own = usedInWindow(window.own, now)
  if (own === 0 && amount <= window.limit) return !isUsedUp(window, amount, now)
  if (own + amount > maximumOf(window, outage, now)) return false
  if (usableIn(window, now) >= amount) return true
  return usedInWindow(admitted, now) + amount <= partOf(window.limit, outage)
}

/** Milliseconds until an amount may fit while the store is unreachable; at least 1. */
export function msUntilAlone(window: AllocatedWindow, amount: number, outage: Outage, now: number): number {
  if (usedInWindow(window.own, now) === 0 && isUsedUp(window, amount, now))
    return Math.ceil(window.repliedAt + KNOWN_MS - now)
  const most = Math.max(0, maximumOf(window, outage, now) - amount)
  const { admitted } = aloneOf(window, outage, now)
  const admittedMost = Math.max(0, partOf(window.limit, outage) - amount)
  return Math.max(1, msUntilUsed(window.own, most, now), msUntilUsed(admitted, admittedMost, now))
}

/** Amount that this node may still admit in an outage. */
export function remainingAlone(window: AllocatedWindow, outage: Outage, now: number): number {
  return Math.max(0, maximumOf(window, outage, now) - usedInWindow(window.own, now))
}

/**
 * Maximum number of concurrent requests of this node in an outage. One request always fits, unless other nodes
 * certainly have all places.
 */
export function placesAlone(places: AllocatedPlaces, outage: Outage, now: number): number {
  if (places.aloneIn !== outage.number) {
    places.aloneIn = outage.number
    places.aloneBase = places.held
  }
  const { limit, held, others, declaredAt, aloneBase } = places
  const part = partOf(limit, outage)
  const age = now - outage.at
  const line = Math.floor(part * Math.min(1, age / MINUTE))
  const isKnown = declaredAt >= outage.at - KNOWN_MS
  const free = Math.floor(Math.max(0, limit - held - others) / outage.nodes)
  const extra = isKnown && age < MINUTE ? aloneBase + free : line
  const isTaken = now < declaredAt + KNOWN_MS && held + others >= limit
  return Math.max(isTaken ? 0 : 1, aloneBase, Math.min(part, extra))
}
