import { describe, expect, it } from 'vitest'
import type { LedgerRow } from '../src/usage/row.ts'
import { usageByKey } from '../src/usage/usage-by-key.ts'
import { writeRows } from '../src/usage/write.ts'
import { row } from './ledger/ledgers.ts'
import { open as openThreads } from './opened.ts'
import { ledgerRow } from './support/rows.ts'
import { describeStores, stores } from './support/stores.ts'

/** 2026-03-15, 12:00 UTC. */
const NOW = Date.UTC(2026, 2, 15, 12)
const HOUR = 3_600_000

describeStores(stores(), 'what one key has used in $name', ({ open }) => {
  const rowAt = (number: number, startedAt: number, change: Partial<LedgerRow> = {}): LedgerRow =>
    ledgerRow(number, { startedAt, principal: 'mine', charged: 1_000, ...change })

  it('is that of today, of this month and of all time, and never of another key', async () => {
    const connection = await open()
    const rows = [
      rowAt(1, NOW),
      rowAt(2, NOW - 11 * HOUR, { model: 'another', charged: null, cost: null }),
      rowAt(3, NOW - 13 * HOUR),
      rowAt(4, Date.UTC(2026, 2, 1)),
      rowAt(5, Date.UTC(2026, 1, 28, 23, 59)),
      rowAt(6, Date.UTC(2024, 2, 15)),
      rowAt(7, NOW, { principal: 'theirs' }),
      rowAt(8, NOW, { principal: 'mine2' }),
    ]
    await writeRows(connection, { rows, zone: 'UTC' })
    const used = await usageByKey(connection, { principal: 'mine', at: NOW, zone: 'UTC' })
    expect(used).toEqual({
      zone: 'UTC',
      today: { requests: 2, input: 20, output: 40, charged: '1000', unpriced: 1 },
      month: { requests: 4, input: 40, output: 80, charged: '3000', unpriced: 1 },
      all: { requests: 6, input: 60, output: 120, charged: '5000', unpriced: 1 },
    })
  })

  it('is nothing of a key that has used nothing', async () => {
    const nothing = { requests: 0, input: 0, output: 0, charged: '0', unpriced: 0 }
    const connection = await open()
    const used = () => usageByKey(connection, { principal: 'mine', at: NOW, zone: 'UTC' })
    expect(await used()).toEqual({ zone: 'UTC', today: nothing, month: nothing, all: nothing })
    await writeRows(connection, { rows: [rowAt(1, NOW, { principal: 'theirs' })], zone: 'UTC' })
    expect((await used()).all).toEqual(nothing)
  })

  it('has days and months of the time zone', async () => {
    const connection = await open()
    const zone = 'Asia/Tokyo'
    await writeRows(connection, {
      rows: [rowAt(1, Date.UTC(2026, 1, 28, 16)), rowAt(2, Date.UTC(2026, 2, 14, 16))],
      zone,
    })
    const { today, month } = await usageByKey(connection, { principal: 'mine', at: NOW, zone })
    expect([today.requests, month.requests]).toEqual([1, 2])
  })

  it('adds up amounts that no number holds', async () => {
    const connection = await open()
    const rows = [0, 1, 2].map((number) =>
      rowAt(number, NOW - number * 24 * HOUR, { charged: Number.MAX_SAFE_INTEGER }),
    )
    await writeRows(connection, { rows, zone: 'UTC' })
    const { all } = await usageByKey(connection, { principal: 'mine', at: NOW, zone: 'UTC' })
    expect(all.charged).toBe(String(BigInt(Number.MAX_SAFE_INTEGER) * 3n))
  })
})

describe('A key of a store', () => {
  it('is found by its id, with what it has used up to now', async () => {
    const { store } = await openThreads()
    const { stored } = await store.keys.create({ name: 'mine' })
    expect([await store.keys.get(stored.id), await store.keys.get('key_nobody')]).toEqual([stored, undefined])
    await store.ledger.settle({ ...row('one'), principal: stored.id, startedAt: Date.now() })
    expect(await store.usage.byKey(stored.id)).toMatchObject({ today: { requests: 1 }, all: { requests: 1 } })
    expect(await store.usage.byKey('key_nobody')).toMatchObject({ all: { requests: 0 } })
  })
})
