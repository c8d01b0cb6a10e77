import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type CallCost, spendingOf } from '../../src/cost/spending/spending.ts'
import { onStop, stopContext } from '../../src/edge/stop.ts'
import type { BudgetRefusal, BudgetRequest, Budgets } from '../../src/index.ts'
import { HeadgateError } from '../../src/index.ts'
import { plainTarget } from '../../src/routing/health.ts'
import { recordCall } from '../../src/serve/call-record.ts'
import type { Context } from '../../src/serve/context.ts'
import type { Core } from '../../src/serve/core.ts'

const subject = plainTarget('p', 'm')
const expense = (bound: number | null): CallCost => ({
  provider: 'p',
  endpoint: '',
  providerModel: 'm',
  priceId: null,
  bound,
  unknown: '',
})

interface Asked {
  readonly ask: BudgetRequest
  answer(refusal?: BudgetRefusal): void
}

function start(bounded = true) {
  const asks: Asked[] = []
  const released: string[] = []
  const budgets: Budgets = {
    bounds: () => bounded,
    reserve: (ask) => new Promise((answer) => void asks.push({ ask, answer })),
    release: (id) => void released.push(id),
  }
  const core = { budgets, spending: { leastOutput: 1, unknownPrice: 'refuse' }, warn() {} } as unknown as Core
  const context = { principal: { id: 'alice' }, startedAt: 5, attempts: [], stopListeners: [] } as unknown as Context
  const spending = spendingOf(core, context, { family: 'chat', format: 'messages', model: 'm' })
  if (bounded && !spending) throw new Error('It is bounded.')
  return { asks, released, context, spending: spending as NonNullable<typeof spending> }
}

describe('What a request spends', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('is looked after only where a budget bounds it', () => {
    const { spending, context } = start(false)
    expect([spending, context.rowId, context.holding]).toEqual([undefined, undefined, undefined])
  })

  it('is not waited for without end, and goes back when it comes too late', async () => {
    const { asks, released, context, spending } = start()
    const refused = spending.reserve(expense(1)).catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(await refused).toMatchObject({ kind: 'unavailable', retryAfterMs: 1_000 })
    context.holding?.end()
    expect(released).toEqual([context.rowId])
    asks[0]?.answer()
    await vi.advanceTimersByTimeAsync(0)
    expect(released).toEqual([context.rowId, context.rowId])
  })

  it('is left to the row that is still to come, where it comes too late', async () => {
    const { asks, released, context, spending } = start()
    await recordCall(context, subject, async () => {})
    const refused = spending.reserve(expense(1)).catch(() => {})
    await vi.advanceTimersByTimeAsync(10_000)
    await refused
    asks[0]?.answer()
    await vi.advanceTimersByTimeAsync(0)
    expect(released).toEqual([])
  })

  it('is reserved in the order in which calls are noted, however they run beside each other', async () => {
    const { asks, context, spending } = start()
    const ends: (() => void)[] = []
    const run = async (bound: number): Promise<void> => {
      await spending.reserve(expense(bound))
      await recordCall(
        context,
        { ...subject, model: String(bound) },
        () => new Promise<void>((end) => ends.unshift(end)),
      )
    }
    const all = Promise.all([1, 2, 3].map(run))
    for (const nth of [0, 1, 2]) {
      await vi.advanceTimersByTimeAsync(0)
      expect(asks.length).toBe(nth + 1)
      asks[nth]?.answer()
    }
    await vi.advanceTimersByTimeAsync(0)
    for (const end of ends) {
      end()
      await vi.advanceTimersByTimeAsync(0)
    }
    await all
    expect(context.attempts.map(({ model }) => model)).toEqual(asks.map(({ ask }) => String(ask.bound)))
  })

  it('has an attempt for each call that was reserved beside another, made or not', async () => {
    const { asks, context, spending } = start()
    await recordCall(context, subject, async () => {})
    const refused = spending.reserve(expense(7)).catch((error: unknown) => error)
    context.stopped = new HeadgateError('canceled', 'The caller has left.')
    asks[0]?.answer()
    expect(await refused).toMatchObject({ kind: 'canceled' })
    expect(context.attempts).toMatchObject([{}, { provider: 'p', model: 'm', cost: 0, failure: 'canceled' }])
  })

  it('stays where somebody else settles its row', () => {
    const { released, context, spending } = start()
    void spending.reserve(expense(1))
    spending.handOver()
    context.holding?.end()
    expect(released).toEqual([])
  })

  it('leaves the listeners of what runs already', async () => {
    const { context, spending } = start()
    const stop = vi.fn()
    onStop(context, stop)
    const refused = spending.reserve(expense(1)).catch(() => {})
    stopContext(context, new HeadgateError('canceled', 'The caller has left.'))
    await refused
    expect(stop).toHaveBeenCalledOnce()
    expect(context.stopListeners).toEqual([stop])
  })
})
