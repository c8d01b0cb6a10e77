import type { Price, Usage } from '@headgate/core/canonical'
import { now } from '../clock.ts'
import { type ConsideredEndpoint, POLICIES, type RoutingDecision, type RoutingPolicy } from '../ports/routing.ts'
import type { Prefix } from '../routing/affinity/index.ts'
import type { AttemptOutcome } from '../routing/attempts.ts'
import type { SpanPlace } from '../routing/call-queue.ts'
import { type Candidate, subjectOf } from '../routing/candidates.ts'
import { type Cooldown, type HealthTarget, keyOf, WHOLE_LOAD } from '../routing/health.ts'
import {
  type RankedTarget,
  type RankInput,
  type RankTarget,
  sizeClassOf,
  type TargetCondition,
} from '../routing/policies/rank.ts'
import type { Context } from './context.ts'
import type { Core } from './core.ts'
import type { RankedCandidates, RankingRequest } from './served.ts'

/** Maximum number of endpoints in a usage row. */
const MOST_CONSIDERED = 16
/** Length of requests without an estimate. */
const UNKNOWN_USAGE: Usage = { input: 0, output: 0 }

/** Candidate with what a policy compares. */
interface CandidateTarget extends RankTarget {
  readonly candidate: Candidate
  readonly cooldown: Cooldown | undefined
}

/** Choice of a request, for the calls that follow. */
interface CandidateRanking extends RankedCandidates<Candidate> {
  readonly policy: RoutingPolicy
  /** Expected tokens, if anything limits them. */
  readonly tokens: number
  /** Inputs of each stage; empty for a single candidate. */
  readonly inputs: readonly RankInput<CandidateTarget>[]
}

const NO_INPUTS: readonly RankInput<CandidateTarget>[] = []
const NONE_CONSIDERED: readonly ConsideredEndpoint[] = []

/** Decisions of requests with a single candidate. */
const SINGLE = Object.fromEntries(
  POLICIES.map((policy): [string, RoutingDecision] => [policy, { policy, considered: NONE_CONSIDERED }]),
) as Readonly<Record<RoutingPolicy, RoutingDecision>>

function conditionOf(
  core: Core,
  candidate: Candidate,
  { cooldown, target, inFlight, admits }: TargetFacts,
  tokens: number,
  moment: number,
): TargetCondition {
  // Account failures and used-up quotas end by time alone.
  if (cooldown) return cooldown.isFinal || cooldown.kind === 'our-credential' ? 'full' : 'ejected'
  if (inFlight >= admits || core.load.msUntilFree(candidate, target, tokens, moment) > 0) return 'full'
  return core.upstreamLimits.shortUntil(keyOf(target), tokens, moment) === undefined ? 'well' : 'low'
}

/** State of a target. */
interface TargetFacts {
  readonly target: HealthTarget
  readonly cooldown: Cooldown | undefined
  readonly inFlight: number
  readonly admits: number
}

function targetOf(
  core: Core,
  candidate: Candidate,
  price: Price | undefined,
  tokens: number,
  moment: number,
): CandidateTarget {
  const target = subjectOf(candidate)
  const cooldown = core.health.cooldownOf(target, moment)
  const inFlight = core.load.inFlight(target)
  const admits = core.health.admits(target, moment)
  return {
    candidate,
    cooldown,
    key: keyOf(target),
    tier: candidate.tier,
    // The load of an endpoint that recovers returns in steps.
    weight: admits < WHOLE_LOAD ? (candidate.weight * admits) / WHOLE_LOAD : candidate.weight,
    price,
    inFlight,
    limit: Number.POSITIVE_INFINITY,
    state: conditionOf(core, candidate, { target, cooldown, inFlight, admits }, tokens, moment),
    until: cooldown?.until,
    warm: undefined,
  }
}

