import { expect, it } from 'vitest'
import { usageExplanation } from '../../src/usage/explanation.ts'
import { daysByModel } from '../../src/usage/upstream-days.ts'
import { upstreamTotals } from '../../src/usage/upstream-totals.ts'
import { writeRows } from '../../src/usage/write.ts'
import { ledgerRow, START } from '../support/rows.ts'
import { describeStores, stores } from '../support/stores.ts'
import { knowPrincipals } from './owners.ts'

const DAY = 86_400_000

describeStores(stores(), 'what the gateway did for requests, in $name', ({ open }) => {
  it('is lost fields, requests saved by failover, and cached input', async () => {
    const connection = await open()
    await knowPrincipals(connection)
    const lost = { path: 'top_k', kind: 'dropped', reason: 'not supported' } as const
    const call = { provider: 'first', model: 'm', startedAt: START, durationMs: 1, status: 200, cost: 0, priceId: 'p1' }
    const failed = { ...call, status: 529, failure: 'overloaded' as const }
    const usage = { input: 100, output: 1, cacheRead: 60, cacheWrite: 20 }
    const rows = [
      ledgerRow(1, { principal: 'key_1', losses: [lost, lost], attempts: [] }),
      ledgerRow(2, { principal: 'key_1', losses: [lost, { ...lost, path: 'seed' }], attempts: [] }),
      ledgerRow(3, { principal: 'key_2', losses: [lost], attempts: [] }),
      ledgerRow(4, { principal: 'key_1', provider: 'second', attempts: [failed, { ...call, provider: 'second' }] }),
      ledgerRow(5, { principal: 'key_1', status: 529, failure: 'overloaded', attempts: [failed] }),
      ledgerRow(6, { principal: 'key_1', usage, attempts: [call] }),
      ledgerRow(7, { principal: 'key_1', usage, attempts: [call] }),
      ledgerRow(8, { principal: 'key_1', startedAt: START + DAY, losses: [lost] }),
    ]
    await writeRows(connection, { rows, zone: 'UTC' })
    const found = await usageExplanation(connection, { from: START, to: START + 1_000 })
    expect([found.since, found.requests]).toEqual([START, 7])
    expect(found.losses.map(({ path, key, requests }) => [path, key, requests])).toEqual([
      ['top_k', 'key_1', 2],
      ['seed', 'key_1', 1],
      ['top_k', 'key_2', 1],
    ])
    expect(found.saved).toEqual([{ provider: 'first', failure: 'overloaded', served: 'second', requests: 1 }])
    expect(found.caches).toEqual([
      {
        provider: 'first',
        model: 'm',
        priceId: 'p1',
        at: START + 7,
        requests: 2,
        input: 200,
        cacheRead: 120,
        cacheWrite: 40,
        cacheWriteLong: 0,
      },
    ])
    const own = await usageExplanation(connection, { from: START, to: START + 1_000, filters: { project: 'prj_0' } })
    expect([own.requests, own.losses.length, own.saved]).toEqual([1, 1, []])
  })

  it('has totals of each provider that are the sums of its days', async () => {
    const connection = await open()
    await writeRows(connection, {
      rows: [1, 2, 3].map((day) => ledgerRow(day, { startedAt: START + day * DAY })),
      zone: 'UTC',
    })
    const range = { from: START, to: START + 3 * DAY }
    const [total, ...others] = await upstreamTotals(connection, range)
    const days = await daysByModel(connection, { ...range, provider: total?.provider ?? '' })
    expect(others).toEqual([])
    expect([total?.calls, total?.input, Number(total?.cost)]).toEqual(
      (['calls', 'input', 'cost'] as const).map((name) => days.reduce((sum, day) => sum + Number(day[name]), 0)),
    )
    expect(days).toHaveLength(3)
  })
})
