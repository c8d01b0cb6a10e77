import type { RoutingPolicy } from '../../ports/routing.ts'
import { expectedCached, expectedCost } from './expected-cost.ts'
import { addMeasured, sizeClassOf, withCalls } from './latency.ts'
import { EJECTED, FULL, LOW, Place, WELL } from './place.ts'
import { createTargetStates, type TargetStates } from './target-state.ts'
import type { RankedTarget, RankInput, RankTarget } from './types.ts'
import { placeByWarmth } from './warmth.ts'

export { sizeClassOf } from './latency.ts'
export type { RankedTarget, RankInput, RankTarget, TargetCondition } from './types.ts'

/** Maximum load of a target compared with the mean, before warm prompts are sent to others. */
const MOST_LOAD = 1.25
/** Share of the calls that measure a target again, and the time without calls after which it is measured. */
const EXPLORED = 0.02
const UNSEEN_MS = 60_000
/** Maximum credit of smooth weighted round-robin, as a multiple of the sum of weights. */
const MOST_CREDIT = 2
/** Part of the newest request in the mean length of requests. */
const NEWEST = 1 / 64

/** Options of {@link createRanking}. */
export interface RankingOptions {
  /** Random numbers from 0 up to 1. Default: `Math.random`. */
  readonly random?: (() => number) | undefined
  /** Maximum load of a target compared with the mean of its group; default 1.25. Infinity = unlimited. */
  readonly mostLoad?: number | undefined
}

/** Order of targets by policy. In memory only. */
export interface Ranking {
  /** Targets in the order in which they should be tried. Changes nothing. */
  rank<T extends RankTarget>(input: RankInput<T>): readonly RankedTarget<T>[]
  /** Counts a call of a target. `input` is what was ranked. */
  picked(input: RankInput, key: string): void
  /** Adds a time to the first token. `size` is the result of {@link sizeClassOf}. */
  measured(key: string, size: number, ms: number, now: number): void
}

/** State that all requests share. */
interface RankState {
  readonly states: TargetStates
  readonly random: () => number
  readonly mostLoad: number
  /** Mean number of input tokens of requests. */
  meanInput: number
  /** The last ranked request, so that its call does not compare the targets again. */
  last: { readonly input: RankInput; readonly pool: readonly Place<RankTarget>[] } | undefined
}

/**
 * Creates an order of targets by policy. Targets in good condition come first, then targets close to a rate limit, full
 * ones and ejected ones. At most half of the targets count as ejected. Within a condition:
 *
 * - `priority`: by tier, and in turns by weight within a tier
 * - `weighted`: in turns by weight
 * - `cheapest`: by the expected cost of the request, with its expected cached tokens
 * - `fastest`: by the time to the first token; 2 % of the calls measure targets without recent calls
 * - `least-busy`: the one of two random targets with fewer calls in progress, then by calls in progress
 *
 * Except for `cheapest` and `fastest`, the target with the lowest expected cost among warm ones comes first, unless its
 * load is above 1.25 times the mean.
 *
 * @example
 * ```ts
 * const ranking = createRanking()
 * const order = ranking.rank(input)
 * const [first] = order
 * if (first) ranking.picked(input, first.target.key)
 * ```
 */
export function createRanking({ random = Math.random, mostLoad = MOST_LOAD }: RankingOptions = {}): Ranking {
  const state: RankState = { states: createTargetStates(), random, mostLoad, meanInput: 0, last: undefined }
  return {
    rank(input) {
      const places = placesOf(input)
      if (places.length < 2) return alone(places)
      const pool = poolOf(places, input.policy)
      state.last = { input, pool }
      order(places, pool, input, state)
      if (usesWarmth(input.policy)) placeByWarmth(pool, input, state)
      else markCached(places, input)
      return places.sort(comparatorOf(input.policy))
    },
    picked(input, key) {
      const { expected, now, policy } = input
      const mean = state.meanInput
      state.meanInput = mean === 0 ? expected.input : mean + (expected.input - mean) * NEWEST
      state.states.countCall(state.states.change(key), now)
      if (policy === 'fastest' || policy === 'least-busy' || input.targets.length < 2) return
      const pool = state.last?.input === input ? state.last.pool : poolOf(placesOf(input), policy)
      giveCredit(pool, key, state.states)
    },
    measured(key, size, ms, now) {
      addMeasured(state.states.change(key), size, ms, now)
    },
  }
}