/** Adds the expected contents of prompt caches. */
function withWarmth(
  core: Core,
  prefix: Prefix,
  targets: readonly CandidateTarget[],
  moment: number,
): CandidateTarget[] {
  const keys = targets.map(({ key }) => key)
  const warmth = core.choice.affinity.lookup(prefix, keys, moment)
  return targets.map((target, place) => (warmth[place] ? { ...target, warm: warmth[place] } : target))
}

function cooldownText({ kind, until }: Cooldown, moment: number): string {
  return `in cooldown for ${Math.ceil((until - moment) / 1000)} s after a failure of kind ${kind}`
}

/** Targets by stage, in the order of the stages. */
function byStage(targets: readonly CandidateTarget[]): readonly (readonly CandidateTarget[])[] {
  const stage = targets[0]?.candidate.stage
  if (targets.every(({ candidate }) => candidate.stage === stage)) return [targets]
  const stages = new Map<number, CandidateTarget[]>()
  for (const target of targets) {
    const group = stages.get(target.candidate.stage)
    if (group) group.push(target)
    else stages.set(target.candidate.stage, [target])
  }
  return [...stages].sort(([a], [b]) => a - b).map(([, group]) => group)
}

function prefixFor(core: Core, context: Context, ranking: RankingRequest<Candidate>): Prefix | undefined {
  if (core.routing.affinity === false || !ranking.prefix) return undefined
  const prefix = ranking.prefix(() => core.choice.tenantKey(context.principal))
  return prefix && prefix.hashes.length > 0 ? prefix : undefined
}

function tokensOf({ input, output }: Usage): number {
  return input + output
}

/** A request with a single candidate needs no choice. */
function single(
  core: Core,
  context: Context,
  candidate: Candidate,
  policy: RoutingPolicy,
  estimate: RankingRequest<Candidate>['estimate'],
): CandidateRanking {
  context.decision = SINGLE[policy]
  const moment = now()
  const cooldown = core.health.cooldownOf(subjectOf(candidate), moment)
  return {
    candidates: [candidate],
    isWell: () => cooldown === undefined,
    whyOf: () => (cooldown ? cooldownText(cooldown, moment) : 'the only endpoint'),
    policy,
    prefix: undefined,
    tokens: candidate.endpoint.limits?.tokensPerMinute === undefined ? 0 : tokensOf(estimate?.() ?? UNKNOWN_USAGE),
    inputs: NO_INPUTS,
  }
}

/** Orders the candidates of a request by its policy. */
function ranked(
  core: Core,
  context: Context,
  ranking: RankingRequest<Candidate>,
  policy: RoutingPolicy,
): CandidateRanking {
  const { candidates, estimate } = ranking
  const [only] = candidates
  if (only && candidates.length === 1) return single(core, context, only, policy, estimate)
  const moment = now()
  const expected: Usage = estimate?.() ?? UNKNOWN_USAGE
  const tokens = tokensOf(expected)
  const prefix = prefixFor(core, context, ranking)
  const writesCache = prefix && ranking.writesCache?.()
  const needsPrice = prefix !== undefined || policy === 'cheapest'
  const cold = candidates.map((candidate) => {
    const price = needsPrice ? core.priceOf(candidate, context.startedAt) : undefined
    return targetOf(core, candidate, price, tokens, moment)
  })
  const targets = prefix ? withWarmth(core, prefix, cold, moment) : cold
  const inputs = byStage(targets).map((group) => ({
    policy,
    targets: group,
    expected,
    writesCache,
    now: moment,
  }))
  const [first] = inputs
  const { ranking: ranks } = core.choice
  const order = first && inputs.length === 1 ? ranks.rank(first) : inputs.flatMap((input) => ranks.rank(input))
  const placeOf = (candidate: Candidate) => order.find(({ target }) => target.candidate === candidate)
  const whyOf = (candidate: Candidate): string => {
    const place = placeOf(candidate)
    return place ? reasonOf(place, moment) : ''
  }
  const isWell = (candidate: Candidate): boolean => {
    const state = placeOf(candidate)?.target.state
    return state === 'well' || state === 'low'
  }
  const isBestOnly = context.routing?.fallbacks === false && context.routing.order.length === 0
  const all = order.map(({ target }) => target.candidate)
  context.decision = { policy, considered: order.slice(0, MOST_CONSIDERED).map((place) => consideredOf(place, moment)) }
  return { candidates: isBestOnly ? all.slice(0, 1) : all, isWell, whyOf, policy, prefix, tokens, inputs }
}

