import type { Loss, Price } from '@headgate/core/canonical'
import type { ErrorKind } from '@headgate/core/errors'
import type { Bound } from '../cost/bound.ts'
import type { RowFacts } from '../cost/row.ts'
import type { Spending } from '../cost/spending/spending.ts'
import type { Outcome } from '../routing/attempts.ts'
import type { Subject } from '../routing/health.ts'
import type { Context } from './context.ts'
import type { Core } from './core.ts'
import type { PlansGiven } from './plans.ts'
import type { Asking } from './rates.ts'

/** What a family asks: models of providers, or search backends. */
export interface Targets<C> {
  /** First word of messages about a candidate. */
  readonly title: string
  /** As usage rows and dry runs name a candidate. */
  subjectOf(candidate: C): Subject
  /** What can be unwell, or be asked too often. */
  healthOf(candidate: C): Subject
  priceOf(core: Core, candidate: C, startedAt: number): Price | undefined
  /** @throws HeadgateError `forbidden` for a model that the caller's key may not use. */
  readonly admit?: (context: Context, model: string) => void
  /** @throws HeadgateError for a candidate that cannot be asked now. */
  readonly check?: (core: Core, candidate: C) => void
  /** Whether the caller chose the candidate, so that the order of candidates stays. */
  readonly isPinned?: (core: Core, context: Context) => boolean
}

/** How a candidate is asked. */
export interface Planned<C> {
  readonly candidate: C
  /** A call in this process adds losses while it runs. */
  readonly losses: readonly Loss[]
}

/** How a request ended at one candidate. */
export interface End {
  /** HTTP status that the caller gets. */
  readonly status: number
  readonly why: string
  readonly failure?: ErrorKind
}

/** How a request ended that no candidate served. */
export interface FailedEnd extends End {
  readonly why: 'failed' | 'canceled'
}

/** A request of a family, before it has a place within the rate limits. */
export interface ServedRequest<C, P extends Planned<C>> extends Asking {
  /** Id of the family. */
  readonly family: string
  /** Id of the caller's format. */
  readonly format: string
  readonly targets: Targets<C>
  /** @throws HeadgateError for a request that gets no place. */
  readonly check?: () => void
  /** Reads the request. Called once it has its place. */
  open(): Served<C, P> | Promise<Served<C, P>>
}

/** A request of a family: how its candidates are found, asked and accounted for. */
export interface Served<C, P extends Planned<C>> {
  /** At least one, in the order of preference. */
  readonly candidates: readonly C[] | Promise<readonly C[]>
  /** Pure. @throws HeadgateError for what prevents a candidate from carrying the request. */
  plan(candidate: C): P
  /** What a plan lacks, 0 for nothing; default 1 for one with losses. */
  readonly lack?: (plan: P) => number
  /** Order of all plans, where another than {@link plansInTurn} is needed. */
  readonly order?: (given: PlansGiven<C, P>) => Iterable<P>
  wayOf(plan: P): Way
  /** Paths of the media that would be fetched first; for dry runs. */
  readonly fetches?: (plan: P) => readonly string[] | Promise<readonly string[]>
  /** The most that one call can use; undefined = unknown. */
  bound(plan: P): Bound | undefined
  /** Obtains what a plan needs first, its media; undefined if it needs nothing. */
  readonly ready?: (plan: P) => Promise<P> | undefined
  /** Reserves what a plan may cost before it is called; without it, `call` reserves for each of its calls. */
  readonly afford?: (plan: P, spending: Spending) => Promise<P>
  /** Calls a candidate, answers, and settles the row of what was served. */
  call(plan: P, spending: Spending | undefined): Promise<Outcome>
  /** Undoes what was begun, before a failure is settled. */
  readonly failed?: () => Promise<void>
  /** Facts of the row of a request that failed; default that nothing is known. */
  readonly facts?: (plan: P, end: FailedEnd) => Partial<RowFacts>
  /** Runs the attempts within something else. */
  readonly around?: (run: () => Promise<void>) => Promise<void>
}

/** Whether the caller's bytes pass, are translated, or are served in this process. */
export type Way = 'bytes' | 'translated' | 'in-process'