/** True if warm targets come first. The price of `cheapest` includes their warmth. */
function usesWarmth(policy: RoutingPolicy): boolean {
  return policy !== 'cheapest' && policy !== 'fastest'
}

function placesOf<T extends RankTarget>(input: RankInput<T>): Place<T>[] {
  const places: Place<T>[] = []
  let ejected = 0
  for (const target of input.targets) {
    const condition = conditionOf(target)
    if (condition === EJECTED) ejected++
    places.push(new Place(target, input, places.length, condition))
  }
  const surplus = ejected - Math.floor(places.length / 2)
  if (surplus > 0) restore(places, surplus)
  return places
}

/** The order of a single target, or of none. */
function alone<T extends RankTarget>(places: readonly Place<T>[]): readonly Place<T>[] {
  for (const place of places) if (place.remark === 'none') place.remark = 'only'
  return places
}

function conditionOf({ state, inFlight, limit }: RankTarget): number {
  if (state === 'ejected') return EJECTED
  if (state === 'full' || inFlight >= limit) return FULL
  return state === 'low' ? LOW : WELL
}

/** Restores the ejected targets whose cooldown ends first. */
function restore<T extends RankTarget>(places: readonly Place<T>[], surplus: number): void {
  const ejected = places.filter(({ condition }) => condition === EJECTED)
  ejected.sort(({ target: one }, { target: other }) => untilOf(one) - untilOf(other) || 0)
  for (const place of ejected.slice(0, surplus)) {
    place.condition = LOW
    place.remark = 'restored'
  }
}

function untilOf({ until = Number.POSITIVE_INFINITY }: RankTarget): number {
  return until
}

/** Places that compete for the first place. */
function poolOf<T extends RankTarget>(places: readonly Place<T>[], policy: RoutingPolicy): readonly Place<T>[] {
  let best = places[0]
  for (const place of places) if (best && compareGroups(place, best, policy) < 0) best = place
  const pool = places.filter((place) => best && compareGroups(place, best, policy) === 0)
  return pool.length === places.length ? places : pool
}

function compareGroups(one: Place<RankTarget>, other: Place<RankTarget>, policy: RoutingPolicy): number {
  const byCondition = one.condition - other.condition
  return byCondition === 0 && policy === 'priority' ? one.target.tier - other.target.tier : byCondition
}

function comparatorOf(policy: RoutingPolicy) {
  return (one: Place<RankTarget>, other: Place<RankTarget>): number =>
    compareGroups(one, other, policy) ||
    Number(other.isFirst) - Number(one.isFirst) ||
    Number(other.isWarm) - Number(one.isWarm) ||
    Number(one.remark === 'loaded') - Number(other.remark === 'loaded') ||
    compareFigures(one.figure, other.figure) ||
    one.tie - other.tie ||
    one.index - other.index
}

/** Comparison of figures, which can both be infinite. */
function compareFigures(one: number, other: number): number {
  return one === other ? 0 : one - other
}

function order<T extends RankTarget>(
  places: readonly Place<T>[],
  pool: readonly Place<T>[],
  input: RankInput<T>,
  state: RankState,
): void {
  switch (input.policy) {
    case 'cheapest':
      for (const place of places) {
        place.figure = expectedCost(input, place.target.price, expectedCached(place.target, input))
        place.tie = turnOf(place, state.states)
      }
      return
    case 'fastest':
      orderByTime(places, pool, input, state)
      return
    case 'least-busy':
      orderByCalls(places, pool, state.random)
      return
    default:
      for (const place of places) place.figure = turnOf(place, state.states)
  }
}

/** Order in smooth weighted round-robin: lower is earlier. */
function turnOf({ target }: Place<RankTarget>, states: TargetStates): number {
  return -(states.get(target.key).credit + target.weight)
}

