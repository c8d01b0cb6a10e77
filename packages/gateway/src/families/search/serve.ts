import { asError, HeadgateError, invalid } from '@headgate/core/errors'
import { since } from '../../clock.ts'
import { lostHeader } from '../../edge/lost.ts'
import { headerOf } from '../../edge/sink.ts'
import { answerHead, type Context, signalOf } from '../../pipeline/context.ts'
import type { Core } from '../../pipeline/core.ts'
import { askWithinDeadline } from '../../pipeline/deadline.ts'
import { answerDryRun, type Prospect } from '../../pipeline/dry-run.ts'
import { checkStrict } from '../../pipeline/losses.ts'
import { searchesOf } from '../../pipeline/permission.ts'
import { type PlansGiven, plansInTurn } from '../../pipeline/plans.ts'
import { takePlace } from '../../pipeline/rates.ts'
import { type Spending, spendingOf } from '../../pipeline/spending/spending.ts'
import type { Outcome } from '../../routing/attempts.ts'
import { writeAnswer } from './answer.ts'
import { BOUND, priceOf } from './bound.ts'
import { callBackend } from './call.ts'
import type { Candidate, Selection } from './engines.ts'
import { addNew, type CallPage, createList, readDirectly, type Window } from './list.ts'
import { readParameters, type SearchRequest } from './parameters.ts'
import { planSearch, type SearchPlan, subjectOf } from './plan.ts'
import { type SearchResult, settleSearch } from './settle.ts'
import type { Answered, SearchState } from './state.ts'

/** A search on its way. */
interface Ask {
  readonly core: Core
  readonly family: SearchState
  readonly context: Context
  readonly request: SearchRequest
  readonly selection: Selection
  /** Where the caller found the gateway's search. */
  readonly path: string
  /** Set where budgets bound what the caller spends. */
  readonly spending: Spending | undefined
}

/** The plans of the backends that can be asked, those that lose nothing first where the caller pins none. */
function plansFor(
  { context, request, selection }: Ask,
  isPinned: boolean,
): Omit<PlansGiven<Candidate, SearchPlan>, 'isWell'> {
  const { candidates } = selection
  const able = request.parameters.searchType
    ? candidates.filter(({ backend }) => backend.carries === 'all' || backend.carries?.includes('searchType'))
    : candidates
  if (able.length === 0)
    throw invalid(
      'searchType',
      `searchType=image is asked for, and ${candidates.map(({ name }) => name).join(', ')} can not search images.`,
    )
  return {
    candidates: able,
    planOf(candidate) {
      const plan = planSearch(request, candidate, { include: selection.sites, exclude: [] })
      checkStrict(context, plan.losses, `Search backend ${candidate.name}`)
      return plan
    },
    ...(!isPinned && { lacks: ({ losses }: SearchPlan) => Number(losses.length > 0) }),
  }
}

/** What would go to a backend, and what a call of it costs. */
function prospectOf({ candidate, losses }: SearchPlan): Prospect {
  return {
    way: 'run' in candidate.backend.search ? 'in-process' : 'translated',
    losses,
    price: priceOf(candidate),
    bound: BOUND,
  }
}

/** What two searches have in common whose answers are pages of one list. */
function listKey({ candidate: { key }, query, sites }: SearchPlan): string {
  return JSON.stringify([key, query, sites])
}

/** Reads the page that the caller wants: of a list that was begun, at its place, or from the first result on. */
async function readWindow(
  { family, context, request }: Ask,
  plan: SearchPlan,
  call: CallPage,
  signal: AbortSignal,
): Promise<Window> {
  const { paging } = plan.candidate.backend
  const { sites } = plan
  const key = listKey(plan)
  const begun = request.start > 1 ? family.lists.get(key, context.begunAt) : undefined
  if (begun) return begun.window(request, call, signal)
  if (request.start > 1 && sites.include.length + sites.exclude.length === 0) {
    const window = await readDirectly(paging, sites, request, call)
    if (window) return window
  }
  const list = createList(paging, sites)
  family.lists.set(key, list, context.begunAt)
  return list.window(request, call, signal)
}

