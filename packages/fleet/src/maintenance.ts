import { type AllocatedLimit, type AllocatedPlaces, type AllocatedWindow, msUntilExchange } from './limits.ts'
import { DECLARED_MS, isUnused, placesDemand, returnIdle } from './places.ts'
import { closeExpired } from './windows.ts'

/** Time after which other nodes get returned units, and after which all changes are sent, in milliseconds. */
const RETURN_MS = 250
const CHANGE_MS = 2_000
/** Time between two exchanges of a busy and of an idle node, in milliseconds. */
const BUSY_MS = 2_000
const IDLE_MS = 5_000
/** Time after the start in which the node gets to know the others, and time between its exchanges. */
const STARTED_MS = 10_000
const STARTING_MS = 1_000
/** Time for which an admitted request matters to the node, in milliseconds. */
const RECENT_MS = 61_500

/** Allocations of a node that need maintenance. */
export interface HeldAllocations {
  /** Windows with grants. */
  readonly granted: Set<AllocatedWindow>
  /** Places that the node holds or wants. */
  readonly active: Set<AllocatedPlaces>
  /** Limits with changes that the store does not know. */
  readonly changed: Iterable<AllocatedLimit>
}

/** Returns what is idle to the changes of its limit, and returns the limits that need an exchange, at most `most`. */
export function dueLimits(held: HeldAllocations, nodes: number, most: number, now: number): Set<AllocatedLimit> {
  const { granted, active, changed } = held
  for (const window of granted) {
    closeExpired(window, now)
    if (window.grants.length === 0) granted.delete(window)
  }
  const due = new Set<AllocatedLimit>()
  for (const places of active) {
    returnIdle(places, now)
    if (isUnused(places) && placesDemand(places, now) === 0) active.delete(places)
    else if (places.declaredAt <= now - DECLARED_MS) due.add(places.target)
    if (due.size >= most) break
  }
  for (const target of changed) {
    if (due.size >= most) break
    const age = now - (target.changedAt ?? now)
    const isDue = age >= CHANGE_MS || (target.isUrgent && nodes > 1 && age >= RETURN_MS)
    if (isDue && msUntilExchange(target, now) === 0) due.add(target)
  }
  return due
}

/** Times that determine how often a node calls the store. */
export interface NodeActivity {
  readonly startedAt: number
  readonly admittedAt: number
  /** True if the node holds or wants places. */
  readonly isActive: boolean
}

/** Maximum time between two exchanges. */
export function pauseMsOf({ startedAt, admittedAt, isActive }: NodeActivity, now: number): number {
  if (now - startedAt < STARTED_MS) return STARTING_MS
  return isActive || now - admittedAt < RECENT_MS ? BUSY_MS : IDLE_MS
}
