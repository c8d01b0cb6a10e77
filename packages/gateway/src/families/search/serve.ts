import { asError, HeadgateError, invalid } from '@headgate/core/errors'
import { since } from '../../clock.ts'
import type { RowFacts } from '../../cost/row.ts'
import type { Spending } from '../../cost/spending/spending.ts'
import type { ResponseHeaders } from '../../edge/sink.ts'
import { headerOf } from '../../edge/sink.ts'
import { signalOf } from '../../edge/stop.ts'
import type { AttemptOutcome } from '../../routing/attempts.ts'
import { plainTarget } from '../../routing/health.ts'
import { type Context, sendServed } from '../../serve/context.ts'
import type { Core } from '../../serve/core.ts'
import { checkStrict } from '../../serve/losses.ts'
import { searchesOf } from '../../serve/permission.ts'
import { type PlansGiven, plansInTurn } from '../../serve/plans.ts'
import { serve, settlePlan } from '../../serve/serve.ts'
import type { OpenedRequest, RequestEnd, ServedRequest, Targets } from '../../serve/served.ts'
import { BOUND, priceOf } from './bound.ts'
import { callBackend } from './call.ts'
import type { SearchCandidate, Selection } from './engines.ts'
import { addNew, type CallPage, createList, readDirectly, type SearchResultPage } from './list.ts'
import { readParameters, type SearchInput } from './parameters.ts'
import { healthTargetOf, planSearch, type SearchPlan } from './plan.ts'
import { writeSearchResponse } from './response.ts'
import type { CachedSearch, SearchState } from './state.ts'

/** Search backends as targets. They have no models. */
const BACKENDS: Targets<SearchCandidate> = {
  title: 'Search backend',
  subjectOf: ({ name }) => plainTarget(name, name),
  healthOf: (candidate) => healthTargetOf({ candidate }),
  priceOf: (_, candidate) => priceOf(candidate),
}

/** State of one search. */
interface SearchCall {
  readonly core: Core
  readonly family: SearchState
  readonly context: Context
  readonly request: SearchInput
  readonly selection: Selection
  /** Request path of the search. */
  readonly path: string
  /** Number of calls that succeeded, including calls of backends that failed later. */
  successfulCalls: number
}

/** End of a search. */
interface SearchEnd extends RequestEnd {
  readonly why: 'served' | 'empty' | 'cached'
  /** Index of the first attempt that contributed to the response. */
  readonly servedFrom?: number
}

/** Backends that support the request. */
function supportingCandidates({ request, selection: { candidates } }: SearchCall): readonly SearchCandidate[] {
  if (!request.parameters.searchType) return candidates
  const able = candidates.filter(
    ({ backend }) => backend.supports === 'all' || backend.supports?.includes('searchType'),
  )
  if (able.length > 0) return able
  throw invalid(
    'searchType',
    `No search backend for this request can search images: ${candidates.map(({ name }) => name).join(', ')}. Remove searchType.`,
  )
}

/** Key that searches have in common if they page through the same list. */
function listKey({ candidate: { key }, query, sites }: SearchPlan): string {
  return JSON.stringify([key, query, sites])
}

/** Reads the caller's page: from a list that an earlier request began, at its position, or from the first result. */
async function readWindow(
  { family, context, request }: SearchCall,
  plan: SearchPlan,
  call: CallPage,
  signal: AbortSignal,
): Promise<SearchResultPage> {
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

/** Facts of a search's usage row. Only a search that has results and a known price is billed. */
function factsOf({ successfulCalls: answered }: SearchCall, { why }: RequestEnd): Partial<RowFacts> {
  return {
    usage: answered > 0 ? { input: 0, output: 0, units: { searches: answered } } : undefined,
    billing(charged) {
      const isPaid = why === 'served' && charged !== null
      return { billed: isPaid, why: why === 'served' && !isPaid ? 'price-unknown' : why }
    },
  }
}

type SearchRequested = ServedRequest<SearchCandidate, SearchPlan>

/** Records the usage row of a search, then responds. */
async function answer(
  ask: SearchCall,
  requested: SearchRequested,
  { plan: planned, window }: CachedSearch,
  end: SearchEnd,
): Promise<void> {
  const { core, context, request, selection, path } = ask
  const { backend, name } = planned.candidate
  const losses = [...planned.losses]
  addNew(losses, window.losses)
  // The page may come from another caller's search, so check strict mode again.
  checkStrict(context, losses, `Search backend ${name}`)
  const facts = { title: selection.title, markup: backend.markup ?? false, milliseconds: since(context.begunAt) }
  const body = Buffer.from(JSON.stringify(writeSearchResponse(request, window, facts, path)))
  const row = { ...factsOf(ask, end), servedFrom: end.servedFrom }
  await settlePlan(core, context, requested, { ...planned, losses }, end, row)
  const cached: ResponseHeaders = end.why === 'cached' ? { 'headgate-cached': 'true' } : {}
  sendServed(context, { name, losses }, body, { 'content-type': 'application/json; charset=UTF-8', ...cached })
}

/** Calls one backend and responds with its results. */
async function attempt(
  ask: SearchCall,
  requested: SearchRequested,
  plan: SearchPlan,
  answerKey: string,
  spending: Spending | undefined,
): Promise<AttemptOutcome> {
  const { core, family, context } = ask
  const servedFrom = context.attempts.length
  const signal = signalOf(context)
  try {
    const call: CallPage = async (step) => {
      const page = await callBackend(core, context, plan, step, signal, spending)
      ask.successfulCalls++
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

/** Pipeline settings of a search. A cached response needs no backend. */
function servedOf(ask: SearchCall, requested: SearchRequested): OpenedRequest<SearchCandidate, SearchPlan> {
  const { family, context, request, selection } = ask
  let all: readonly SearchPlan[] = []
  let answerKey = ''
  return {
    candidates: supportingCandidates(ask),
    plan: (candidate) => planSearch(request, candidate, { include: selection.sites, exclude: [] }),
    // Health must not change the cache key.
    order(given: PlansGiven<SearchCandidate, SearchPlan>) {
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
      // The losses are this caller's, since the key does not contain ignored parameters.
      const plan = all.find(({ candidate }) => candidate.key === known.plan.candidate.key) ?? known.plan
      return answer(ask, requested, { ...known, plan }, { status: 200, why: 'cached' })
    },
  }
}

/** Serves one search. @throws HeadgateError for the caller. */
export async function serveSearch(
  core: Core,
  family: SearchState,
  context: Context,
  { query, path }: { query: string; path: string },
): Promise<void> {
  const allowed = searchesOf(context.principal)
  if (allowed?.length === 0) throw new HeadgateError('forbidden', 'This key cannot search.')
  const request = readParameters(query, context.startedAt)
  const vendor = headerOf(context.incoming, 'vendor')
  const selection = family.engines.select({ cx: request.cx, vendor, allowed })
  const ask: SearchCall = { core, family, context, request, selection, path, successfulCalls: 0 }
  const requested: SearchRequested = {
    family: 'search',
    format: 'customsearch',
    model: selection.engine,
    targets: BACKENDS,
    open: () => servedOf(ask, requested),
  }
  return serve(core, context, requested)
}
