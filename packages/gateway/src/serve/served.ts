import type { Loss, Price } from '@headgate/core/canonical'
import type { ErrorKind } from '@headgate/core/errors'
import type { UsageBound } from '../cost/bound.ts'
import type { RowFacts } from '../cost/row.ts'
import type { Spending } from '../cost/spending/spending.ts'
import type { RoutingPolicy } from '../ports/routing.ts'
import type { Prefix } from '../routing/affinity/prefix.ts'
import type { AttemptOutcome } from '../routing/attempts.ts'
import type { HealthTarget } from '../routing/health.ts'
import type { Context } from './context.ts'
import type { Core } from './core.ts'
import type { PlansGiven } from './plans.ts'
import type { RateInput } from './rates.ts'
import type { Turns } from './turns.ts'

/** Kind of upstream that a family calls: models of providers, or search backends. */
export interface Targets<C> {
  /** First word of messages about a candidate. */
  readonly title: string
  /** Name of a candidate in usage rows and dry runs. */
  subjectOf(candidate: C): HealthTarget
  /** Unit of health and of retry limits. */
  healthOf(candidate: C): HealthTarget
  priceOf(core: Core, candidate: C, startedAt: number): Price | undefined
  /** @throws HeadgateError `forbidden` for a model that the caller's key does not allow */
  readonly admit?: (context: Context, model: string) => void
  /** @throws HeadgateError for a candidate that cannot be called now */
  readonly check?: (core: Core, candidate: C) => void
  /** True if the caller chose the candidate, so that the order of candidates stays. */
  readonly isPinned?: (core: Core, context: Context) => boolean
  /** Chooses among several endpoints. Absent = the given order, with candidates in cooldown last. */
  readonly rank?: (core: Core, context: Context, ranking: RankingRequest<C>) => RankedCandidates<C>
  /** Stage of a candidate; later stages are tried later. Absent = all have the same stage. */
  readonly stageOf?: (candidate: C) => number
  /** Counts a call. Returns the function that ends it; undefined if the endpoint is full. */
  readonly begin?: (
    core: Core,
    context: Context,
    candidate: C,
    ranked: RankedCandidates<C>,
  ) => ((outcome: AttemptOutcome) => void) | undefined
  /** Waits until one of the candidates has space. Undefined = no longer. */
  readonly waitForSpace?: (
    core: Core,
    context: Context,
    candidates: readonly C[],
    estimate: RateInput['estimate'],
  ) => Promise<C | undefined>
  /** Function that attempts plans with a second call for slow ones; undefined = without. */
  readonly hedge?: <P extends Planned<C>>(
    core: Core,
    context: Context,
    hedging: Hedging<C, P>,
  ) => ((plan: P) => Promise<AttemptOutcome>) | undefined
  /** Kinds of failures after which a candidate is tried; undefined = always. */
  readonly onlyAfter?: (candidate: C) => readonly ErrorKind[] | undefined
}

/** Inputs of a choice among candidates. */
export interface RankingRequest<C> extends Pick<RateInput, 'estimate'> {
  readonly candidates: readonly C[]
  /** Beginning of the conversation, for prompt-cache affinity; undefined = unknown or too short. */
  readonly prefix?: ((tenantKey: () => Buffer) => Prefix | undefined) | undefined
  /** True if the request asks for cache writes, which have a separate price; absent = false. */
  readonly writesCache?: (() => boolean) | undefined
}

/** Candidates in the order of a choice. */
export interface RankedCandidates<C> {
  readonly candidates: readonly C[]
  /** False if the candidate is in cooldown or full. */
  isWell(candidate: C): boolean
  /** Reason for the place of a candidate, as a sentence without a full stop. */
  whyOf(candidate: C): string
  readonly policy: RoutingPolicy | undefined
  readonly prefix: Prefix | undefined
}

/** Inputs of requests with second calls. */
export interface Hedging<C, P extends Planned<C>> {
  readonly ranked: RankedCandidates<C>
  readonly served: Pick<OpenedRequest<C, P>, 'mayHedge' | 'isStream'>
  /** Further plans in their order. */
  readonly turns: Turns<P>
  readonly attempt: (plan: P) => Promise<AttemptOutcome>
}

/** Plan for calling a candidate. */
export interface Planned<C> {
  readonly candidate: C
  /** Losses of the translation. An in-process call adds losses while it runs. */
  readonly losses: readonly Loss[]
}

/** End of a request at one candidate. */
export interface RequestEnd {
  /** HTTP status of the response to the caller. */
  readonly status: number
  readonly why: string
  readonly failure?: ErrorKind
}

/** End of a request that no candidate served. */
export interface FailedEnd extends RequestEnd {
  readonly why: 'failed' | 'canceled'
}

/** Request of a family, before it has a slot within the rate limits. */
export interface ServedRequest<C, P extends Planned<C>> extends RateInput {
  /** Id of the family. */
  readonly family: string
  /** Id of the caller's format. */
  readonly format: string
  readonly targets: Targets<C>
  /** @throws HeadgateError for a request that must not take a slot */
  readonly check?: () => void
  /** Reads the request. Called once it has its slot. */
  open(): OpenedRequest<C, P> | Promise<OpenedRequest<C, P>>
}

/** Request of a family, with functions that find, call and account for its candidates. */
export interface OpenedRequest<C, P extends Planned<C>> {
  /** Candidates in order of preference, at least one. */
  readonly candidates: readonly C[] | Promise<readonly C[]>
  /**
   * Plans a candidate, without side effects.
   * @throws HeadgateError if the candidate cannot serve the request
   */
  plan(candidate: C): P
  /** See {@link RankingRequest}. */
  readonly prefix?: RankingRequest<C>['prefix']
  /** See {@link RankingRequest}. */
  readonly writesCache?: RankingRequest<C>['writesCache']
  /** Number of features that a plan lacks; default: 1 for a plan with losses, otherwise 0. */
  readonly lack?: (plan: P) => number
  /** Order of all plans, if it differs from {@link plansInTurn}. */
  readonly order?: (given: PlansGiven<C, P>) => Iterable<P>
  wayOf(plan: P): ServingMode
  /** Paths of media that would be fetched first, for dry runs. */
  readonly fetches?: (plan: P) => readonly string[] | Promise<readonly string[]>
  /** Maximum usage of one call; undefined = unknown. */
  bound(plan: P): UsageBound | undefined
  /** Fetches the media that a plan needs; undefined = nothing. */
  readonly ready?: (plan: P) => Promise<P> | undefined
  /** Reserves the worst-case cost of a plan before its call. If absent, `call` reserves for each of its calls. */
  readonly reserve?: (plan: P, spending: Spending) => Promise<P>
  /** True if a second call of a plan has no effects besides its cost; absent = false. */
  readonly mayHedge?: (plan: P) => boolean
  /** True if the response is a stream. */
  readonly isStream?: boolean
  /** Calls a candidate, sends the response, and settles its row. */
  call(plan: P, spending: Spending | undefined): Promise<AttemptOutcome>
  /** Cleans up before a failure is settled. */
  readonly failed?: () => Promise<void>
  /** Facts for the row of a failed request; default: unknown. */
  readonly facts?: (plan: P, end: FailedEnd) => Partial<RowFacts>
  /** Wraps the attempts. */
  readonly around?: (run: () => Promise<void>) => Promise<void>
}

/** Translation of a request: bypass, translated, or served in this process. */
export type ServingMode = 'bytes' | 'translated' | 'in-process'
