import type { Loss, Price } from '@headgate/core/canonical'
import { asError, HeadgateError, invalid } from '@headgate/core/errors'
import { mostOf, type UsageBound } from '../cost/bound.ts'
import { inDollars } from '../cost/dollars.ts'
import { callCostOf, type Spending } from '../cost/spending/spending.ts'
import { headerOf, type Incoming } from '../edge/sink.ts'
import { type ExcludedCandidate, subjectOf } from '../routing/candidates.ts'
import { type Context, sendHead } from './context.ts'
import type { Core } from './core.ts'
import { deadlineOf } from './deadline.ts'
import type { DryRunCandidate, DryRunResponse } from './dry-run-schema.ts'
import type { ServedRoute } from './family.ts'
import { type PlansGiven, plansInTurn } from './plans.ts'
import type { OpenedRequest, Planned, RankedCandidates, ServedRequest, ServingMode } from './served.ts'

const HEADER = 'headgate-dry-run'

/**
 * True if a request is a dry run.
 * @throws HeadgateError for an invalid value of the header, and for a route that does not support dry runs
 */
export function checkDryRun(
  incoming: Incoming,
  { method, path, canDryRun }: Pick<ServedRoute, 'method' | 'path' | 'canDryRun'>,
): boolean {
  if (incoming.headers[HEADER] === undefined) return false
  const value = headerOf(incoming, HEADER)?.toLowerCase() ?? 'false'
  if (value !== 'true' && value !== 'false') throw invalid(HEADER, `The header ${HEADER} must be true or false.`)
  if (value === 'true' && !canDryRun && method !== 'GET')
    throw invalid(HEADER, `${method} ${path} does not support dry runs. Remove the header ${HEADER}.`)
  return value === 'true'
}

/** Preview of a candidate: its translated request and worst-case cost. */
interface CandidatePreview {
  readonly way: ServingMode
  readonly losses: readonly Loss[]
  /** Paths of media that would be fetched first. */
  readonly fetches: readonly string[]
  readonly price: Price | undefined
  readonly bound: UsageBound | undefined
  /** Reason why budgets would refuse the call; null = they would allow it. */
  readonly budget: string | null
}

/** A dry run of a family. */
export interface DryRun<C, P extends Planned<C>> {
  readonly request: ServedRequest<C, P>
  readonly served: OpenedRequest<C, P>
  readonly plans: PlansGiven<C, P>
  readonly ranked: RankedCandidates<C>
  /** Set if budgets apply to the caller. */
  readonly spending: Spending | undefined
}

/** Known amounts of a bound. */
function writtenBound(bound: UsageBound | undefined): DryRunCandidate['most'] {
  if (!bound) return null
  const { input, output, units = {} } = bound
  const known = Object.entries({ input, output, ...units }).filter(([, most]) => Number.isFinite(most))
  return Object.fromEntries(known)
}

function writtenLoss({ path, kind, reason, count }: Loss): DryRunCandidate['losses'][number] {
  return { path, kind, reason, ...(count !== undefined && { count }) }
}

type Head = Pick<DryRunCandidate, 'provider' | 'endpoint' | 'model' | 'healthy' | 'why'>

function written({ way, losses, fetches, price, bound, budget }: CandidatePreview): Omit<DryRunCandidate, keyof Head> {
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

/** Entry of a candidate that conditions of the request exclude. */
function excludedEntry({ candidate, why }: ExcludedCandidate): DryRunCandidate {
  const { provider, endpoint, model } = subjectOf(candidate)
  const refusal = new HeadgateError('unknown-model', `This endpoint does not meet the conditions: ${why}.`)
  return Object.assign({ provider, endpoint: endpoint || null, model, healthy: true, why }, writtenRefusal(refusal))
}

/** Plan as it would be sent, and the reason why budgets would refuse it. Its reservation is released immediately. */
async function afforded<C, P extends Planned<C>>(
  { request: { targets }, served, spending }: DryRun<C, P>,
  plan: P,
  price: Price | undefined,
): Promise<{ plan: P; budget: string | null }> {
  if (!spending) return { plan, budget: null }
  try {
    if (served.reserve) return { plan: await served.reserve(plan, spending), budget: null }
    await spending.reserve(callCostOf(targets.subjectOf(plan.candidate), price, served.bound(plan)))
    return { plan, budget: null }
  } catch (error) {
    if (HeadgateError.is(error) && error.kind === 'over-budget') return { plan, budget: error.message }
    throw error
  } finally {
    spending.release()
  }
}

async function previewOf<C, P extends Planned<C>>(
  core: Core,
  { startedAt }: Context,
  run: DryRun<C, P>,
  planned: P,
): Promise<CandidatePreview> {
  const { request, served } = run
  const fetches = (await served.fetches?.(planned)) ?? []
  const price = request.targets.priceOf(core, planned.candidate, startedAt)
  const { plan, budget } = await afforded(run, planned, price)
  return { way: served.wayOf(plan), losses: plan.losses, fetches, price, bound: served.bound(plan), budget }
}

/**
 * Responds with the candidates in the order in which they would be tried; candidates that cannot serve the request are
 * last. No provider is called; nothing is fetched, recorded or billed.
 * @throws HeadgateError if the request would be rejected before any provider is called
 */
export async function sendDryRun<C, P extends Planned<C>>(
  core: Core,
  context: Context,
  run: DryRun<C, P>,
): Promise<void> {
  deadlineOf(core.times, context)
  const { plans, request, ranked } = run
  const head = (candidate: C, why = ranked.whyOf(candidate)): Head => {
    const { provider, endpoint, model } = request.targets.subjectOf(candidate)
    return { provider, endpoint: endpoint || null, model, healthy: plans.isWell(candidate), why }
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
      candidates.push({ ...head(plan.candidate), ...written(await previewOf(core, context, run, plan)) })
    } catch (error) {
      last = error
      refused(plan.candidate, error)
    }
  }
  if (candidates.length === 0) throw last
  const answer: DryRunResponse = {
    object: 'headgate.dry_run',
    family: request.family,
    model: request.model,
    policy: ranked.policy ?? null,
    candidates: [...candidates, ...refusals, ...context.excluded.map(excludedEntry)],
  }
  const body = Buffer.from(JSON.stringify(answer))
  if (context.gone) return
  sendHead(context, 200, {
    'content-type': 'application/json',
    'content-length': String(body.length),
    [HEADER]: 'true',
  })
  context.sink.end(body)
}
