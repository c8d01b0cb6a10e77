import type {
  PlacesRequest,
  RateExchange,
  RateExchangeReply,
  SharedRates,
  WindowRequest,
} from '@headgate/gateway/ports'
import {
  type AllocatedLimit,
  type AllocatedPlaces,
  type AllocatedWindow,
  type Grant,
  markChanged,
  msUntilExchange,
  type UndeclaredAmount,
  type WaitingRequest,
  windowsOfLimit,
} from './limits.ts'
import { applyPlacesReply, type PlacesReplyContext, requestPlaces } from './places.ts'
import type { FleetTimers } from './timers.ts'
import { amountsFor, applyReply, type ExchangeTimes, takeChanges } from './windows.ts'

/** Time limit of an exchange whose store has no limit, in milliseconds. */
const DEADLINE_MS = 2_000

/** Reply of the store, or the reason why it did not answer. */
type ExchangeResult = { readonly reply: RateExchangeReply } | { readonly error: string }

interface PlannedWindow {
  readonly window: AllocatedWindow
  readonly least: number
  readonly grants: readonly Grant[]
  readonly undeclared: UndeclaredAmount[]
}

interface PlannedPlaces {
  readonly places: AllocatedPlaces
  readonly request: PlacesRequest
}

/** Exchange with the objects that it concerns. */
export interface ExchangePlan {
  readonly exchange: RateExchange
  readonly windows: readonly PlannedWindow[]
  readonly places: readonly PlannedPlaces[]
}

export interface PlanContext {
  readonly node: string
  readonly allocationMs: number
  readonly nodes: number
  /** Maximum difference of the store's clock from the node's. */
  readonly offset: number
  readonly now: number
}

/** Adds what requests wait for to their limits, and returns the limits. */
export function needsOf(waiting: readonly WaitingRequest[]): ReadonlySet<AllocatedLimit> {
  const targets = new Set<AllocatedLimit>()
  for (const { demands } of waiting)
    for (const { target, window, places, amount } of demands) {
      targets.add(target)
      target.isNeeded = true
      if (places) places.need++
      if (!window || amount === 0) continue
      window.leastNeed = window.need === 0 ? amount : Math.min(window.leastNeed, amount)
      window.need += amount
    }
  return targets
}

/** Composes an exchange about some limits: what requests wait for, and all changes that the store does not know. */
export function planExchange(targets: Iterable<AllocatedLimit>, context: PlanContext): ExchangePlan {
  const { node, allocationMs, now } = context
  const requests: WindowRequest[] = []
  const windows: PlannedWindow[] = []
  const places: PlannedPlaces[] = []
  for (const target of targets) {
    msUntilExchange(target, now)
    for (const window of windowsOfLimit(target)) {
      const planned = planWindow(window, context)
      if (!planned) continue
      requests.push(planned.request)
      windows.push(planned)
    }
    const request = target.places && requestPlaces(target.places, context.nodes, now)
    if (target.places && request) places.push({ places: target.places, request })
    target.budget = Math.max(0, target.budget - 1)
    target.changed.delete(target)
    target.changedAt = undefined
    target.isUrgent = false
    target.isNeeded = false
  }
  return {
    exchange: { node, allocationMs, windows: requests, places: places.map(({ request }) => request) },
    windows,
    places,
  }
}

function planWindow(window: AllocatedWindow, { nodes, offset, now }: PlanContext) {
  const { least, want } = amountsFor(window, nodes, now)
  const { changes, grants, undeclared } = takeChanges(window, offset)
  window.need = 0
  if (least === 0 && changes.length === 0) return undefined
  const request: WindowRequest = { key: window.key, limit: window.limit, least, want, changes }
  return { window, least, grants, undeclared, request }
}

/** Applies the reply of the store. Returns the windows with granted units. */
export function applyAnswer(
  plan: ExchangePlan,
  reply: RateExchangeReply,
  times: ExchangeTimes & PlacesReplyContext,
): AllocatedWindow[] {
  const granted: AllocatedWindow[] = []
  for (const [index, { window, least }] of plan.windows.entries()) {
    const one = reply.windows[index]
    if (!one) continue
    applyReply(window, least, one, times)
    if (one.granted > 0) granted.push(window)
  }
  for (const [index, { places, request }] of plan.places.entries()) {
    const one = reply.places[index]
    if (one) applyPlacesReply(places, request, one, times)
  }
  return granted
}

/**
 * Records that an exchange failed. The store may have applied it: what it returned is lost, and what it declared is
 * declared again.
 */
export function abandonPlan(plan: ExchangePlan, now: number): void {
  for (const { window, grants, undeclared } of plan.windows) {
    for (const grant of grants) grant.stage = 'lost'
    if (undeclared.length === 0) continue
    window.undeclared = [...undeclared, ...window.undeclared]
    markChanged(window.target, now, true)
  }
  for (const { places } of plan.places) markChanged(places.target, now, true)
}

/** Calls the store, and waits for its reply for at most two seconds. */
export function exchangeWithin(
  shared: SharedRates,
  exchange: RateExchange,
  timers: FleetTimers,
): Promise<ExchangeResult> {
  return new Promise((resolve) => {
    const timer = timers.set(() => resolve({ error: 'it did not answer in time' }), DEADLINE_MS)
    const end = (result: ExchangeResult): void => {
      timers.clear(timer)
      resolve(result)
    }
    const call = async (): Promise<RateExchangeReply> => shared.exchange(exchange)
    call().then(
      (reply) => end({ reply }),
      (error: unknown) => end({ error: error instanceof Error ? error.message : String(error) }),
    )
  })
}
