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
const PENALTY = 0.25
/** Part of the input price that a cached token saves if prices are unknown. */
const USUAL_SAVING = 0.9

/** Shared state that the choice reads. */
interface WarmthState {
  readonly states: TargetStates
  /** Maximum load compared with the mean. */
  readonly mostLoad: number
  readonly meanInput: number
}

/** Costs of a request at a warm target, in nano-dollars or in tokens. */
interface WarmCost {
  readonly place: Place<RankTarget>
  readonly cold: number
  readonly saved: number
}

/**
 * Places the warm target with the lowest expected cost first, unless its load is too high. Its load counts as a cost,
 * so that the target with fewer calls is first among equally warm ones.
 */
export function placeByWarmth(
  pool: readonly Place<RankTarget>[],
  input: RankInput,
  { states, mostLoad, meanInput }: WarmthState,
): void {
  if (pool.length < 2) return
  const warm = warmCosts(pool, input)
  if (warm.length === 0) return
  if (Number.isFinite(mostLoad)) measureLoad(pool, states, states.scale(input.now), mostLoad)
  const length = meanInput / Math.max(1, input.expected.input)
  const best = bestOf(warm, length)
  if (best && isWorthIt(best, pool, length)) {
    for (const place of pool) place.isFirst = place === best.place
    for (const { place } of warm) if (place.over >= 1) place.remark = 'loaded'
    return
  }
  for (const { place } of warm) {
    place.isFirst = false
    place.isWarm = false
    if (place.remark === 'none') place.remark = 'loaded'
  }
}

/** Costs at all warm targets. They are compared in tokens if the price of one is unknown. */
function warmCosts(pool: readonly Place<RankTarget>[], input: RankInput): readonly WarmCost[] {
  let costs: WarmCost[] | undefined
  let isPriced = true
  for (const place of pool) {
    if (!place.target.warm) continue
    place.cached = expectedCached(place.target, input)
    if (place.cached === 0) continue
    const cold = expectedCost(input, place.target.price, 0)
    place.saved = cold - expectedCost(input, place.target.price, place.cached)
    isPriced &&= Number.isFinite(cold)
    costs ??= []
    costs.push({ place, cold, saved: place.saved })
  }
  if (!costs) return []
  const { input: tokens } = input.expected
  const used = isPriced
    ? costs
    : costs.map(({ place }) => ({ place, cold: tokens, saved: USUAL_SAVING * place.cached }))
  return used.filter(({ saved }) => saved > 0)
}

/** `length` is the length of a mean request compared with this one. */
function bestOf(warm: readonly WarmCost[], length: number): WarmCost | undefined {
  let best: WarmCost | undefined
  let lowest = Number.POSITIVE_INFINITY
  for (const one of warm) {
    const { place, cold, saved } = one
    if (place.over >= 1) continue
    const score = cold - saved + penaltyOf(cold, length, place.over)
    // If the first one fails, the next warm one is tried.
    place.isWarm = true
    place.figure = score
    if (score >= lowest) continue
    best = one
    lowest = score
  }
  return best
}

function penaltyOf(cold: number, length: number, over: number): number {
  return PENALTY * cold * length * over
}

/** True if the saving is higher than the advantage of the cold target with the lowest load. */
function isWorthIt({ place, cold, saved }: WarmCost, pool: readonly Place<RankTarget>[], length: number): boolean {
  let lowest = place.over
  for (const { cached, over } of pool) if (cached === 0 && over < lowest) lowest = over
  return saved > penaltyOf(cold, length, place.over - lowest)
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
