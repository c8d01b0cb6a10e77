import type { PlacesReply, PlacesRequest } from '../../ports/shared-rates.ts'

/** Numbers of {@link exchangePlaces}, for stores that implement it in another language. Times are in milliseconds. */
export const PLACES_RULE = {
  /** Time for which the demand of a node counts without an exchange. */
  demandKeptMs: 5_000,
  /** Maximum time between two exchanges that counts, and maximum of a lag. */
  mostElapsedMs: 10_000,
  mostLagMs: 60_000,
  /** Time in which each node has a turn, and minimum time between two turns. */
  roundMs: 20_000,
  leastStepMs: 1_000,
  /** Places of each node from which on nodes do not take turns with the rest: the difference is below a quarter. */
  stableLevel: 4,
  /** Turn of nodes that do not take turns. */
  neverMs: 1_000_000_000,
} as const

/** Places of one node. */
export interface NodeShare {
  readonly held: number
  readonly demand: number
  /** Time that the node was below its fair part, in milliseconds of a place; negative = above. */
  readonly lag: number
  /** Time of its last exchange by the clock of the store. */
  readonly at: number
}

/** Places of a limit by node. */
export type NodePlaces = Map<string, NodeShare>

/** Result of an exchange of places. */
export interface PlacesExchange {
  readonly reply: PlacesReply
  /** Other nodes to which places became free. */
  readonly woken: readonly string[]
}

/** Division of the places among demands that exceed them. */
interface Division {
  /** Places that each node gets if it can use them. */
  readonly level: number
  /** Nodes that can use more, and places that are left for them; fewer than nodes. */
  readonly competitors: number
  readonly rest: number
}

interface PlacesClaim extends NodeShare {
  readonly node: string
}

/** Node that competes for the rest, with its claim in milliseconds of a place. */
interface Competitor {
  readonly node: string
  readonly score: number
}

/**
 * Applies the request of a node to the places of a limit, in place. If the demands of all nodes exceed the limit, each
 * node gets an equal part, or its demand if that is less. Nodes take turns with the rest: first the node that was below
 * its fair part for the longest time.
 * @param isSeen whether a node had an exchange in the last 10 seconds. Places of other nodes are free
 * @example
 * ```ts
 * const places: NodePlaces = new Map()
 * const request = { key: 'key\nalice\nconcurrent', limit: 4, held: 0, demand: 2, want: 2 }
 * exchangePlaces(places, request, { node: 'node-1', now: Date.now(), isSeen: () => true })
 * ```
 */
export function exchangePlaces(
  places: NodePlaces,
  { limit, held, demand, want }: PlacesRequest,
  { node, now, isSeen }: { node: string; now: number; isSeen(node: string): boolean },
): PlacesExchange {
  for (const other of [...places.keys()]) if (other !== node && !isSeen(other)) places.delete(other)
  const before = places.get(node)
  const claims: PlacesClaim[] = [{ held, demand, lag: before?.lag ?? 0, at: before?.at ?? now, node }]
  let others = 0
  for (const [other, share] of places) {
    if (other === node) continue
    others += share.held
    const isFresh = now - share.at <= PLACES_RULE.demandKeptMs
    claims.push({
      held: share.held,
      demand: isFresh ? share.demand : share.held,
      lag: share.lag,
      at: share.at,
      node: other,
    })
  }
  const division = divide(claims, limit)
  const lagOf = (claim: PlacesClaim, past: number): number => lagAt(claim, past, division, now)
  const lag = lagOf(claims[0] as PlacesClaim, before?.held ?? held)
  const rankAll = (own: PlacesClaim): readonly Competitor[] => {
    claims[0] = own
    return division ? rank(claims, division, (claim) => (claim === own ? lag : lagOf(claim, claim.held))) : []
  }
  const first = rankAll(claims[0] as PlacesClaim)
  const part = partIn(claims[0] as PlacesClaim, limit, division, first)
  const granted = Math.max(0, Math.min(want, limit - others - held, part - held))
  if (held + granted + demand > 0) places.set(node, { held: held + granted, demand, lag, at: now })
  else places.delete(node)
  // The turn of a node begins with the grant.
  const ranking = granted > 0 ? rankAll({ held: held + granted, demand, lag, at: now, node }) : first
  const partOf = (claim: PlacesClaim): number => partIn(claim, limit, division, ranking)
  const isLess = before !== undefined && (before.held > held + granted || before.demand > demand)
  const free = isLess ? limit - others - held - granted : 0
  return {
    reply: { granted, others, part, ...nextOf(node, part, division, ranking) },
    woken: wokenBy(claims.slice(1), partOf, free),
  }
}