/** Settles the row of a search, then answers it. */
async function answer(ask: Ask, { plan: planned, window }: Answered, result: SearchResult): Promise<void> {
  const { core, context, request, selection, path } = ask
  const { backend, name } = planned.candidate
  const losses = [...planned.losses]
  addNew(losses, window.losses)
  // A page that was read for somebody else.
  checkStrict(context, losses, `Search backend ${name}`)
  const plan = { ...planned, losses }
  const facts = { title: selection.title, markup: backend.markup ?? false, milliseconds: since(context.begunAt) }
  const body = Buffer.from(JSON.stringify(writeAnswer(request, window, facts, path)))
  await settleSearch(core, context, selection.engine, plan, result)
  if (context.gone) return
  const lost = lostHeader(losses)
  answerHead(context, 200, {
    'content-type': 'application/json; charset=UTF-8',
    'content-length': String(body.length),
    'headgate-vendor': name,
    ...(lost !== undefined && { 'headgate-lost': lost }),
    ...(result.why === 'cached' && { 'headgate-cached': 'true' }),
  })
  context.sink.end(body)
}

/** What was spent, also on those that failed in the middle. */
interface Spent {
  /** Calls that were answered. */
  answered: number
}

/** Asks one backend, and answers with what it found. */
async function attempt(ask: Ask, plan: SearchPlan, answerKey: string, spent: Spent): Promise<Outcome> {
  const { core, family, context } = ask
  const servedFrom = context.attempts.length
  const signal = signalOf(context)
  try {
    const call: CallPage = async (step) => {
      const page = await callBackend(core, context, plan, step, signal, ask.spending)
      spent.answered++
      return page
    }
    const window = await readWindow(ask, plan, call, signal)
    const isEmpty = window.items.length === 0
    if (!isEmpty) family.answers?.set(answerKey, { plan, window }, context.begunAt)
    const result = isEmpty
      ? ({ status: 200, why: 'empty' } as const)
      : ({ status: 200, why: 'served', servedFrom } as const)
    await answer(ask, { plan, window }, { ...result, answered: spent.answered })
    return 'served'
  } catch (error) {
    return asError(error)
  }
}

/**
 * Serves one search: finds its backends, asks them, answers, accounts. Throws HeadgateError for what the caller must be
 * told.
 */
export async function serveSearch(
  core: Core,
  family: SearchState,
  context: Context,
  { query, path }: { query: string; path: string },
): Promise<void> {
  const allowed = searchesOf(context.principal)
  if (allowed?.length === 0) throw new HeadgateError('forbidden', 'This key may not search.')
  const request = readParameters(query, context.startedAt)
  const vendor = headerOf(context.incoming, 'vendor')
  const selection = family.engines.select({ cx: request.cx, vendor, allowed })
  const taking = takePlace(core, context, { model: selection.engine })
  if (taking) await taking
  const spending = spendingOf(core, context, { family: 'search', format: 'customsearch', model: selection.engine })
  const ask: Ask = { core, family, context, request, selection, path, spending }
  const given = plansFor(ask, selection.candidates.length === 1)
  const isFit = (candidate: Candidate): boolean => core.health.isWell(subjectOf({ candidate }), context.begunAt)
  if (context.isDryRun)
    return answerDryRun(core, context, {
      family: 'search',
      model: selection.engine,
      plans: { ...given, isWell: isFit },
      prospectOf,
      spending,
      subjectOf: ({ name }) => ({ provider: name, model: name }),
    })
  // What is well now must not decide which answers are kept for whom.
  const plans = [...plansInTurn({ ...given, isWell: () => true })]
  const answerKey = JSON.stringify([
    selection.engine,
    plans.map(({ candidate }) => candidate.key),
    { ...request, losses: [] },
  ])
  const known = family.answers?.get(answerKey, context.begunAt)
  if (known) {
    // What is lost is this caller's own: parameters that no search could honour are no part of the key.
    const plan = plans.find(({ candidate }) => candidate.key === known.plan.candidate.key) ?? known.plan
    return answer(ask, { ...known, plan }, { status: 200, why: 'cached', answered: 0 })
  }

  const isWell = ({ candidate }: SearchPlan): boolean => isFit(candidate)
  let last: SearchPlan | undefined
  const spent: Spent = { answered: 0 }
  const outcome = await askWithinDeadline(core, context, {
    candidates: [...plans.filter(isWell), ...plans.filter((plan) => !isWell(plan))],
    subjectOf,
    attempt: (plan) => {
      last = plan
      return attempt(ask, plan, answerKey, spent)
    },
  })
  if (outcome === 'served') return
  const why = context.gone ? 'cancelled' : 'failed'
  const status = context.gone ? 499 : outcome.status
  if (last && context.attempts.length > 0)
    await settleSearch(core, context, selection.engine, last, {
      status,
      why,
      answered: spent.answered,
      failure: outcome.kind,
    })
  throw outcome
}