function reasonOf(place: RankedTarget<CandidateTarget>, moment: number): string {
  const { cooldown } = place.target
  // The place writes its reason when it is read.
  return cooldown ? cooldownText(cooldown, moment) : place.why
}

function consideredOf(place: RankedTarget<CandidateTarget>, moment: number): ConsideredEndpoint {
  const { instance, endpoint, model } = place.target.candidate
  return { provider: instance.name, endpoint: endpoint.name || undefined, model, why: reasonOf(place, moment) }
}

/**
 * Chooses the order of the candidates: by the request's policy, and by what is known of their prompt caches, health,
 * limits and calls in progress.
 */
export function rankCandidates(
  core: Core,
  context: Context,
  ranking: RankingRequest<Candidate>,
): RankedCandidates<Candidate> {
  return ranked(core, context, ranking, context.routing?.policy ?? core.routing.policy ?? 'priority')
}

/**
 * Counts a call of a candidate. The returned function ends it, and records what can be learned from its outcome.
 * Undefined if the endpoint is full.
 */
export function beginCall(
  core: Core,
  context: Context,
  candidate: Candidate,
  choice: RankedCandidates<Candidate>,
): ((outcome: AttemptOutcome) => void) | undefined {
  const target = subjectOf(candidate)
  const begun = now()
  const { inputs = NO_INPUTS, tokens = 0 } = choice as Partial<CandidateRanking>
  const input = inputs.find(({ targets }) => targets.some((one) => one.candidate === candidate))
  const leave = placeWaitedFor(context, candidate) ?? freePlace(core, candidate, target, tokens)
  if (!leave) return undefined
  if (input) core.choice.ranking.picked(input, keyOf(target))
  return (outcome) => {
    leave(outcome, now())
    if (outcome === 'served' && input) learn(core, context, candidate, { choice, input, begun })
  }
}

/** The place for which the request waited; undefined = it did not wait for this candidate. */
function placeWaitedFor(context: Context, candidate: Candidate): SpanPlace['leave'] | undefined {
  const { callPlace } = context
  if (callPlace?.candidate !== candidate) return undefined
  context.callPlace = undefined
  return callPlace.leave
}

/** A place at an endpoint for which no request waits; undefined = the endpoint is full. */
function freePlace(
  { load }: Core,
  candidate: Candidate,
  target: HealthTarget,
  tokens: number,
): SpanPlace['leave'] | undefined {
  const moment = now()
  if (load.msUntilFree(candidate, target, tokens, moment) > 0 || load.queue.isWaiting(target)) return undefined
  return load.enter(candidate, target, tokens, moment)
}

/** Remembers how fast a response began, and what its prompt cache contains now. */
function learn(
  core: Core,
  { firstByteAt, row }: Context,
  candidate: Candidate,
  { choice, input, begun }: { choice: RankedCandidates<Candidate>; input: RankInput; begun: number },
): void {
  const key = keyOf(subjectOf(candidate))
  // Whole responses arrive when they are complete, so only streams show the time to the first token.
  if (firstByteAt !== undefined && row?.stream)
    core.choice.ranking.measured(key, sizeClassOf(input.expected.input), firstByteAt - begun, now())
  const { input: tokens, cacheRead, cacheWrite, cacheWriteLong = 0 } = row?.usage ?? {}
  if (!choice.prefix || tokens === undefined) return
  const use = { input: tokens, cacheRead, cacheWrite, isLong: cacheWriteLong > 0 }
  core.choice.affinity.record(choice.prefix, key, use, candidate.endpoint.provider.promptCache, begun)
}
