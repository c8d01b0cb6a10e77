import { expect, it } from 'vitest'
import { observedModels } from '../../src/usage/observed.ts'
import { writeRows } from '../../src/usage/write.ts'
import { ledgerRow } from '../support/rows.ts'
import { describeStores, stores } from '../support/stores.ts'

describeStores(stores(), 'How models have been, in $name', ({ open }) => {
  it('is told by provider and its own name of the model, from the newest requests', async () => {
    const connection = await open()
    const row = (id: number, changes: Parameters<typeof ledgerRow>[1]) =>
      ledgerRow(id, {
        startedAt: id * 1_000,
        provider: 'p',
        providerModel: 'm',
        stream: true,
        firstByteMs: id,
        ...changes,
      })
    const rows = [
      ...Array.from({ length: 100 }, (_, nth) => row(nth + 1, {})),
      // Whole answers say nothing of the first byte; refusals of a request are nobody's failure.
      row(101, { stream: false, firstByteMs: 90_000 }),
      row(102, { failure: 'overloaded', firstByteMs: 80_000 }),
      row(103, { failure: 'invalid-request' }),
      row(104, { provider: 'q', failure: 'timeout', firstByteMs: undefined }),
    ]
    await writeRows(connection, { rows, zone: 'UTC' })
    const { since, models } = await observedModels(connection, { from: 1_000, limit: 1_000 })
    expect(since).toBe(1_000)
    expect(models.toSorted((one, other) => (one.provider < other.provider ? -1 : 1))).toEqual([
      { provider: 'p', model: 'm', requests: 103, failures: 1, firstByteMs: { p50: 51, p95: 96 } },
      { provider: 'q', model: 'm', requests: 1, failures: 1, firstByteMs: null },
    ])
    expect(await observedModels(connection, { from: 0, limit: 2 })).toMatchObject({ since: 103_000, models: [{}, {}] })
    expect((await observedModels(connection, { from: 100_500, limit: 1_000 })).since).toBe(101_000)
    expect(await observedModels(connection, { from: 200_000, limit: 1_000 })).toEqual({ since: null, models: [] })
  })
})
