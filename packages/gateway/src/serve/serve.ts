import { asError } from '@headgate/core/errors'
import { now } from '../clock.ts'
import { type RowFacts, settleRow } from '../cost/row.ts'
import { type Spending, spendingOf } from '../cost/spending/spending.ts'
import { headerOf } from '../edge/sink.ts'
import type { AttemptOutcome } from '../routing/attempts.ts'
import { type Candidate, pinned, subjectOf } from '../routing/candidates.ts'
import { enterGateway } from './capacity.ts'
import type { Context } from './context.ts'
import type { Core } from './core.ts'
import { attemptWithinDeadline } from './deadline.ts'
import { sendDryRun } from './dry-run.ts'
import { hedge, unneeded } from './hedge.ts'
import { checkStrict } from './losses.ts'
import { type PlansGiven, plansInTurn } from './plans.ts'
import { beginCall, rankCandidates } from './ranking.ts'
import { takeSlot } from './rates.ts'
import { checkModel } from './route.ts'
import type {
  FailedEnd,
  OpenedRequest,
  Planned,
  RankedCandidates,
  RankingRequest,
  RequestEnd,
  ServedRequest,
  Targets,
} from './served.ts'
import { createTurns } from './turns.ts'
import { allFull, checkAvailable, FULL, waitForSpace } from './waiting.ts'

/** Targets of families that call models of providers. */
export const PROVIDERS: Targets<Candidate> = {
  title: 'Provider',
  subjectOf,
  healthOf: subjectOf,
  priceOf: (core, candidate, startedAt) => core.priceOf(candidate, startedAt),
  admit: checkModel,
  check: checkAvailable,
  isPinned: (core, { incoming }) => pinned(core.instances, headerOf(incoming, 'vendor')) !== undefined,
  rank: rankCandidates,
  stageOf: ({ stage }) => stage,
  begin: beginCall,
  waitForSpace,
  hedge,
  onlyAfter: ({ on }) => on,
}

