import { expect, it } from 'vitest'
import { check } from '../../src/backup/check.ts'
import { runSql } from '../../src/database/transaction.ts'
import { daysByModel } from '../../src/usage/upstream-days.ts'
import { writeRows } from '../../src/usage/write.ts'
import { ledgerRow, START } from '../support/rows.ts'
import { describeStores, stores } from '../support/stores.ts'

const DAY = 86_400_000

describeStores(stores(), 'what a provider was used for in $name', ({ open }) => {
  it('is by days in UTC and its own names of models, with calls that others have taken over', async () => {
    const connection = await open()
    const [one] = ledgerRow(1).attempts
    if (!one) throw new Error('It has one.')
    const failed = { ...one, provider: 'first', model: 'first-1', status: 500, cost: 40 }
    const cut = { ...failed, cost: null }
    const rows = [
      ledgerRow(1, {
        model: 'fast',
        providerModel: 'model-1-2026',
        usage: { input: 10, output: 20, cacheRead: 4, cacheWrite: 2 },
      }),
      ledgerRow(2, { model: 'mine/model-1', providerModel: 'model-1-2026', attempts: [failed, one], cost: 1_540 }),
      ledgerRow(3, {
        provider: 'first',
        providerModel: 'first-1',
        attempts: [cut],
        cost: null,
        charged: 0,
        usage: undefined,
        status: 500,
      }),
      ledgerRow(4, { startedAt: START + DAY, attempts: [] }),
    ]
    // Days begin elsewhere, and bills do not care.
    await writeRows(connection, { rows: [...rows, ...rows], zone: 'Pacific/Auckland' })
    const query = { from: START, to: START + 1, provider: 'mine' }
    const first = {
      day: '2023-11-14',
      calls: 2,
      unpriced: 0,
      input: 20,
      output: 40,
      cacheRead: 4,
      cacheWrite: 2,
      cost: '3000',
    }
    expect(await daysByModel(connection, query)).toEqual([{ ...first, model: 'model-1-2026' }])
    const next = {
      day: '2023-11-15',
      model: 'model-1',
      calls: 0,
      unpriced: 0,
      input: 10,
      output: 20,
      cacheRead: 0,
      cacheWrite: 0,
      cost: '0',
    }
    expect((await daysByModel(connection, { ...query, to: START + DAY }))[1]).toEqual(next)
    expect(await daysByModel(connection, { ...query, provider: 'first' })).toEqual([
      {
        day: '2023-11-14',
        model: 'first-1',
        calls: 2,
        unpriced: 1,
        input: 0,
        output: 0,
        cacheRead: 0,
        cacheWrite: 0,
        cost: '40',
      },
    ])
    expect(await daysByModel(connection, { ...query, provider: "' OR 1=1 --" })).toEqual([])
    expect(await check(connection, { zone: 'Pacific/Auckland' })).toEqual([])
    await runSql(connection.db, 'UPDATE usage_upstream_days SET cost = cost + 1')
    expect((await check(connection, { zone: 'Pacific/Auckland' }))[0]?.details).toMatchObject({
      table: 'usage_upstream_days',
      cost: '3040 ≠ 3042',
    })
  })
})
