import { describe, expect, it } from 'vitest'
import { type BudgetRequest, memoryBudgets, type UsageRow } from '../../src/index.ts'
import type { MemoryBudget } from '../../src/operate.ts'

const FOREVER: MemoryBudget = { owner: 'alice', limit: 100n, period: 'forever' }
const alice = { id: 'alice', owners: { project: 'shop' } }

function ask(id: string, bound: number | null, changes: Partial<BudgetRequest> = {}): BudgetRequest {
  const of = { family: 'chat', format: 'messages', model: 'm', provider: 'p', providerModel: 'm', priceId: null }
  return { id, principal: alice, bound, at: Date.now(), ...of, ...changes }
}

const attempt = (cost: number | null) => ({
  provider: 'p',
  model: 'm',
  startedAt: 1,
  durationMs: 1,
  cost,
  priceId: null,
})

function row(
  id: string,
  charged: number | null,
  costs: readonly (number | null)[] = [charged],
  changes: Partial<UsageRow> = {},
): UsageRow {
  const cost = costs.includes(null) ? null : costs.reduce<number>((sum, one) => sum + (one ?? 0), 0)
  return {
    id,
    requestId: 'req',
    principal: 'alice',
    family: 'chat',
    format: 'messages',
    model: 'm',
    provider: 'p',
    providerModel: 'm',
    stream: false,
    translated: false,
    status: 200,
    cost,
    charged,
    priceId: null,
    billed: true,
    why: 'served',
    losses: [],
    startedAt: Date.now(),
    durationMs: 1,
    attempts: costs.map(attempt),
    ...changes,
  }
}

const amounts = (budgets: ReturnType<typeof memoryBudgets>) =>
  budgets.state().map(({ spent, held }) => [Number(spent), Number(held)])

describe('Budgets in memory', () => {
  it('hold what is reserved until its row is settled, once', () => {
    const budgets = memoryBudgets({ budgets: [FOREVER] })
    expect(budgets.bounds(alice)).toBe(true)
    expect(budgets.reserve(ask('1', 60))).toBeUndefined()
    expect(amounts(budgets)).toEqual([[0, 60]])
    for (const _ of ['settled', 'and written again']) budgets.settle(row('1', 25))
    expect(amounts(budgets)).toEqual([[25, 0]])
  })

  it('give back what is released, once', () => {
    const budgets = memoryBudgets({ budgets: [FOREVER] })
    budgets.reserve(ask('1', 60))
    for (const _ of ['released', 'and again']) budgets.release('1')
    expect(amounts(budgets)).toEqual([[0, 0]])
  })

  it('say whether money is tied up or spent, and how much could be reserved now', () => {
    const budgets = memoryBudgets({ budgets: [FOREVER] })
    budgets.reserve(ask('1', 60))
    expect(budgets.reserve(ask('2', 50))).toMatchObject({
      why: 'limit',
      spent: 0n,
      held: 60n,
      room: 40n,
      retryAfterMs: 1_000,
    })
    budgets.settle(row('1', 60))
    expect(budgets.reserve(ask('2', 50))).toEqual({
      why: 'limit',
      budget: { id: 'key:alice:forever', name: 'alice', scope: 'key', limit: 100n, period: 'forever' },
      spent: 60n,
      held: 0n,
      room: 40n,
    })
    expect(budgets.reserve(ask('2', null))).toMatchObject({ why: 'price-unknown' })
    expect(budgets.reserve(ask('2', 40))).toBeUndefined()
  })

  it('are all there, or none', () => {
    const budgets = memoryBudgets({
      budgets: [FOREVER, { owner: 'shop', scope: 'project', limit: 50n, period: 'month', name: 'Shop' }],
    })
    expect(budgets.reserve(ask('1', 60))).toMatchObject({ budget: { name: 'Shop', scope: 'project' }, room: 50n })
    expect(amounts(budgets)).toEqual([
      [0, 0],
      [0, 0],
    ])
    budgets.reserve(ask('2', 50))
    budgets.settle(row('2', 10))
    expect(amounts(budgets)).toEqual([
      [10, 0],
      [10, 0],
    ])
    expect(budgets.bounds({ id: 'bob', owners: { project: 'other' } })).toBe(false)
  })

  it('hold what nobody knows at its bound, call by call, and count what they are said to', () => {
    const counted = (counts: 'charged' | 'cost', settled: UsageRow) => {
      const budgets = memoryBudgets({ budgets: [{ ...FOREVER, counts }] })
      for (const bound of [30, 20]) budgets.reserve(ask('1', bound))
      budgets.settle(settled)
      return amounts(budgets)[0]
    }
    expect(counted('cost', row('1', 7, [null, 7]))).toEqual([37, 0])
    expect(counted('charged', row('1', 7, [null, 7]))).toEqual([37, 0])
    expect(counted('charged', row('1', null, [0, null]))).toEqual([20, 0])
    expect(counted('cost', row('1', null, [null]))).toEqual([50, 0])
    expect(counted('cost', row('1', 500, [0, 500]))).toEqual([500, 0])
  })

  it('count what nothing was reserved for, as far as it is known', () => {
    const budgets = memoryBudgets({ budgets: [{ ...FOREVER, soft: true }] })
    expect([budgets.bounds(alice), budgets.reserve(ask('1', 500))]).toEqual([false, undefined])
    budgets.settle(row('1', 500))
    budgets.settle(row('2', null))
    expect(amounts(budgets)).toEqual([[500, 0]])
  })

  it.each([
    ['day', 'Europe/Berlin', '2026-03-28T23:00Z', '2026-03-29T22:00Z'],
    ['day', 'Africa/Cairo', '2026-04-23T22:00Z', '2026-04-24T21:00Z'],
    ['day', 'Australia/Lord_Howe', '2026-04-04T13:00Z', '2026-04-05T13:30Z'],
    ['week', 'UTC', '2026-11-16T00:00Z', '2026-11-23T00:00Z'],
    ['month', 'America/New_York', '2026-11-01T04:00Z', '2026-12-01T05:00Z'],
  ] as const)('count in windows of their zone: a %s in %s', (period, zone, begins, ends) => {
    const [begin, end] = [Date.parse(begins), Date.parse(ends)]
    let now = begin
    const budgets = memoryBudgets({ budgets: [{ ...FOREVER, period, zone }], now: () => now })
    budgets.reserve(ask('old', 60, { at: begin - 1 }))
    expect([amounts(budgets), budgets.state()[0]?.resetAt]).toEqual([[[0, 0]], end])
    expect(budgets.reserve(ask('1', 100, { at: begin }))).toBeUndefined()
    now = end - 1
    expect([budgets.reserve(ask('2', 1, { at: now }))?.resetAt, amounts(budgets)]).toEqual([end, [[0, 100]]])
    now = end
    expect(budgets.reserve(ask('3', 100, { at: end }))).toBeUndefined()
    // What began before counts in its own window, whenever it ends.
    for (const id of ['old', '1']) budgets.settle(row(id, 50, [50], { startedAt: begin }))
    expect(amounts(budgets)).toEqual([[0, 100]])
  })

  it('are refused where they are none', () => {
    expect(() => memoryBudgets({ budgets: [{ ...FOREVER, limit: -1n }] })).toThrow('must be a bigint')
    expect(() => memoryBudgets({ budgets: [FOREVER, FOREVER] })).toThrow('Two budgets have the id')
    expect(() => memoryBudgets({ budgets: [{ ...FOREVER, period: 'day', zone: 'Mars/Olympus' }] })).toThrow(RangeError)
  })
})
