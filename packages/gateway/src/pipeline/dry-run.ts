import type { Loss, Price } from '@headgate/core/canonical'
import { asError, HeadgateError, invalid } from '@headgate/core/errors'
import { headerOf, type Incoming } from '../edge/sink.ts'
import type { Subject } from '../routing/health.ts'
import { type Bound, mostOf } from './bound.ts'
import { answerHead, type Context } from './context.ts'
import type { Core } from './core.ts'
import { deadlineOf } from './deadline.ts'
import { inDollars } from './dollars.ts'
import type { DryRunAnswer, DryRunCandidate } from './dry-run-answer.ts'
import type { ServedRoute } from './family.ts'
import { type PlansGiven, plansInTurn } from './plans.ts'
import { expenseOf, type Spending } from './spending/spending.ts'

const HEADER = 'headgate-dry-run'

/**
 * Whether a caller only wants to know what would become of its request.
 * @throws HeadgateError for a value that says neither, and where the route would do what it is asked for all the same.
 */
export function checkDryRun(
  incoming: Incoming,
  { method, path, canDryRun }: Pick<ServedRoute, 'method' | 'path' | 'canDryRun'>,
): boolean {
  if (incoming.headers[HEADER] === undefined) return false
  const value = headerOf(incoming, HEADER)?.toLowerCase() ?? 'false'
  if (value !== 'true' && value !== 'false') throw invalid(HEADER, `The header ${HEADER} must be true or false.`)
  if (value === 'true' && !canDryRun && method !== 'GET')
    throw invalid(HEADER, `There is no dry run of ${method} ${path}. Leave the header ${HEADER} out.`)
  return value === 'true'
}

/** What would go to a candidate. */
export interface Prospect {
  /** Whether the caller's bytes pass, are translated, or are served in this process. */
  readonly way: 'bytes' | 'translated' | 'in-process'
  readonly losses: readonly Loss[]
  /** Paths of the media that would be fetched first. */
  readonly fetches?: readonly string[]
  readonly price: Price | undefined
  readonly bound: Bound | undefined
  /** Why budgets would refuse it, null where they would not; absent where the family leaves it to be found out. */
  readonly budget?: string | null
}

/** A dry run of a family. */
export interface DryRun<C, P extends { readonly candidate: C }> {
  readonly family: string
  /** As the caller named it; the engine of a search. */
  readonly model: string
  readonly plans: PlansGiven<C, P>
  /** Set where budgets bound what the caller spends. */
  readonly spending?: Spending | undefined
  subjectOf(candidate: C): Subject
  prospectOf(plan: P): Prospect | Promise<Prospect>
}

/** What is known of a bound; what nobody knows is left out. */
function writtenBound(bound: Bound | undefined): DryRunCandidate['most'] {
  if (!bound) return null
  const { input, output, units = {} } = bound
  const known = Object.entries({ input, output, ...units }).filter(([, most]) => Number.isFinite(most))
  return Object.fromEntries(known)
}

function writtenLoss({ path, kind, reason, count }: Loss): DryRunCandidate['losses'][number] {
  return { path, kind, reason, ...(count !== undefined && { count }) }
}

type Head = Pick<DryRunCandidate, 'provider' | 'model' | 'healthy'>

function written({
  way,
  losses,
  fetches = [],
  price,
  bound,
  budget = null,
}: Prospect): Omit<DryRunCandidate, keyof Head> {
  const most = mostOf(bound, price)
  return {
    refused: null,
    way,
    losses: losses.map(writtenLoss),
    fetches: [...fetches],
    price: price?.id ?? null,
    most: writtenBound(bound),
    bound: most === null ? null : inDollars(most),
    budget,
  }
}

function writtenRefusal({ kind, message, param }: HeadgateError): Omit<DryRunCandidate, keyof Head> {
  const refused = { kind, message, param: param ?? null }
  return { refused, way: null, losses: [], fetches: [], price: null, most: null, bound: null, budget: null }
}

/** Why budgets would refuse a call; null = they would not. What is reserved to find out is given back. */
async function refusalOf(spending: Spending, subject: Subject, { price, bound }: Prospect): Promise<string | null> {
  try {
    await spending.reserve(expenseOf(subject, price, bound))
    return null
  } catch (error) {
    if (HeadgateError.is(error) && error.kind === 'over-budget') return error.message
    throw error
  } finally {
    spending.release()
  }
}

/**
 * Answers with the candidates in the order in which they would be asked, those that can not carry the request last.
 * Nobody is asked, nothing is fetched, recorded or billed. @throws HeadgateError what the request itself would be
 * refused with before anybody is asked.
 */
export async function answerDryRun<C, P extends { readonly candidate: C }>(
  core: Core,
  context: Context,
  run: DryRun<C, P>,
): Promise<void> {
  deadlineOf(core.times, context)
  const { plans, subjectOf } = run
  const head = (candidate: C): Head => {
    const { provider, model } = subjectOf(candidate)
    return { provider, model, healthy: plans.isWell(candidate) }
  }
  const refusals: DryRunCandidate[] = []
  const refused = (candidate: C, error: unknown): void =>
    void refusals.push({ ...head(candidate), ...writtenRefusal(asError(error)) })
  const inTurn = plansInTurn({
    ...plans,
    planOf(candidate) {
      try {
        return plans.planOf(candidate)
      } catch (error) {
        refused(candidate, error)
        throw error
      }
    },
  })
  const candidates: DryRunCandidate[] = []
  let last: unknown
  for (const plan of inTurn) {
    try {
      const prospect = await run.prospectOf(plan)
      const { spending } = run
      const budget =
        spending && prospect.budget === undefined
          ? await refusalOf(spending, subjectOf(plan.candidate), prospect)
          : null
      candidates.push({ ...head(plan.candidate), ...written({ budget, ...prospect }) })
    } catch (error) {
      last = error
      refused(plan.candidate, error)
    }
  }
  if (candidates.length === 0) throw last
  const answer: DryRunAnswer = {
    object: 'headgate.dry_run',
    family: run.family,
    model: run.model,
    candidates: [...candidates, ...refusals],
  }
  const body = Buffer.from(JSON.stringify(answer))
  if (context.gone) return
  answerHead(context, 200, {
    'content-type': 'application/json',
    'content-length': String(body.length),
    [HEADER]: 'true',
  })
  context.sink.end(body)
}
