import { isObject, type Json, number, text } from '../../canonical/json.ts'
import type { SearchItem, SearchPage } from '../../contract/search.ts'
import { HeadgateError, reworded } from '../../errors.ts'
import { NO_CALL, runExchange } from '../../http/exchange.ts'
import type { Context } from '../../pipeline/context.ts'
import type { Core } from '../../pipeline/core.ts'
import { noted } from '../../pipeline/noted.ts'
import { unlessAborted } from './abort.ts'
import { failureOf, withoutQuery } from './failure.ts'
import type { Step } from './list.ts'
import type { SearchPlan } from './plan.ts'

/** How long one call of a backend may take, in milliseconds. */
const PATIENCE = 30_000

/** Calls a backend once. The row of the attempt is noted, whatever comes of it. */
export function callBackend(core: Core, context: Context, plan: SearchPlan, step: Step, stop: AbortSignal): Promise<SearchPage> {
  const { backend, name } = plan.candidate
  const { search } = backend
  const query = { ...plan.query, ...step }
  const late = AbortSignal.timeout(PATIENCE)
  const signal = AbortSignal.any([stop, late])
  return noted(context, { provider: name, model: name }, async (note) => {
    try {
      signal.throwIfAborted()
      if ('run' in search) return soundPage(await unlessAborted(search.run(query, signal, NO_CALL), signal))
      const page = await runExchange(core, backend, search, query, {
        limit: core.limits.answer,
        signal,
        check(answer) {
          note.status = answer.status
          const failure = failureOf(answer, plan)
          if (failure) throw failure
        },
      })
      return soundPage(page)
    } catch (error) {
      throw failureFrom(error, plan, stop, late)
    }
  })
}

/** Longer titles and snippets are cut: nobody reads them, and lists are kept. */
const LONGEST_TEXT = 10_000

/** A copy of its own, as a piece would hold on to the whole. */
function shortened(source: string): string {
  return Buffer.from(source.slice(0, LONGEST_TEXT)).toString()
}

function soundItem(item: SearchItem & Json): SearchItem {
  const long = (['title', 'snippet'] as const).filter((name) => (text(item[name]) ?? '').length > LONGEST_TEXT)
  return long.length === 0 ? item : { ...item, ...Object.fromEntries(long.map((name) => [name, shortened(item[name] ?? '')])) }
}

function soundTotal(total: unknown): number | undefined {
  const count = number(total)
  return count !== undefined && count >= 0 ? Math.min(Math.round(count), Number.MAX_SAFE_INTEGER) : undefined
}

function soundCost(cost: unknown): number | undefined {
  const nanos = number(cost)
  return nanos !== undefined && nanos >= 0 ? nanos : undefined
}

/** Adapters read what others sent: what is no result never gets further. */
function soundPage(page: SearchPage): SearchPage {
  if (!isObject(page) || !Array.isArray(page.items)) throw new HeadgateError('upstream', 'It answered without a list of results.')
  const items = page.items.filter((item): item is SearchItem & Json => isObject(item)).map(soundItem)
  return { ...page, items, correction: text(page.correction), total: soundTotal(page.total), cost: soundCost(page.cost) }
}

/** What ended the call from here counts for more than what the call made of it. */
function failureFrom(error: unknown, plan: SearchPlan, stop: AbortSignal, late: AbortSignal): HeadgateError {
  const { name, backend } = plan.candidate
  if (stop.aborted && HeadgateError.is(stop.reason)) return stop.reason
  if (late.aborted) return new HeadgateError('timeout', `${name} did not answer within ${PATIENCE / 1000} s.`, { cause: error })
  if (!HeadgateError.is(error)) return new HeadgateError('upstream', `${name}: the search failed.`, { cause: error })
  if (error.kind === 'our-credential' || error.kind === 'our-quota') return error
  // What is elsewhere was read by core; what runs here says what it likes.
  const words = 'run' in backend.search ? withoutQuery(error.message, plan) : error.message
  return reworded(error, `${name}: ${words}`)
}
