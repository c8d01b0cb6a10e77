import { expect, it } from 'vitest'
import { check } from '../src/backup/check.ts'
import { transact } from '../src/database/transaction.ts'
import { repriceRows, unpricedRequests } from '../src/prices/reprice.ts'
import { setPriceWithin } from '../src/prices/set.ts'
import { requestUsage } from '../src/usage/request.ts'
import { usageSeries } from '../src/usage/series.ts'
import { writeRows } from '../src/usage/write.ts'
import { ledgerRow, START } from './support/rows.ts'
import { describeStores, stores } from './support/stores.ts'

const MODEL = { provider: 'mine', model: 'model-1' }
const RATES = { input: 2_000_000_000, output: 8_000_000_000 }
const unknown = { cost: null, charged: null, priceId: null, why: 'price-unknown', billed: false } as const

/** Requests of an hour of which each has 10 input and 20 output tokens: 180,000 nano-dollars. */
const rows = Array.from({ length: 7 }, (_, number) => {
  const row = ledgerRow(number, {
    provider: MODEL.provider,
    providerModel: MODEL.model,
    startedAt: START + number,
    usage: { input: 10, output: 20 },
  })
  const [attempt] = row.attempts
  if (!attempt) throw new TypeError('A row has an attempt.')
  const own = { ...attempt, cost: null, priceId: null }
  if (number === 0) return row
  const attempts = number === 6 ? [{ ...own, provider: 'cut' }, own] : [own]
  return { ...row, ...unknown, attempts, ...(number === 5 && { held: '5' }), ...(number === 4 && { usage: {} }) }
})

describeStores(stores(), 'Requests without a price over $name', ({ open }) => {
  it('get the current price by corrections, once, and sums, checks and requests agree', async () => {
    const connection = await open()
    await writeRows(connection, { rows, zone: 'UTC' })
    const parts = { connection, zone: 'UTC' }
    expect(await repriceRows(parts, MODEL)).toBe(0)
    const price = { ...MODEL, rates: RATES }
    await transact(connection, (trx) => setPriceWithin(connection, trx, price, START + 3_600_000))
    expect(await unpricedRequests(connection, MODEL)).toEqual({ requests: 5, since: START + 1 })
    const sums = async () => {
      const query = { from: START, to: START + 86_400_000, step: 'day' as const, by: 'provider' as const }
      const [point] = await usageSeries(connection, query)
      if (!point) throw new TypeError('There is usage.')
      const { counts, cost, charged } = point
      return { requests: counts.requests, unpriced: counts.unpriced, cost: BigInt(cost), charged: BigInt(charged) }
    }
    const before = await sums()
    // One has no usage, and another an attempt of unknown cost.
    expect(await repriceRows(parts, MODEL)).toBe(3)
    expect(await repriceRows(parts, MODEL)).toBe(0)
    const after = await sums()
    expect(after.requests).toBe(before.requests)
    expect(before.unpriced - after.unpriced).toBe(3)
    expect(after.cost - before.cost).toBe(3n * 180_000n)
    expect(after.charged - before.charged).toBe(3n * 180_000n)
    const found = await requestUsage(connection, { requestId: rows[1]?.requestId ?? '' })
    expect(found?.corrections).toMatchObject([{ why: 'priced', cost: '180000', charged: '180000' }])
    expect(found?.cost).toBeNull()
    expect((await check(connection)).filter(({ level }) => level === 'fault')).toEqual([])
  })

  it('get the price of their variant and of their image tokens', async () => {
    const connection = await open()
    const images = [
      { input: 0, output: 0, units: { images: 2 }, variant: 'high:1024x1024' },
      { input: 0, output: 0, units: { images: 2 }, variant: 'low:1024x1024' },
      // No price has this variant, and none of a part of it.
      { input: 0, output: 0, units: { images: 2 }, variant: 'max:64x64' },
      { input: 10, output: 20, imageInput: 4, imageOutput: 15 },
    ].map((usage, number) => {
      const row = ledgerRow(number, {
        provider: MODEL.provider,
        providerModel: MODEL.model,
        startedAt: START + number,
        usage,
      })
      return { ...row, ...unknown, attempts: row.attempts.map((one) => ({ ...one, cost: null, priceId: null })) }
    })
    await writeRows(connection, { rows: images, zone: 'UTC' })
    const rates = {
      ...RATES,
      imageInput: 1_000_000_000,
      imageOutput: 30_000_000_000,
      variants: {
        'high:1024x1024': { images: 133_000_000_000 },
        '1024x1024': { images: 40_000_000_000 },
      },
    }
    await transact(connection, (trx) => setPriceWithin(connection, trx, { ...MODEL, rates }, START + 3_600_000))
    expect(await repriceRows({ connection, zone: 'UTC' }, MODEL)).toBe(3)
    const costs = await Promise.all(
      images.map(async ({ requestId }) => (await requestUsage(connection, { requestId }))?.corrections[0]?.cost),
    )
    // 6 text and 4 image tokens of input, 5 and 15 of output.
    expect(costs).toEqual(['266000', '80000', undefined, String(6 * 2_000 + 4 * 1_000 + 5 * 8_000 + 15 * 30_000)])
  })

  it('that began when there was a price stay unknown: their tier or unit has none', async () => {
    const connection = await open()
    const price = { ...MODEL, rates: RATES }
    await transact(connection, (trx) => setPriceWithin(connection, trx, price, START - 1))
    await writeRows(connection, { rows, zone: 'UTC' })
    expect(await unpricedRequests(connection, MODEL)).toEqual({ requests: 0 })
    expect(await repriceRows({ connection, zone: 'UTC' }, MODEL)).toBe(0)
  })
})
