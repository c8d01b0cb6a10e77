import type { Json } from '@headgate/core/canonical'
import { addLosses, type Loss } from '@headgate/core/canonical'
import type { Paging, SearchPage } from '@headgate/core/contract'
import { unlessAborted } from '../../serve/abort.ts'
import { MAX_RESULTS } from './parameters.ts'
import { createResults, type SearchResult, type SearchResults } from './results.ts'
import type { Sites } from './site.ts'

/** Range of a backend's list that one call reads. */
export interface ListRange {
  readonly limit: number
  readonly offset: number
  readonly page: number
}

/** Page of results that one call returns, with the losses that the call declared. */
export interface ReadPage extends SearchPage {
  readonly losses: readonly Loss[]
}

export type CallPage = (step: ListRange) => Promise<ReadPage>

/** Page of results for the caller. */
export interface SearchResultPage {
  readonly items: readonly SearchResult[]
  /** Known or estimated total number of results. */
  readonly total: number
  readonly more: boolean
  readonly correction?: string | undefined
  readonly fields?: Json | undefined
  /** Losses that the calls declared, in addition to the plan's losses. */
  readonly losses: readonly Loss[]
}

export interface PageRange {
  /** Position of the first result, from 1. */
  readonly start: number
  readonly num: number
}

/** Maximum calls for one page of results, for backends whose pages are short. */
const MAX_CALLS = 20

/** Results of a query at one backend, read in order from the first. */
export interface BackendResults {
  /**
   * Reads until the page is complete, and returns it. If the signal aborts, this caller stops waiting; other callers
   * continue.
   */
  window(place: PageRange, call: CallPage, signal: AbortSignal): Promise<SearchResultPage>
}

function maxResultsOf({ maxResults = MAX_RESULTS }: Paging): number {
  return Math.min(maxResults, MAX_RESULTS)
}

/** True if a page is the last one: the backend reports it, or the page is shorter than the limit. */
function isLast({ more, items }: SearchPage, limit: number): boolean {
  return more === undefined ? items.length < limit : !more
}

interface Progress {
  readonly results: SearchResults
  /** Number of results that the backend returned, including dropped ones. */
  received: number
  /** Maximum `limit` of all calls so far. */
  largestLimit: number
  pages: number
  ended: boolean
  last: SearchPage | undefined
  readonly losses: Loss[]
}

/** The next call to get `wanted` results; undefined = no more results are available. */
function nextStep(
  paging: Paging,
  { results, received: came, largestLimit: asked, pages }: Progress,
  wanted: number,
): ListRange | undefined {
  const reach = maxResultsOf(paging)
  const missing = wanted - results.list.length
  switch (paging.by) {
    case 'offset':
      return came < reach
        ? { limit: Math.min(paging.perCall, missing, reach - came), offset: came, page: pages }
        : undefined
    case 'page': {
      const limit = paging.perCall ?? missing
      const offset = paging.perCall === undefined ? came : pages * paging.perCall
      return offset < reach ? { limit, offset, page: pages } : undefined
    }
    case 'none': {
      // Each call returns all earlier results again, so double the limit to need few calls.
      const limit = Math.min(reach, asked === 0 ? wanted : Math.max(asked + missing, 2 * asked))
      return limit > asked ? { limit, offset: 0, page: 0 } : undefined
    }
  }
}

/** Adds losses without repeating the losses of earlier pages. */
export function addNew(losses: Loss[], more: readonly Loss[]): void {
  addLosses(
    losses,
    more.filter(({ path, kind }) => !losses.some((one) => one.path === path && one.kind === kind)),
  )
}

function addPage(progress: Progress, paging: Paging, step: ListRange, page: ReadPage): void {
  const { results, losses } = progress
  addNew(losses, page.losses)
  results.add(page.items.slice(0, Math.max(0, maxResultsOf(paging) - step.offset)))
  progress.received = paging.by === 'none' ? page.items.length : progress.received + page.items.length
  progress.largestLimit = Math.max(progress.largestLimit, step.limit)
  progress.pages++
  progress.last = page
  // If the page size is unknown, only an empty page is the last one.
  const limit = paging.by === 'page' && paging.perCall === undefined ? 1 : step.limit
  progress.ended = page.items.length === 0 || isLast(page, limit)
}

