import type { Loss, Price } from '@headgate/core/canonical'
import { asError, type ErrorKind } from '@headgate/core/errors'
import { now } from '../clock.ts'
import { headerOf } from '../edge/sink.ts'
import type { Outcome } from '../routing/attempts.ts'
import { type Candidate, pinned } from '../routing/candidates.ts'
import type { Subject } from '../routing/health.ts'
import type { Bound } from './bound.ts'
import type { Context } from './context.ts'
import type { Core } from './core.ts'
import { askWithinDeadline } from './deadline.ts'
import { answerDryRun, type Way } from './dry-run.ts'
import { checkStrict } from './losses.ts'
import { type PlansGiven, plansInTurn } from './plans.ts'
import { type Asking, takePlace } from './rates.ts'
import { checkModel } from './route.ts'
import { type RowFacts, settleRow } from './row.ts'
import { type Spending, spendingOf } from './spending/spending.ts'
import { checkWaiting } from './waiting.ts'

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

/** A provider and a model as health knows them. */
export function subjectOf({ instance, model }: Candidate): Subject {
  return { provider: instance.name, model }
}

/** Models of providers. */
export const PROVIDERS: Targets<Candidate> = {
  title: 'Provider',
  subjectOf,
  healthOf: subjectOf,
  priceOf: (core, candidate, startedAt) => core.priceOf(candidate, startedAt),
  admit: checkModel,
  check: checkWaiting,
  isPinned: (core, { incoming }) => pinned(core.instances, headerOf(incoming, 'vendor')) !== undefined,
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
  readonly why: 'failed' | 'cancelled'
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

function plansOf<C, P extends Planned<C>>(
  core: Core,
  context: Context,
  targets: Targets<C>,
  served: Served<C, P>,
  candidates: readonly C[],
): PlansGiven<C, P> {
  const moment = now()
  return {
    candidates,
    isWell: (candidate) => core.health.isWell(targets.healthOf(candidate), moment),
    planOf(candidate) {
      targets.check?.(core, candidate)
      const plan = served.plan(candidate)
      checkPlan(context, targets, plan)
      return plan
    },
    ...(!targets.isPinned?.(core, context) && {
      lacks: served.lack ?? (({ losses }: P) => Number(losses.length > 0)),
    }),
  }
}

/** @throws HeadgateError for losses that the caller forbids. */
export function checkPlan<C>(context: Context, targets: Targets<C>, { candidate, losses }: Planned<C>): void {
  if (losses.length > 0) checkStrict(context, losses, `${targets.title} ${targets.subjectOf(candidate).provider}`)
}

/**
 * Serves one request of a family: permission, rate limits, candidates in turn, dry run, budgets, deadline, attempts,
 * and the row of a failure. Rejects with HeadgateError for the caller.
 */
export async function serve<C, P extends Planned<C>>(
  core: Core,
  context: Context,
  request: ServedRequest<C, P>,
): Promise<void> {
  const { family, format, model, targets } = request
  targets.admit?.(context, model)
  request.check?.()
  const taking = takePlace(core, context, request)
  if (taking) await taking
  const opened = request.open()
  const served = opened instanceof Promise ? await opened : opened
  const plans = plansOf(core, context, targets, served, await served.candidates)
  if (context.stopped) throw context.stopped
  const spending = spendingOf(core, context, { family, format, model })
  if (context.isDryRun) return answerDryRun(core, context, { request, served, plans, spending })
  const inTurn = served.order?.(plans) ?? plansInTurn(plans)
  const run = (): Promise<void> => attemptPlans(core, context, request, { served, inTurn, spending })
  return served.around ? served.around(run) : run()
}

async function attemptPlans<C, P extends Planned<C>>(
  core: Core,
  context: Context,
  request: ServedRequest<C, P>,
  { served, inTurn, spending }: { served: Served<C, P>; inTurn: Iterable<P>; spending: Spending | undefined },
): Promise<void> {
  const { ready, afford } = served
  const affordable = spending && afford && ((plan: P) => afford(plan, spending))
  let last: P | undefined
  const send = (plan: P): Promise<Outcome> => {
    last = plan
    return served.call(plan, spending)
  }
  const outcome = await askWithinDeadline(core, context, {
    candidates: inTurn,
    subjectOf: ({ candidate }) => request.targets.healthOf(candidate),
    attempt(plan) {
      const pending = ready?.(plan)
      if (affordable) return (pending ? pending.then(affordable) : affordable(plan)).then(send, asError)
      return pending ? pending.then(send, asError) : send(plan)
    },
  })
  if (outcome === 'served') return
  if (served.failed) await served.failed()
  // If media could not be fetched, no provider was asked.
  if (last && context.attempts.length > 0) {
    const end: FailedEnd = context.gone
      ? { status: 499, why: 'cancelled', failure: outcome.kind }
      : { status: outcome.status, why: 'failed', failure: outcome.kind }
    await settlePlan(core, context, request, last, end, served.facts?.(last, end))
  }
  throw outcome
}

/**
 * Settles the row of a request that reached a candidate, once.
 * @returns what the end of the answer waits for; undefined when nothing.
 */
export function settlePlan<C, P extends Planned<C>>(
  core: Core,
  context: Context,
  { family, format, model, targets }: ServedRequest<C, P>,
  { candidate, losses }: P,
  { status, why, failure }: End,
  facts?: Partial<RowFacts>,
): Promise<void> | undefined {
  const { provider, model: providerModel } = targets.subjectOf(candidate)
  const plain: RowFacts = {
    family,
    format,
    model,
    provider,
    providerModel,
    stream: false,
    translated: true,
    status,
    failure,
    losses,
    usage: undefined,
    servedFrom: undefined,
    billing: () => ({ billed: false, why }),
  }
  return settleRow(core, context, facts ? { ...plain, ...facts } : plain)
}
