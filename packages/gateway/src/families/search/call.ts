import type { Loss } from '@headgate/core/canonical'
import { isCount, isObject, type Json, number, text } from '@headgate/core/canonical'
import type { HttpResponse, SearchItem, SearchPage } from '@headgate/core/contract'
import { HeadgateError, reworded } from '@headgate/core/errors'
import type { RecordedAttempt } from '../../cost/charge.ts'
import { costOf } from '../../cost/cost.ts'
import { callCostOf, type Spending } from '../../cost/spending/spending.ts'
import { type ExchangeOptions, finishExchange, NO_CALL } from '../../http/exchange.ts'
import { plainTarget } from '../../routing/health.ts'
import { unlessAborted } from '../../serve/abort.ts'
import { type Callee, type CallRecord, recordExchange, recordLocal } from '../../serve/call-record.ts'
import type { Context } from '../../serve/context.ts'
import type { Core } from '../../serve/core.ts'
import { checkStrict, lossCollector } from '../../serve/losses.ts'
import { upstreamAccessOf } from '../../serve/trace.ts'
import { BOUND, priceOf } from './bound.ts'
import { failureOf, withoutQuery } from './failure.ts'
import type { ListRange, ReadPage } from './list.ts'
import { healthTargetOf, type SearchPlan } from './plan.ts'

/** Timeout of one call of a backend, in milliseconds. */
const CALL_TIMEOUT_MS = 30_000

/** Calls a backend once and always records the attempt. `spending` reserves the cost before the call. */
export async function callBackend(
  core: Core,
  context: Context,
  plan: SearchPlan,
  step: ListRange,
  stop: AbortSignal,
  spending: Spending | undefined,
): Promise<ReadPage> {
  if (spending) {
    stop.throwIfAborted()
    await spending.reserve(
      callCostOf(plainTarget(plan.candidate.name, plan.candidate.name), priceOf(plan.candidate), BOUND),
    )
  }
  return calledBackend(core, context, plan, step, stop)
}

function calledBackend(
  core: Core,
  context: Context,
  plan: SearchPlan,
  step: ListRange,
  stop: AbortSignal,
): Promise<ReadPage> {
  const { backend, name } = plan.candidate
  const { search } = backend
  const query = { ...plan.query, ...step }
  const late = AbortSignal.timeout(CALL_TIMEOUT_MS)
  const signal = AbortSignal.any([stop, late])
  const losses: Loss[] = []
  const call = { ...NO_CALL, lose: lossCollector(losses) }
  const callee: Callee = {
    ...plainTarget(name, name),
    billing: backend.billing,
    repeats: healthTargetOf(plan).provider,
    failureOf: (answer) => failureOf(answer, plan),
  }
  const pageOf = async (options: Omit<ExchangeOptions, 'call'>, note: CallRecord): Promise<SearchPage> => {
    if ('run' in search) {
      const page = await recordLocal(note, () => unlessAborted(search.run(query, signal, call), signal))
      checkStrict(context, losses, `Search backend ${name}`)
      return page
    }
    const first = search.request(query, call)
    checkStrict(context, losses, `Search backend ${name}`)
    const read = (answer: HttpResponse, earlier: readonly HttpResponse[]) => search.response(answer, query, earlier)
    return finishExchange(upstreamAccessOf(core, context, name, backend), backend, first, read, options)
  }
  return recordExchange(core, context, callee, signal, async (options, note) => {
    if (context.asked?.family !== 'search') note.row.family = 'search'
    try {
      return priced({ ...soundPage(await pageOf(options, note)), losses }, plan, note.row)
    } catch (error) {
      throw failureFrom(error, plan, stop, late)
    }
  })
}

/** Maximum characters of a title or snippet. Longer ones are cut, because lists are stored. */
const LONGEST_TEXT = 10_000

/** A copy, because a slice would keep the whole string in memory. */
function shortened(source: string): string {
  return Buffer.from(source.slice(0, LONGEST_TEXT)).toString()
}

function soundItem(item: SearchItem & Json): SearchItem {
  const long = (['title', 'snippet'] as const).filter((name) => (text(item[name]) ?? '').length > LONGEST_TEXT)
  return long.length === 0
    ? item
    : { ...item, ...Object.fromEntries(long.map((name) => [name, shortened(item[name] ?? '')])) }
}

function soundTotal(total: unknown): number | undefined {
  const count = number(total)
  return count !== undefined && count >= 0 ? Math.min(Math.round(count), Number.MAX_SAFE_INTEGER) : undefined
}

function soundCost(cost: unknown): number | undefined {
  const nanos = number(cost)
  return nanos !== undefined && nanos >= 0 ? nanos : undefined
}

/** Sets the cost of a call: the cost that the backend reports, else its price. */
function priced<P extends SearchPage>(page: P, { candidate: { name, price } }: SearchPlan, row: RecordedAttempt): P {
  const cost = page.cost ?? costOf({ input: 0, output: 0, units: { searches: 1 } }, priceOf({ price }))
  if (cost !== null && isCount(Math.round(cost))) {
    row.cost = Math.round(cost)
    row.priceId = price?.id ?? name
  }
  return page
}

/** Validates the page of an adapter, which reads untrusted responses. Items that are not objects are removed. */
function soundPage(page: SearchPage): SearchPage {
  if (!isObject(page) || !Array.isArray(page.items))
    throw new HeadgateError('upstream', 'The response has no list of results.')
  const items = page.items.filter((item): item is SearchItem & Json => isObject(item)).map(soundItem)
  return {
    ...page,
    items,
    correction: text(page.correction),
    total: soundTotal(page.total),
    cost: soundCost(page.cost),
  }
}

/** The failure to report. An abort of the gateway takes precedence over the error that it causes in the call. */
function failureFrom(error: unknown, plan: SearchPlan, stop: AbortSignal, late: AbortSignal): HeadgateError {
  const { name, backend } = plan.candidate
  if (stop.aborted && HeadgateError.is(stop.reason)) return stop.reason
  if (late.aborted)
    return new HeadgateError('timeout', `${name} did not respond within ${CALL_TIMEOUT_MS / 1000} s.`, { cause: error })
  if (!HeadgateError.is(error)) return new HeadgateError('upstream', `${name}: the search failed.`, { cause: error })
  if (error.kind === 'our-credential' || error.kind === 'our-quota') return error
  // Core has already cleaned the messages of HTTP backends, but in-process backends choose their own messages.
  const words = 'run' in backend.search ? withoutQuery(error.message, plan) : error.message
  return reworded(error, `${name}: ${words}`)
}
