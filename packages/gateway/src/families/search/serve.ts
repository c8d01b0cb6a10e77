import { asError, HeadgateError, invalid } from '@headgate/core/errors'
import { since } from '../../clock.ts'
import type { RowFacts } from '../../cost/row.ts'
import type { Spending } from '../../cost/spending/spending.ts'
import type { AnswerHeaders } from '../../edge/sink.ts'
import { headerOf } from '../../edge/sink.ts'
import { signalOf } from '../../edge/stop.ts'
import type { Outcome } from '../../routing/attempts.ts'
import { answerServed, type Context } from '../../serve/context.ts'
import type { Core } from '../../serve/core.ts'
import { checkStrict } from '../../serve/losses.ts'
import { searchesOf } from '../../serve/permission.ts'
import { type PlansGiven, plansInTurn } from '../../serve/plans.ts'
import { serve, settlePlan } from '../../serve/serve.ts'
import type { End, Served, ServedRequest, Targets } from '../../serve/served.ts'
import { writeAnswer } from './answer.ts'
import { BOUND, priceOf } from './bound.ts'
import { callBackend } from './call.ts'
import type { Candidate, Selection } from './engines.ts'
import { addNew, type CallPage, createList, readDirectly, type Window } from './list.ts'
import { readParameters, type SearchRequest } from './parameters.ts'
import { planSearch, type SearchPlan, subjectOf } from './plan.ts'
import type { Answered, SearchState } from './state.ts'

/** Backends of search, which have no models. */
const BACKENDS: Targets<Candidate> = {
  title: 'Search backend',
  subjectOf: ({ name }) => ({ provider: name, model: name }),
  healthOf: (candidate) => subjectOf({ candidate }),
  priceOf: (_, candidate) => priceOf(candidate),
}

/** A search on its way. */
interface Ask {
  readonly core: Core
  readonly family: SearchState
  readonly context: Context
  readonly request: SearchRequest
  readonly selection: Selection
  /** Where the caller found the gateway's search. */
  readonly path: string
  /** Calls that were answered, whoever answered them: those of backends that failed later, too. */
  answered: number
}

/** How a search ended. */
interface SearchEnd extends End {
  readonly why: 'served' | 'empty' | 'cached'
  /** Index of the first attempt of those that were made for what was served. */
  readonly servedFrom?: number
}

/** The backends that can search for what is asked. */
function ableOf({ request, selection: { candidates } }: Ask): readonly Candidate[] {
  if (!request.parameters.searchType) return candidates
  const able = candidates.filter(({ backend }) => backend.carries === 'all' || backend.carries?.includes('searchType'))
  if (able.length > 0) return able
  throw invalid(
    'searchType',
    `searchType=image is asked for, and ${candidates.map(({ name }) => name).join(', ')} can not search images.`,
  )
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

/** Facts of the row of a search: only one that found something at a known price is billed. */
function factsOf({ answered }: Ask, { why }: End): Partial<RowFacts> {
  return {
    usage: answered > 0 ? { input: 0, output: 0, units: { searches: answered } } : undefined,
    billing(charged) {
      const isPaid = why === 'served' && charged !== null
      return { billed: isPaid, why: why === 'served' && !isPaid ? 'price-unknown' : why }
    },
  }
}

type SearchRequested = ServedRequest<Candidate, SearchPlan>

/** Settles the row of a search, then answers it. */
async function answer(
  ask: Ask,
  requested: SearchRequested,
  { plan: planned, window }: Answered,
  end: SearchEnd,
): Promise<void> {
  const { core, context, request, selection, path } = ask
  const { backend, name } = planned.candidate
  const losses = [...planned.losses]
  addNew(losses, window.losses)
  // Another caller may have read the page.
  checkStrict(context, losses, `Search backend ${name}`)
  const facts = { title: selection.title, markup: backend.markup ?? false, milliseconds: since(context.begunAt) }
  const body = Buffer.from(JSON.stringify(writeAnswer(request, window, facts, path)))
  const row = { ...factsOf(ask, end), servedFrom: end.servedFrom }
  await settlePlan(core, context, requested, { ...planned, losses }, end, row)
  const cached: AnswerHeaders = end.why === 'cached' ? { 'headgate-cached': 'true' } : {}
  answerServed(context, { name, losses }, body, { 'content-type': 'application/json; charset=UTF-8', ...cached })
}

/** Calls one backend, and answers with what it found. */
async function attempt(
  ask: Ask,
  requested: SearchRequested,
  plan: SearchPlan,
  answerKey: string,
  spending: Spending | undefined,
): Promise<Outcome> {
  const { core, family, context } = ask
  const servedFrom = context.attempts.length
  const signal = signalOf(context)
  try {
    const call: CallPage = async (step) => {
      const page = await callBackend(core, context, plan, step, signal, spending)
      ask.answered++
      return page
    }
    const window = await readWindow(ask, plan, call, signal)
    const isEmpty = window.items.length === 0
    if (!isEmpty) family.answers?.set(answerKey, { plan, window }, context.begunAt)
    const end: SearchEnd = isEmpty ? { status: 200, why: 'empty' } : { status: 200, why: 'served', servedFrom }
    await answer(ask, requested, { plan, window }, end)
    return 'served'
  } catch (error) {
    return asError(error)
  }
}

/** How the backends of a search are asked, unless the answer is known. */
function servedOf(ask: Ask, requested: SearchRequested): Served<Candidate, SearchPlan> {
  const { family, context, request, selection } = ask
  let all: readonly SearchPlan[] = []
  let answerKey = ''
  return {
    candidates: ableOf(ask),
    plan: (candidate) => planSearch(request, candidate, { include: selection.sites, exclude: [] }),
    // Health must not decide which answers are kept for whom.
    order(given: PlansGiven<Candidate, SearchPlan>) {
      all = [...plansInTurn({ ...given, isWell: () => true })]
      const keys = all.map(({ candidate }) => candidate.key)
      answerKey = JSON.stringify([selection.engine, keys, { ...request, losses: [] }])
      const isWell = ({ candidate }: SearchPlan): boolean => given.isWell(candidate)
      return [...all.filter(isWell), ...all.filter((plan) => !isWell(plan))]
    },
    wayOf: ({ candidate }) => ('run' in candidate.backend.search ? 'in-process' : 'translated'),
    bound: () => BOUND,
    call: (plan, spending) => attempt(ask, requested, plan, answerKey, spending),
    facts: (_, end) => factsOf(ask, end),
    around(run) {
      const known = family.answers?.get(answerKey, context.begunAt)
      if (!known) return run()
      // The losses are this caller's: parameters that no search could honor are no part of the key.
      const plan = all.find(({ candidate }) => candidate.key === known.plan.candidate.key) ?? known.plan
      return answer(ask, requested, { ...known, plan }, { status: 200, why: 'cached' })
    },
  }
}

/** Serves one search. Rejects with HeadgateError for the caller. */
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
  const ask: Ask = { core, family, context, request, selection, path, answered: 0 }
  const requested: SearchRequested = {
    family: 'search',
    format: 'customsearch',
    model: selection.engine,
    targets: BACKENDS,
    open: () => servedOf(ask, requested),
  }
  return serve(core, context, requested)
}
