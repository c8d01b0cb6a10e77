import { describe, expect, it } from 'vitest'
import { catalogPrices, changedPrices, configuredPrices } from '../src/prices/changed-prices.ts'
import { createPriceHistory } from '../src/prices/price-history.ts'
import type { PriceRow } from '../src/prices/row.ts'

const NOON = Date.UTC(2026, 10, 22, 12)
const HOUR = 3_600_000
const price = (input: number, id = 'config') => ({ id, input, output: 2 * input })
const configured = (input: number) => configuredPrices({ 'mine/fast/one': price(input) })
const inputAt = (rows: readonly PriceRow[], at: number) =>
  createPriceHistory(rows).priceOf('mine', 'fast/one', at)?.input

describe('Dated prices', () => {
  it('begin when they are first known, with ids that say whose they are and since when', () => {
    const catalog = catalogPrices('openai', [
      { id: 'small', price: price(5, 'models.dev@2026-07-02') },
      { id: 'public', upstream: 'theirs', price: price(6, 'models.dev@2026-07-02') },
      { id: 'unpriced' },
    ])
    expect(changedPrices([], [...configured(1), ...catalog], NOON)).toEqual([
      {
        id: 'config:mine/fast/one@2026-11-22T12:00:00.000Z',
        provider: 'mine',
        model: 'fast/one',
        source: 'config',
        validFrom: NOON,
        rates: { input: 1, output: 2 },
      },
      expect.objectContaining({
        id: 'catalog(models.dev@2026-07-02):openai/small@2026-11-22T12:00:00.000Z',
        rates: { input: 5, output: 10 },
      }),
      expect.objectContaining({ model: 'theirs', source: 'catalog' }),
    ])
  })

  it('are not written again while they are the same, however they are ordered', () => {
    const rows = changedPrices([], configured(1), NOON)
    expect(changedPrices(rows, configured(1), NOON + HOUR)).toEqual([])
    expect(
      changedPrices(rows, configuredPrices({ 'mine/fast/one': { output: 2, input: 1, id: 'contract' } }), NOON + HOUR),
    ).toEqual([])
  })

  it('change from now on: what began before keeps the earlier one', () => {
    const before = changedPrices([], configured(1), NOON)
    const rows = [...before, ...changedPrices(before, configured(3), NOON + HOUR)]
    expect(rows).toHaveLength(2)
    expect([NOON - 1, NOON, NOON + HOUR - 1, NOON + HOUR, NOON + 9 * HOUR].map((at) => inputAt(rows, at))).toEqual([
      undefined,
      1,
      1,
      3,
      3,
    ])
    expect(createPriceHistory(rows).priceOf('mine', 'fast/one', NOON + HOUR)?.id).toBe(
      'config:mine/fast/one@2026-11-22T13:00:00.000Z',
    )
  })

  it('end where the configuration does not have them any more: the catalog holds again, or nothing', () => {
    const catalog = catalogPrices('mine', [{ id: 'fast/one', price: price(7, 'models.dev@2026-07-02') }])
    const before = changedPrices([], [...configured(1), ...catalog], NOON)
    expect(inputAt(before, NOON)).toBe(1)
    const ended = changedPrices(before, catalog, NOON + HOUR)
    expect(ended).toMatchObject([{ source: 'config', rates: null, validFrom: NOON + HOUR }])
    const rows = [...before, ...ended]
    expect([inputAt(rows, NOON), inputAt(rows, NOON + HOUR)]).toEqual([1, 7])
    expect(changedPrices(rows, catalog, NOON + 2 * HOUR)).toEqual([])
    const again = changedPrices(rows, [...configured(1), ...catalog], NOON + 3 * HOUR)
    expect(inputAt([...rows, ...again], NOON + 3 * HOUR)).toBe(1)
    const alone = changedPrices([], configured(1), NOON)
    expect(inputAt([...alone, ...changedPrices(alone, [], NOON + HOUR)], NOON + HOUR)).toBeUndefined()
  })

  it('that somebody has set hold before the catalog, and after the configuration', () => {
    const catalog = catalogPrices('mine', [{ id: 'fast/one', price: price(7, 'models.dev@2026-07-02') }])
    const set = (rates: PriceRow['rates'], validFrom: number): PriceRow => ({
      id: `store:mine/fast/one@${validFrom}`,
      provider: 'mine',
      model: 'fast/one',
      source: 'store' as const,
      validFrom,
      rates,
    })
    const before = changedPrices([], catalog, NOON)
    const rows = [...before, set({ input: 9, output: 9 }, NOON + HOUR), set(null, NOON + 3 * HOUR)]
    expect([0, 1, 2, 3].map((hours) => inputAt(rows, NOON + hours * HOUR))).toEqual([7, 9, 9, 7])
    expect(changedPrices(rows, catalog, NOON + 2 * HOUR)).toEqual([])
    expect(inputAt([...rows, ...changedPrices(rows, configured(1), NOON + 2 * HOUR)], NOON + 2 * HOUR)).toBe(1)
  })

  it('keep the catalog of a provider that is not enabled now', () => {
    const rows = changedPrices([], catalogPrices('mine', [{ id: 'fast/one', price: price(7) }]), NOON)
    expect(changedPrices(rows, [], NOON + HOUR)).toEqual([])
  })

  it('hold one after another also where the clock went back, and have ids of their own', () => {
    const first = changedPrices([], configured(1), NOON)
    const second = changedPrices(first, configured(2), NOON - HOUR)
    const third = changedPrices([...first, ...second], configured(3), NOON)
    const rows = [...first, ...second, ...third]
    expect(inputAt(rows, NOON + HOUR)).toBe(3)
    expect(new Set(rows.map(({ id }) => id)).size).toBe(3)
  })

  it('are valid as soon as they are known, also by a clock that is behind that of whoever set them, or goes back', () => {
    const clock = { now: NOON, elapsed: 0 }
    const pass = (ms: number): void => {
      clock.now += ms
      clock.elapsed += ms
    }
    const book = createPriceHistory([], { now: () => clock.now, elapsed: () => clock.elapsed })
    const inputNow = (ago = 0) => book.priceOf('mine', 'fast/one', clock.now - ago)?.input
    const first = changedPrices([], configured(1), NOON + 5_000)
    book.add(first)
    expect(inputNow()).toBe(1)
    pass(10_000)
    book.add(changedPrices(first, configured(2), NOON + HOUR))
    expect([inputNow(), inputNow(1_000)]).toEqual([2, 1])
    clock.now -= HOUR
    expect(inputNow()).toBe(2)
    pass(HOUR)
    expect(inputNow(1_000)).toBe(2)
  })

  it('hold for a request while the clock steps, forward and back', () => {
    const DAY = 24 * HOUR
    const clock = { now: NOON, elapsed: 0 }
    const pass = (ms: number): void => {
      clock.now += ms
      clock.elapsed += ms
    }
    const book = createPriceHistory([], { now: () => clock.now, elapsed: () => clock.elapsed })
    const inputAtTime = (at: number) => book.priceOf('mine', 'fast/one', at)?.input
    pass(HOUR)
    book.add(changedPrices([], configured(1), NOON + 2 * DAY))
    pass(1_000)
    const startedAt = clock.now
    // A request that began before the price was known has none.
    expect([startedAt, startedAt - 2_000].map(inputAtTime)).toEqual([1, undefined])
    const seen = [DAY, -DAY, -HOUR, DAY, -2_000].map((step) => {
      clock.now += step
      pass(200)
      return inputAtTime(startedAt)
    })
    expect(seen).toEqual([1, 1, 1, 1, 1])
  })

  it('hold for the first request that begins after the clock went back', () => {
    const clock = { now: NOON, elapsed: 0 }
    const pass = (ms: number): void => {
      clock.now += ms
      clock.elapsed += ms
    }
    const book = createPriceHistory([], { now: () => clock.now, elapsed: () => clock.elapsed })
    book.add(changedPrices([], configured(1), NOON))
    pass(1_000)
    clock.now -= HOUR
    pass(500)
    const startedAt = clock.now
    pass(3)
    expect(book.priceOf('mine', 'fast/one', startedAt)?.input).toBe(1)
  })

  it('may be taken in while requests run, in any order and twice', () => {
    const first = changedPrices([], configured(1), NOON)
    const second = changedPrices(first, configured(2), NOON + HOUR)
    const book = createPriceHistory(second)
    book.add(first)
    book.add([...first, ...second])
    expect([NOON, NOON + HOUR].map((at) => book.priceOf('mine', 'fast/one', at)?.input)).toEqual([1, 2])
    expect(book.priceOf('other', 'fast/one', NOON)).toBeUndefined()
  })
})