/** Undefined if the places are enough for all demands. */
function divide(claims: readonly PlacesClaim[], limit: number): Division | undefined {
  const demands = claims.map(({ demand }) => demand).sort((one, other) => one - other)
  let left = limit
  for (const [index, demand] of demands.entries()) {
    const competitors = demands.length - index
    const level = Math.floor(left / competitors)
    if (demand > level) return { level, competitors, rest: left - level * competitors }
    left -= demand
  }
  return undefined
}

/** Lag of a node that held `held` places since its last exchange. Nodes that get their demand have none. */
function lagAt({ demand, lag, at }: PlacesClaim, held: number, division: Division | undefined, now: number): number {
  if (!division || demand <= division.level) return 0
  const fair = division.level + division.rest / division.competitors
  const elapsed = Math.max(0, Math.min(PLACES_RULE.mostElapsedMs, now - at))
  return Math.max(-PLACES_RULE.mostLagMs, Math.min(PLACES_RULE.mostLagMs, lag + Math.floor((fair - held) * elapsed)))
}

/** Competitors in the order in which they get the rest. A node with a place of it keeps it for its turn. */
function rank(
  claims: readonly PlacesClaim[],
  division: Division,
  lagOf: (claim: PlacesClaim) => number,
): readonly Competitor[] {
  const { level, competitors, rest } = division
  const step = Math.max(PLACES_RULE.leastStepMs, Math.floor(PLACES_RULE.roundMs / competitors))
  const turn =
    level < PLACES_RULE.stableLevel
      ? Math.floor((step * rest * (competitors - rest)) / competitors)
      : PLACES_RULE.neverMs
  return claims
    .filter(({ demand }) => demand > level)
    .map((claim) => ({ node: claim.node, score: lagOf(claim) + (claim.held > level ? turn : 0) }))
    .sort((one, other) => other.score - one.score || (one.node < other.node ? -1 : 1))
}

function partIn(
  { node, demand }: PlacesClaim,
  limit: number,
  division: Division | undefined,
  ranking: readonly Competitor[],
): number {
  if (!division) return limit
  if (demand <= division.level) return demand
  const place = ranking.findIndex((one) => one.node === node)
  return place < division.rest ? division.level + 1 : division.level
}

/** Next part: the last node with a place of the rest is followed by the first node without one, and so on. */
function nextOf(node: string, part: number, division: Division | undefined, ranking: readonly Competitor[]) {
  const place = ranking.findIndex((one) => one.node === node)
  const own = ranking[place]
  const rest = division?.rest ?? 0
  const partner = ranking[2 * rest - 1 - place]
  const inMs = own && partner ? Math.abs(own.score - partner.score) : PLACES_RULE.neverMs
  if (inMs > PLACES_RULE.mostLagMs) return { nextPart: part, nextInMs: 0 }
  return { nextPart: place < rest ? part - 1 : part + 1, nextInMs: inMs }
}

/** Nodes that lack places, as many as there are free places. */
function wokenBy(
  others: readonly PlacesClaim[],
  partOf: (claim: PlacesClaim) => number,
  free: number,
): readonly string[] {
  const woken: string[] = []
  let left = free
  for (const claim of others) {
    if (left <= 0) break
    const missing = Math.min(partOf(claim), claim.demand) - claim.held
    if (missing <= 0) continue
    woken.push(claim.node)
    left -= missing
  }
  return woken
}
