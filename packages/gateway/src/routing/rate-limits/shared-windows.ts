import { SHARED_SLOT_MS, SHARED_SLOTS, type WindowReply, type WindowRequest } from '../../ports/shared-rates.ts'

/** Longest time until an allocation expires, in milliseconds. */
const ALLOCATION_MS = 2_000

/** Amounts of a window by slot. */
export type SlotAmounts = Map<number, number>

/** Clock of a shared store and the node of an exchange. */
export interface ExchangeContext {
  /** Clock of the store in Unix milliseconds. */
  readonly now: number
  /** Time until an allocation expires, in milliseconds; at most 2,000. */
  readonly allocationMs: number
}

/**
 * Applies the request of a node to a window, in place: the law that every store of shared rates follows. Slots that
 * have left the window are removed. Slots that are too far ahead, since the clock was set back, count at the last
 * possible slot.
 * @example
 * ```ts
 * const amounts: SlotAmounts = new Map()
 * const request = { key: 'key\nalice\nrequests', limit: 10, least: 1, want: 4, changes: [] }
 * exchangeWindow(amounts, request, { now: Date.now(), allocationMs: 1_000 }) // { granted: 4, used: 4, … }
 * ```
 */
export function exchangeWindow(
  amounts: SlotAmounts,
  { limit, least, want, changes }: WindowRequest,
  { now, allocationMs }: ExchangeContext,
): WindowReply {
  const oldest = slotAt(now) - SHARED_SLOTS
  const newest = slotAt(now + ALLOCATION_MS)
  const add = (slot: number, amount: number): void => {
    const place = Math.min(slot, newest)
    if (place < oldest) return
    const sum = (amounts.get(place) ?? 0) + amount
    if (sum > 0) amounts.set(place, sum)
    else amounts.delete(place)
  }
  for (const [slot, amount] of [...amounts])
    if (slot < oldest || slot > newest) {
      amounts.delete(slot)
      add(slot, amount)
    }
  for (const { slot, amount } of changes) add(slot, amount)
  const used = sumOf(amounts)
  const slot = slotAt(now + Math.min(allocationMs, ALLOCATION_MS))
  const free = Math.min(want, Math.floor(limit - used))
  const granted = least > 0 && free >= least ? free : 0
  if (granted > 0) add(slot, granted)
  return {
    granted,
    slot,
    used: used + granted,
    freeInMs: granted > 0 || least === 0 ? 0 : msUntil(amounts, used, limit - least, now),
  }
}

/** Slot of an instant, in Unix milliseconds. */
function slotAt(at: number): number {
  return Math.floor(at / SHARED_SLOT_MS)
}

function sumOf(amounts: ReadonlyMap<unknown, number>): number {
  let sum = 0
  for (const amount of amounts.values()) sum += amount
  return sum
}

/** Milliseconds until at most `most` is used without new amounts; until the window is empty if that is never enough. */
function msUntil(amounts: SlotAmounts, used: number, most: number, now: number): number {
  let left = used
  let leavesAt = now
  for (const [slot, amount] of [...amounts].sort(([one], [other]) => one - other)) {
    if (left <= most) break
    left -= amount
    leavesAt = (slot + SHARED_SLOTS + 1) * SHARED_SLOT_MS
  }
  return Math.max(0, Math.ceil(leavesAt - now))
}
