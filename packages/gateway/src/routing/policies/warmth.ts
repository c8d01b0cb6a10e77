import { expectedCached, expectedCost } from './expected-cost.ts'
import type { Place } from './place.ts'
import type { TargetStates } from './target-state.ts'
import type { RankInput, RankTarget } from './types.ts'

/** Calls above a target's share that a few conversations can send within seconds, without an overload. */
const SLACK = 8
/**
 * Weight of the load against the cost: a target at its limit must save this part of the cost of a mean request more
 * than a target with its share of the calls. Short conversations are then moved before long ones.
 */
const PENALTY = 0.15
/** Part of the input price that a cached token saves if prices are unknown. */
const USUAL_SAVING = 0.9

/** Shared state that the choice reads. */
interface WarmthState {
  readonly states: TargetStates
  /** Maximum load compared with the mean. */
  readonly mostLoad: number
  readonly meanInput: number
}

/** Expected cost of a request at a target, in nano-dollars or in tokens. */
interface PlaceCost {
  readonly place: Place<RankTarget>
  readonly cold: number
  readonly saved: number
}

const NO_COSTS: readonly PlaceCost[] = []

/**
 * Places the target with the lowest expected cost first if a target is warm, unless its load is too high. The load
 * counts as a cost, so that the target with fewer calls is first among equal ones. Changes the places only.
 */
export function placeByWarmth(
  pool: readonly Place<RankTarget>[],
  input: RankInput,
  { states, mostLoad, meanInput }: WarmthState,
): void {
  const costs = pool.length < 2 ? NO_COSTS : costsOf(pool, input)
  if (costs.length === 0) return
  if (Number.isFinite(mostLoad)) measureLoad(pool, states, states.scale(input.now), mostLoad)
  const length = meanInput / Math.max(1, input.expected.input)
  let best: PlaceCost | undefined
  for (const one of costs) {
    const { place, cold, saved } = one
    place.isFirst = false
    // If the first one fails, the next warm one is tried.
    place.isWarm = saved > 0 && place.over < 1
    place.figure = cold - saved + PENALTY * cold * length * place.over
    if (place.over < 1 && (!best || place.figure < best.place.figure)) best = one
  }
  if (!best) return
  best.place.isFirst = true
  for (const { place, saved } of costs)
    if (saved > 0 && !place.isFirst && (place.over >= 1 || best.saved === 0)) place.remark = 'loaded'
}

/** Costs at all targets; empty if none saves by its cache. They are compared in tokens if a price is unknown. */
function costsOf(pool: readonly Place<RankTarget>[], input: RankInput): readonly PlaceCost[] {
  let isWarm = false
  for (const place of pool) {
    place.cached = expectedCached(place.target, input)
    if (place.cached > 0) isWarm = true
  }
  if (!isWarm) return NO_COSTS
  const costs = pool.map((place): PlaceCost => {
    const { price } = place.target
    const cold = expectedCost(input, price, 0)
    if (place.cached === 0) return { place, cold, saved: 0 }
    place.saved = cold - expectedCost(input, price, place.cached)
    return { place, cold, saved: place.saved }
  })
  const used = costs.every(({ cold }) => Number.isFinite(cold)) ? costs : pool.map((place) => inTokens(place, input))
  return used.some(({ saved }) => saved > 0) ? used : NO_COSTS
}

function inTokens(place: Place<RankTarget>, { expected }: RankInput): PlaceCost {
  return { place, cold: expected.input, saved: USUAL_SAVING * place.cached }
}

/** Sets the load of each place: recent calls and calls in progress, compared with its share of them. */
function measureLoad(pool: readonly Place<RankTarget>[], states: TargetStates, scale: number, mostLoad: number): void {
  let calls = 0
  let weights = 0
  for (const place of pool) {
    place.over = states.get(place.target.key).recent * scale + place.target.inFlight
    calls += place.over
    weights += place.target.weight
  }
  for (const place of pool) {
    const share = (calls * place.target.weight) / weights
    place.over = (place.over - share) / ((mostLoad - 1) * share + SLACK)
  }
}