/**
 * Total number of results: the backend's number if no result was dropped; else the number seen, plus one if there may
 * be more.
 */
function totalOf({ results, ended, last }: Progress, exhausted: boolean): number {
  const seen = results.list.length
  if (last?.total !== undefined && results.dropped === 0) return Math.max(last.total, seen)
  return ended || exhausted ? seen : seen + 1
}

export function createList(paging: Paging, sites: Sites): BackendResults {
  const progress: Progress = {
    results: createResults(sites, paging.by === 'none'),
    received: 0,
    largestLimit: 0,
    pages: 0,
    ended: false,
    last: undefined,
    losses: [],
  }
  let turn: Promise<unknown> = Promise.resolve()

  const readOn = async ({ start, num }: PageRange, call: CallPage): Promise<SearchResultPage> => {
    const { results } = progress
    const wanted = start - 1 + num
    let step: ListRange | undefined
    for (let calls = 0; calls < MAX_CALLS && results.list.length < wanted && !progress.ended; calls++) {
      step = nextStep(paging, progress, wanted)
      if (!step) break
      addPage(progress, paging, step, await call(step))
    }
    const exhausted = nextStep(paging, progress, results.list.length + 1) === undefined
    return {
      items: results.list.slice(start - 1, wanted),
      total: totalOf(progress, exhausted),
      more: results.list.length > wanted || !(progress.ended || exhausted),
      correction: progress.last?.correction,
      fields: progress.last?.fields,
      losses: [...progress.losses],
    }
  }
  return {
    // Callers take turns, or two of them would request the same page.
    window(place, call, signal) {
      const mine = turn.then(() => {
        signal.throwIfAborted()
        return readOn(place, call)
      })
      turn = mine.catch(() => {})
      return unlessAborted(mine, signal)
    },
  }
}

/** Calls that read a page of results without the pages before it; undefined if the backend cannot start there. */
function directSteps(paging: Paging, { start, num }: PageRange): ListRange[] | undefined {
  const first = start - 1
  const reach = maxResultsOf(paging)
  if (paging.by === 'none' || paging.perCall === undefined || first >= reach) return undefined
  const size = paging.perCall
  const steps: ListRange[] = []
  if (paging.by === 'offset') {
    const end = Math.min(first + num, reach)
    for (let offset = first; offset < end; offset += size)
      steps.push({ limit: Math.min(size, end - offset), offset, page: 0 })
  } else {
    for (let page = Math.floor(first / size); page * size < Math.min(first + num, reach); page++)
      steps.push({ limit: size, offset: page * size, page })
  }
  return steps
}

/**
 * Reads a page of results without the pages before it. Undefined if the backend cannot start there, or if positions
 * turn out to be unreliable: a result was dropped, or a page is short but is not the last.
 */
export async function readDirectly(
  paging: Paging,
  sites: Sites,
  place: PageRange,
  call: CallPage,
): Promise<SearchResultPage | undefined> {
  const steps = directSteps(paging, place)
  if (!steps) return undefined
  const reach = maxResultsOf(paging)
  const results = createResults(sites, false)
  let last: SearchPage | undefined
  let ended = false
  const losses: Loss[] = []
  for (const step of steps) {
    if (ended) break
    const page = await call(step)
    last = page
    addNew(losses, page.losses)
    results.add(last.items.slice(0, reach - step.offset))
    ended = isLast(last, step.limit)
    if (results.dropped > 0 || (!ended && last.items.length < step.limit)) return undefined
  }
  const begin = place.start - 1 - (steps[0]?.offset ?? 0)
  const items = results.list.slice(begin, begin + place.num)
  const end = place.start - 1 + items.length
  const more = results.list.length > begin + place.num || !(ended || end >= reach)
  const seen = items.length > 0 ? end + Number(more) : 0
  return {
    items,
    total: Math.max(last?.total ?? 0, seen),
    more,
    correction: last?.correction,
    fields: last?.fields,
    losses,
  }
}