/** Ends a turn of smooth weighted round-robin. Credits are limited, so that no target gets many calls in a row. */
function giveCredit(pool: readonly Place<RankTarget>[], key: string, states: TargetStates): void {
  if (!pool.some(({ target }) => target.key === key)) return
  let total = 0
  for (const { target } of pool) total += target.weight
  const most = total * MOST_CREDIT
  for (const { target } of pool) {
    const state = states.change(target.key)
    const credit = state.credit + target.weight - (target.key === key ? total : 0)
    state.credit = Math.max(-most, Math.min(most, credit))
  }
}

function orderByTime<T extends RankTarget>(
  places: readonly Place<T>[],
  pool: readonly Place<T>[],
  { expected, now }: RankInput<T>,
  { states, random }: RankState,
): void {
  const size = sizeClassOf(expected.input)
  let median: number | undefined
  let unseen: Place<T> | undefined
  let unseenSince = now - UNSEEN_MS
  for (const place of places) {
    const state = states.get(place.target.key)
    const ms = state.ms[size]
    if (ms !== undefined) place.figure = withCalls(ms, place.target.inFlight)
    else {
      median ??= medianMs(places, states, size)
      place.figure = withCalls(median, place.target.inFlight)
      place.remark = place.remark === 'restored' ? place.remark : 'unmeasured'
      // Among equal ones the unmeasured one is first, so that each is measured once.
      place.tie = -1
    }
    const seen = Math.max(state.measuredAt, state.pickedAt)
    if (seen <= unseenSince && compareGroups(place, pool[0] ?? place, 'fastest') === 0) {
      unseen = place
      unseenSince = seen
    }
  }
  if (!unseen || random() >= EXPLORED) return
  unseen.isFirst = true
  if (unseen.remark !== 'restored') unseen.remark = 'explored'
}

/** Median of the measured targets, which is the estimate of the others; 1 if none is measured. */
function medianMs(places: readonly Place<RankTarget>[], states: TargetStates, size: number): number {
  const known: number[] = []
  for (const { target } of places) {
    const ms = states.get(target.key).ms[size]
    if (ms !== undefined) known.push(ms)
  }
  known.sort((one, other) => one - other)
  const middle = known.length >> 1
  const upper = known[middle] ?? 1
  return known.length % 2 === 1 ? upper : (upper + (known[middle - 1] ?? upper)) / 2
}

/** Power of two choices. With different weights, a random choice by weight and calls in progress. */
function orderByCalls<T extends RankTarget>(
  places: readonly Place<T>[],
  pool: readonly Place<T>[],
  random: () => number,
): void {
  for (const place of places) place.figure = (place.target.inFlight + 1) / place.target.weight
  const chosen = hasEqualWeights(pool) ? fewerOfTwo(pool, random) : byShare(pool, random())
  if (chosen) chosen.isFirst = true
}

function hasEqualWeights(pool: readonly Place<RankTarget>[]): boolean {
  return pool.every(({ target }) => target.weight === pool[0]?.target.weight)
}

function fewerOfTwo<T extends RankTarget>(pool: readonly Place<T>[], random: () => number): Place<T> | undefined {
  const place = Math.floor(random() * pool.length)
  const one = pool[place]
  if (pool.length < 2) return one
  const other = pool[(place + 1 + Math.floor(random() * (pool.length - 1))) % pool.length]
  return one && other && other.target.inFlight < one.target.inFlight ? other : one
}

function byShare<T extends RankTarget>(pool: readonly Place<T>[], drawn: number): Place<T> | undefined {
  let total = 0
  for (const { figure } of pool) total += 1 / figure
  let rest = drawn * total
  for (const place of pool) {
    rest -= 1 / place.figure
    if (rest < 0) return place
  }
  return pool.at(-1)
}

/** Warm tokens of policies whose order does not use them separately, for the explanation. */
function markCached(places: readonly Place<RankTarget>[], input: RankInput): void {
  if (input.policy === 'fastest') return
  for (const place of places) {
    place.cached = expectedCached(place.target, input)
    if (place.cached > 0) place.saved = expectedCost(input, place.target.price, 0) - place.figure
  }
}
