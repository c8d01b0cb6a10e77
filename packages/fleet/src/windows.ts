import {
  countInWindow,
  SHARED_SLOT_MS,
  type SlotChange,
  uncountInWindow,
  usedInWindow,
  type WindowReply,
} from '@headgate/gateway/ports'
import { type AllocatedWindow, type Grant, markChanged, type SpentPiece, type SpentUnits } from './limits.ts'

/** Time between two exchanges of a limit that is used up, for each node of the fleet, and its maximum. */
const POLL_MS_PER_NODE = 500
const MAX_POLL_MS = 10_000
const MINUTE = 60_000
/** Grants that expire within this time do not count when an exchange is composed, in milliseconds. */
const EXCHANGE_MS = 60

/** Result of an exchange, with the times at which it was sent and answered by the node's clock. */
export interface ExchangeTimes {
  readonly sentAt: number
  readonly now: number
  readonly expiresAt: number
  /** Maximum difference of the store's clock from the node's. */
  readonly offset: number
  readonly nodes: number
}

export function slotAt(at: number): number {
  return Math.floor(at / SHARED_SLOT_MS)
}

/** Time between two exchanges of a limit that is used up, so that all nodes together have about two per second. */
export function pollMsOf(nodes: number): number {
  return Math.min(MAX_POLL_MS, POLL_MS_PER_NODE * nodes)
}

/** Units that the node can spend. Expired grants are closed. */
export function usableIn(window: AllocatedWindow, now: number): number {
  closeExpired(window, now)
  const { grants } = window
  let left = 0
  for (let at = 0; at < grants.length; at++) left += (grants[at] as Grant).left
  return left
}

/** Units that do not expire until a time. Nothing is closed. */
function leftIn({ grants }: AllocatedWindow, until: number): number {
  return grants.reduce((sum, { expiresAt, left }) => (expiresAt > until ? sum + left : sum), 0)
}

export function closeExpired(window: AllocatedWindow, now: number): void {
  const { grants } = window
  while (grants.length > 0 && (grants[0] as Grant).expiresAt <= now) close(window, grants.shift() as Grant, now)
}

/** Slot of the last use. It is not after the slot in which the store counted the grant. */
function slotOfUse({ used, slot, lastUse, offset }: Grant): number {
  return used > 0 ? Math.min(slot, slotAt(lastUse + offset)) : slot
}

function close(window: AllocatedWindow, grant: Grant, now: number): void {
  grant.stage = 'closed'
  if (grant.left === 0 && slotOfUse(grant) === grant.slot) grant.stage = 'counted'
  else queueReturn(window, grant, now)
}

function queueReturn(window: AllocatedWindow, grant: Grant, now: number): void {
  if (!grant.isQueued) window.returns.push(grant)
  grant.isQueued = true
  const isUseful = grant.left + grant.back > 0
  markChanged(window.target, now, isUseful)
  // The next exchange frees the units before it grants.
  if (isUseful) window.nextAt = Math.min(window.nextAt, now)
}

/** Closes all grants, so that the next exchange returns what was not spent. */
export function closeAll(window: AllocatedWindow, now: number): void {
  for (const grant of window.grants.splice(0)) close(window, grant, now)
}

/** Counts demand, admitted or not, for the size of the next grant. */
export function countDemand(window: AllocatedWindow, amount: number, now: number): void {
  const age = now - window.paceAt
  if (age >= 1_000) {
    window.paceBefore = age < 2_000 ? window.pace : 0
    window.pace = 0
    window.paceAt = now
  }
  window.pace += amount
}

/** Takes units from the open grants, which have enough. Counts them for this node. */
export function spend(window: AllocatedWindow, amount: number, now: number): SpentUnits {
  usedInWindow(window.own, now)
  return {
    bucket: countInWindow(window.own, amount, now),
    pieces: takeFromGrants(window, amount, now),
    undeclaredSlot: undefined,
  }
}

