import { asError } from '@headgate/core/errors'
import { now } from '../clock.ts'
import { type RowFacts, settleRow } from '../cost/row.ts'
import { type Spending, spendingOf } from '../cost/spending/spending.ts'
import { headerOf } from '../edge/sink.ts'
import type { AttemptOutcome } from '../routing/attempts.ts'
import { type Candidate, pinned } from '../routing/candidates.ts'
import type { HealthTarget } from '../routing/health.ts'
import type { Context } from './context.ts'
import type { Core } from './core.ts'
import { attemptWithinDeadline } from './deadline.ts'
import { sendDryRun } from './dry-run.ts'
import { checkStrict } from './losses.ts'
import { type PlansGiven, plansInTurn } from './plans.ts'
import { takeSlot } from './rates.ts'
import { checkModel } from './route.ts'
import type { FailedEnd, OpenedRequest, Planned, RequestEnd, ServedRequest, Targets } from './served.ts'
import { checkWaiting } from './waiting.ts'

/** Provider and model of a candidate, as health and rows name them. */
export function subjectOf({ instance, model }: Candidate): HealthTarget {
  return { provider: instance.name, model }
}

/** Targets of families that call models of providers. */
export const PROVIDERS: Targets<Candidate> = {
  title: 'Provider',
  subjectOf,
  healthOf: subjectOf,
  priceOf: (core, candidate, startedAt) => core.priceOf(candidate, startedAt),
  admit: checkModel,
  check: checkWaiting,
  isPinned: (core, { incoming }) => pinned(core.instances, headerOf(incoming, 'vendor')) !== undefined,
}

function plansOf<C, P extends Planned<C>>(
  core: Core,
  context: Context,
  targets: Targets<C>,
  served: OpenedRequest<C, P>,
  candidates: readonly C[],
): PlansGiven<C, P> {
  const moment = now()
  return {
    candidates,
    isWell: (candidate) => core.health.isHealthy(targets.healthOf(candidate), moment),
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

/** @throws HeadgateError for losses that the caller forbids */
export function checkPlan<C>(context: Context, targets: Targets<C>, { candidate, losses }: Planned<C>): void {
  if (losses.length > 0) checkStrict(context, losses, `${targets.title} ${targets.subjectOf(candidate).provider}`)
}

/**
 * Serves one request of a family: permission, rate limits, candidates in turn, dry run, budgets, deadline, attempts,
 * and the row of a failure. Rejects with the HeadgateError that the caller gets.
 */
export async function serve<C, P extends Planned<C>>(
  core: Core,
  context: Context,
  request: ServedRequest<C, P>,
): Promise<void> {
  const { family, format, model, targets } = request
  targets.admit?.(context, model)
  request.check?.()
  const taking = takeSlot(core, context, request)
  if (taking) await taking
  const opened = request.open()
  const served = opened instanceof Promise ? await opened : opened
  const plans = plansOf(core, context, targets, served, await served.candidates)
  if (context.stopped) throw context.stopped
  const spending = spendingOf(core, context, { family, format, model })
  if (context.isDryRun) return sendDryRun(core, context, { request, served, plans, spending })
  const inTurn = served.order?.(plans) ?? plansInTurn(plans)
  const run = (): Promise<void> => attemptPlans(core, context, request, { served, inTurn, spending })
  return served.around ? served.around(run) : run()
}

async function attemptPlans<C, P extends Planned<C>>(
  core: Core,
  context: Context,
  request: ServedRequest<C, P>,
  { served, inTurn, spending }: { served: OpenedRequest<C, P>; inTurn: Iterable<P>; spending: Spending | undefined },
): Promise<void> {
  const { ready, reserve } = served
  const reserved = spending && reserve && ((plan: P) => reserve(plan, spending))
  let last: P | undefined
  const send = (plan: P): Promise<AttemptOutcome> => {
    last = plan
    return served.call(plan, spending)
  }
  const outcome = await attemptWithinDeadline(core, context, {
    candidates: inTurn,
    subjectOf: ({ candidate }) => request.targets.healthOf(candidate),
    attempt(plan) {
      const pending = ready?.(plan)
      if (reserved) return (pending ? pending.then(reserved) : reserved(plan)).then(send, asError)
      return pending ? pending.then(send, asError) : send(plan)
    },
  })
  if (outcome === 'served') return
  if (served.failed) await served.failed()
  // If media could not be fetched, no provider was called.
  if (last && context.attempts.length > 0) {
    const end: FailedEnd = context.gone
      ? { status: 499, why: 'canceled', failure: outcome.kind }
      : { status: outcome.status, why: 'failed', failure: outcome.kind }
    await settlePlan(core, context, request, last, end, served.facts?.(last, end))
  }
  throw outcome
}

/**
 * Settles the row of a request that reached a candidate, once.
 * @returns a promise that the end of the response waits for; undefined = nothing
 */
export function settlePlan<C, P extends Planned<C>>(
  core: Core,
  context: Context,
  { family, format, model, targets }: ServedRequest<C, P>,
  { candidate, losses }: P,
  { status, why, failure }: RequestEnd,
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