function plansOf<C, P extends Planned<C>>(
  core: Core,
  context: Context,
  targets: Targets<C>,
  served: OpenedRequest<C, P>,
  ranked: RankedCandidates<C>,
): PlansGiven<C, P> {
  const { stageOf } = targets
  return {
    candidates: ranked.candidates,
    isWell: ranked.isWell,
    ...(stageOf && { stageOf }),
    isLate: (candidate) => ranked.isWell(candidate) && core.health.isAccountDown(targets.healthOf(candidate), now()),
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
  context.asked = request
  targets.admit?.(context, model)
  request.check?.()
  const taking = takeSlot(core, context, request)
  if (taking) await taking
  const entering = core.capacity && enterGateway(core.capacity, core.times, context, request.estimate)
  if (entering) await entering
  const opened = request.open()
  const served = opened instanceof Promise ? await opened : opened
  const { prefix, writesCache } = served
  const { estimate } = request
  const ranking: RankingRequest<C> = { candidates: await served.candidates, prefix, writesCache, estimate }
  const ranked = targets.rank?.(core, context, ranking) ?? unranked(core, targets, ranking.candidates)
  const plans = plansOf(core, context, targets, served, ranked)
  if (context.stopped) throw context.stopped
  const spending = spendingOf(core, context, { family, format, model })
  if (context.isDryRun) return sendDryRun(core, context, { request, served, plans, ranked, spending })
  const inTurn = served.order?.(plans) ?? plansInTurn(plans)
  const run = (): Promise<void> => attemptPlans(core, context, request, { served, inTurn, ranked, spending })
  return served.around ? served.around(run) : run()
}

/** A request whose candidates are in order. */
interface ReadyRequest<C, P extends Planned<C>> {
  readonly served: OpenedRequest<C, P>
  readonly inTurn: Iterable<P>
  readonly ranked: RankedCandidates<C>
  readonly spending: Spending | undefined
}

/** Calls a plan, and reports its outcome to `end`. */
function ended<P>(
  call: (plan: P) => Promise<AttemptOutcome>,
  plan: P,
  end: (outcome: AttemptOutcome) => void,
): Promise<AttemptOutcome> {
  const done = (outcome: AttemptOutcome): AttemptOutcome => {
    end(outcome)
    return outcome
  }
  const failed = (error: unknown): never => {
    end(asError(error))
    throw error
  }
  try {
    return call(plan).then(done, failed)
  } catch (error) {
    return failed(error)
  }
}

/** Candidates in their order, for families without policies. */
function unranked<C>(core: Core, targets: Targets<C>, candidates: readonly C[]): RankedCandidates<C> {
  const moment = now()
  const isWell = (candidate: C): boolean => core.health.isHealthy(targets.healthOf(candidate), moment)
  const whyOf = (candidate: C): string => (isWell(candidate) ? IN_ORDER : IN_COOLDOWN)
  return { candidates, isWell, whyOf, policy: undefined, prefix: undefined }
}

/** The matching plan, then the others in their order. */
function withFirst<P>(plans: readonly P[], isFirst: (plan: P) => boolean): readonly P[] {
  return [...plans.filter(isFirst), ...plans.filter((plan) => !isFirst(plan))]
}

function candidateOf<C>({ candidate }: Planned<C>): C {
  return candidate
}

const IN_ORDER = 'in the order of the configuration'
const IN_COOLDOWN = 'in cooldown'

async function attemptPlans<C, P extends Planned<C>>(
  core: Core,
  context: Context,
  request: ServedRequest<C, P>,
  { served, inTurn, ranked, spending }: ReadyRequest<C, P>,
): Promise<void> {
  const { ready, reserve } = served
  const { targets } = request
  const reserved = spending && reserve && ((plan: P) => reserve(plan, spending))
  let last: P | undefined
  let failed: AttemptOutcome | undefined
  const send = (plan: P): Promise<AttemptOutcome> => {
    if (context.rivals?.isCommitted)
      return Promise.resolve(unneeded(context, targets.subjectOf(plan.candidate), spending?.release))
    last = plan
    return served.call(plan, spending)
  }
  const call = (plan: P): Promise<AttemptOutcome> => {
    const pending = ready?.(plan)
    if (reserved) return (pending ? pending.then(reserved) : reserved(plan)).then(send, asError)
    return pending ? pending.then(send, asError) : send(plan)
  }
  const attempt = (plan: P): Promise<AttemptOutcome> => {
    const end = targets.begin?.(core, context, plan.candidate, ranked)
    if (targets.begin && !end) return Promise.resolve(FULL)
    return ended(call, plan, (outcome) => {
      end?.(outcome)
      failed = outcome
    })
  }
  const turns = createTurns(inTurn)
  const hedging = targets.isPinned?.(core, context) ? undefined : targets.hedge
  const hedged = hedging?.(core, context, { ranked, served, turns, attempt })
  const { onlyAfter } = targets
  const pass = (candidates: Iterable<P>): Promise<AttemptOutcome> =>
    attemptWithinDeadline(core, context, {
      candidates,
      subjectOf: ({ candidate }) => targets.healthOf(candidate),
      ...(onlyAfter && { onlyAfter: ({ candidate }: P) => onlyAfter(candidate) }),
      attempt: hedged ?? attempt,
      isNoted: hedged !== undefined,
    })
  let result = await pass(turns)
  while (result === FULL && !failed) {
    const free = await targets.waitForSpace?.(core, context, turns.taken.map(candidateOf), request.estimate)
    if (free === undefined) break
    result = await pass(withFirst(turns.taken, ({ candidate }) => candidate === free))
  }
  const outcome = result === FULL ? (failed ?? context.stopped ?? FULL) : result
  if (outcome === 'served') return
  const failure = outcome === FULL ? allFull() : outcome
  if (served.failed) await served.failed()
  // If media could not be fetched, no provider was called.
  if (last && context.attempts.length > 0) {
    const end: FailedEnd = context.gone
      ? { status: 499, why: 'canceled', failure: failure.kind }
      : { status: failure.status, why: 'failed', failure: failure.kind }
    await settlePlan(core, context, request, last, end, served.facts?.(last, end))
  }
  throw failure
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