function takeFromGrants(window: AllocatedWindow, amount: number, now: number): readonly SpentPiece[] {
  const pieces: SpentPiece[] = []
  let missing = amount
  for (const grant of window.grants) {
    if (missing === 0) break
    const part = Math.min(grant.left, missing)
    if (part === 0) continue
    grant.left -= part
    grant.used += part
    grant.lastUse = now
    missing -= part
    pieces.push({ grant, amount: part })
  }
  return pieces
}

/** Takes units that the store did not grant. It learns them with the next exchange. */
export function spendUndeclared(window: AllocatedWindow, amount: number, now: number): SpentUnits {
  usedInWindow(window.own, now)
  const bucket = countInWindow(window.own, amount, now)
  if (window.alone) {
    usedInWindow(window.alone.admitted, now)
    countInWindow(window.alone.admitted, amount, now)
  }
  return { bucket, pieces: [], undeclaredSlot: addUndeclared(window, amount, now) }
}

function addUndeclared(window: AllocatedWindow, amount: number, now: number): number {
  const slot = slotAt(now)
  const last = window.undeclared.at(-1)
  if (last?.slot === slot) {
    last.at = now
    last.amount += amount
  } else window.undeclared.push({ slot, at: now, amount })
  markChanged(window.target, now, true)
  return slot
}

/** Declares all that this node admitted within the window, since the store lost its counts. Grants are void. */
export function redeclareOwn(window: AllocatedWindow, now: number): void {
  for (const grant of window.grants) grant.stage = 'lost'
  window.grants = []
  window.returns = []
  window.epoch++
  window.undeclared = []
  // The amount in an empty store tells nothing about other nodes.
  window.used = window.limit
  window.repliedAt = Number.NEGATIVE_INFINITY
  window.nextAt = now
  if (usedInWindow(window.own, now) === 0) return
  for (let bucket = window.own.oldest; bucket; bucket = bucket.next)
    if (bucket.amount > 0)
      window.undeclared.push({ slot: bucket.slot, at: (bucket.slot + 1) * SHARED_SLOT_MS - 1, amount: bucket.amount })
  if (window.undeclared.length > 0) markChanged(window.target, now, true)
}

/** Corrects spent units to the used amount. */
export function correct(window: AllocatedWindow, spent: SpentUnits, change: number, now: number): void {
  if (change < 0) giveBack(window, spent, -change, now)
  else if (change > 0) takeMore(window, change, now)
}

function giveBack(window: AllocatedWindow, spent: SpentUnits, amount: number, now: number): void {
  const { bucket, pieces, undeclaredSlot } = spent
  closeExpired(window, now)
  usedInWindow(window.own, now)
  uncountInWindow(window.own, bucket, amount)
  if (undeclaredSlot !== undefined) {
    const known = window.undeclared.findLast(({ slot }) => slot === undeclaredSlot)
    if (known) known.amount = Math.max(0, known.amount - amount)
    return
  }
  let missing = amount
  for (const piece of pieces.toReversed()) {
    const part = Math.min(piece.amount, missing)
    missing -= part
    if (part > 0) returnTo(window, piece.grant, part, now)
  }
}

function returnTo(window: AllocatedWindow, grant: Grant, amount: number, now: number): void {
  if (grant.stage === 'lost' || grant.epoch !== window.epoch) return
  grant.used -= amount
  if (grant.stage === 'open') {
    grant.left += amount
    return
  }
  grant.back += amount
  queueReturn(window, grant, now)
}

function takeMore(window: AllocatedWindow, amount: number, now: number): void {
  const granted = Math.min(amount, usableIn(window, now))
  if (granted > 0) spend(window, granted, now)
  if (amount > granted) spendUndeclared(window, amount - granted, now)
}

/** Changes of a window for an exchange. They are gone from the window, as if the store had answered. */
export function takeChanges(window: AllocatedWindow, offset: number) {
  const changes: SlotChange[] = []
  const { returns, undeclared } = window
  window.returns = []
  window.undeclared = []
  const grants = returns.filter((grant) => grant.stage !== 'lost' && grant.epoch === window.epoch)
  for (const grant of returns) grant.isQueued = false
  for (const grant of grants) {
    if (grant.stage === 'closed') {
      grant.counted = slotOfUse(grant)
      grant.stage = 'counted'
      const moved = grant.counted < grant.slot ? grant.used : 0
      addChange(changes, grant.slot, -(grant.left + grant.back + moved))
      addChange(changes, grant.counted, moved)
    } else addChange(changes, grant.counted, -grant.back)
    grant.left = 0
    grant.back = 0
  }
  for (const { at, amount } of undeclared) addChange(changes, slotAt(at + offset), amount)
  return { changes: changes.filter(({ amount }) => amount !== 0), grants, undeclared }
}

function addChange(changes: { slot: number; amount: number }[], slot: number, amount: number): void {
  const known = changes.find((change) => change.slot === slot)
  if (known) known.amount += amount
  else changes.push({ slot, amount })
}

/** Amounts to request: for the waiting requests, and ahead for the demand of a second. 0 = nothing. */
export function amountsFor(window: AllocatedWindow, nodes: number, now: number): { least: number; want: number } {
  const { need, leastNeed, limit, target } = window
  if (!target.isNeeded) return { least: 0, want: 0 }
  const usable = leftIn(window, now + EXCHANGE_MS)
  const missing = need - usable
  const pace = paceOf(window, now)
  const ahead = Math.min(amountAhead(window, nodes, now), Math.max(0, missing) + 2 * pace)
  if (missing <= 0) {
    // The exchange takes place anyway: what will be missing soon is requested, too.
    const more = -missing < pace ? ahead + missing : 0
    return more >= 1 ? { least: 1, want: more } : { least: 0, want: 0 }
  }
  const least = leastNeed > usable ? leastNeed - usable : Math.min(leastNeed, missing)
  return { least, want: Math.min(limit, Math.max(least, missing, ahead)) }
}

/** Demand of a second. */
function paceOf({ pace, paceBefore, paceAt }: AllocatedWindow, now: number): number {
  return now - paceAt < 2_000 ? Math.max(pace, paceBefore) : 0
}

/** Maximum amount to request ahead: this node's part of what is probably free. */
function amountAhead({ limit, used, repliedAt, target }: AllocatedWindow, nodes: number, now: number): number {
  const free = Math.min(limit, limit - used + (limit * (now - repliedAt)) / MINUTE)
  // If exchanges are scarce, each takes more.
  return Math.max(0, Math.floor(free / (target.budget < 3 ? nodes : 2 * nodes)))
}

/** Applies the reply of the store to a window. */
export function applyReply(window: AllocatedWindow, least: number, reply: WindowReply, times: ExchangeTimes): void {
  const { granted, slot, used, freeInMs } = reply
  const { now, nodes } = times
  window.used = used
  window.repliedAt = now
  if (granted > 0) window.grants.push(grantOf(window, slot, granted, times))
  if (least === 0) return
  window.freeAt = granted > 0 ? 0 : now + freeInMs
  if (granted > 0 && used < window.limit) window.nextAt = 0
  // Only this node can free units earlier if it is alone.
  else window.nextAt = nodes === 1 ? Math.max(window.freeAt, now + 1) : now + pollMsOf(nodes)
}

/** Queues the return of units from a store without its former counts. */
export function returnGrant(window: AllocatedWindow, { slot, granted }: WindowReply, times: ExchangeTimes): void {
  queueReturn(window, { ...grantOf(window, slot, granted, times), stage: 'closed' }, times.now)
}

function grantOf({ epoch }: AllocatedWindow, slot: number, left: number, times: ExchangeTimes): Grant {
  return {
    epoch,
    slot,
    expiresAt: times.expiresAt,
    offset: times.offset,
    stage: 'open',
    left,
    used: 0,
    back: 0,
    lastUse: times.sentAt,
    counted: slot,
    isQueued: false,
  }
}

/** Milliseconds until an exchange can help a request that needs an amount; 0 = now. */
export function msUntilUseful(window: AllocatedWindow, amount: number, now: number): number {
  const isFree = amount - usableIn(window, now) <= window.limit - window.used
  if (isFree || now >= window.nextAt) return 0
  return Math.ceil(Math.max(window.nextAt, window.freeAt) - now)
}
