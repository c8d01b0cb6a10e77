import { expect, it } from 'vitest'
import { check } from '../src/backup/check.ts'
import type { StoreConnection } from '../src/database/connection.ts'
import { partitionsOf } from '../src/database/partitions.ts'
import { type RetentionOptions, type RetentionResult, retain } from '../src/retention/retention.ts'
import { createTaskStore } from '../src/tasks/tasks.ts'
import { lastUsage } from '../src/usage/page.ts'
import { usageSeries } from '../src/usage/series.ts'
import { writeRows } from '../src/usage/write.ts'
import { ledgerRow } from './support/rows.ts'
import { describeStores, stores } from './support/stores.ts'
import { testTask } from './tasks/suite.ts'

const DAY = 86_400_000
const now = Date.parse('2026-11-22T12:34:56Z')
const zone = 'Europe/Berlin'
/** A row for every other day of the last 1,000. */
const rows = Array.from({ length: 500 }, (_, number) => ledgerRow(number, { startedAt: now - number * 2 * DAY }))

/** All of it, in as many steps as that takes. */
async function retainAll(connection: StoreConnection, options: RetentionOptions): Promise<RetentionResult> {
  const all = { usage: 0, hours: 0, days: 0, partitions: [] as string[], isMore: false }
  for (let isMore = true; isMore; ) {
    const some = await retain(connection, options)
    for (const name of ['usage', 'hours', 'days'] as const) all[name] += some[name]
    all.partitions.push(...some.partitions)
    isMore = some.isMore
  }
  return all
}

describeStores(stores(), 'what is older than it is kept in $name', ({ open }) => {
  it('goes: rows after 90 days, hours after 13 months, days never; and what is left adds up', async () => {
    const connection = await open()
    await writeRows(connection, { rows, zone })
    const retained = await retainAll(connection, { now, zone })
    const left = await lastUsage(connection, 1_000)
    const oldest = left.at(-1)?.at ?? 0
    expect(oldest).toBeGreaterThanOrEqual(now - (connection.kind === 'sqlite' ? 90 : 122) * DAY)
    expect(left.filter(({ at }) => at > now - 90 * DAY)).toHaveLength(45)
    expect(retained.usage + left.length).toBe(500)
    const hours = await usageSeries(connection, { from: 0, to: now + DAY, by: 'model', step: 'hour' })
    expect(hours[0]?.start).toBeGreaterThanOrEqual(Date.parse('2025-10-22'))
    expect(hours.length).toBe(500 - retained.hours)
    expect(await usageSeries(connection, { from: 0, to: now + DAY, by: 'model', step: 'day', zone })).toHaveLength(500)
    expect(await connection.db.selectFrom('usage_attempts').select('at').execute()).toHaveLength(left.length)
    expect(await check(connection, { zone })).toEqual([])
    expect(await retain(connection, { now, zone })).toEqual({
      usage: 0,
      hours: 0,
      days: 0,
      partitions: [],
      isMore: false,
    })
  })

  it('goes with windows of budgets after 13 months and their leases after 2 days, except the three newest of each budget', async () => {
    const connection = await open()
    for (const budget of ['a', 'b'])
      for (let months = 0; months < (budget === 'a' ? 20 : 2); months += 1) {
        const ends_at = now - (months + (budget === 'a' ? 0 : 20)) * 30 * DAY - 5 * DAY
        const [win, starts_at] = [String(ends_at), ends_at - DAY]
        await connection.db
          .insertInto('budget_windows')
          .values({ budget, win, starts_at, ends_at, spent: 1, leased: 1, recall: 0 })
          .execute()
        const lease = { run: 'run', budget, win, granted: 1, used: 0, seq: 1, delta: 1, answered: 0 }
        await connection.db.insertInto('budget_leases').values(lease).execute()
      }
    await retainAll(connection, { now, zone })
    const left = await connection.db
      .selectFrom('budget_windows')
      .select(['budget', 'leased'])
      .orderBy('ends_at', 'desc')
      .execute()
    const [a, b] = ['a', 'b'].map((budget) =>
      left.filter((one) => one.budget === budget).map(({ leased }) => Number(leased)),
    )
    expect([a, b]).toEqual([
      [1, 1, 1, ...Array<number>(11).fill(0)],
      [1, 1],
    ])
  })

  it('goes as the configuration says, or stays for ever', async () => {
    const connection = await open()
    await writeRows(connection, { rows, zone })
    expect(await retain(connection, { now, zone, usageDays: null, hoursMonths: null })).toMatchObject({
      usage: 0,
      hours: 0,
      days: 0,
    })
    await retainAll(connection, { now, zone, usageDays: 10, hoursMonths: 1, daysMonths: 2 })
    const hours = await usageSeries(connection, { from: 0, to: now + DAY, by: 'model', step: 'hour' })
    const days = await usageSeries(connection, { from: 0, to: now + DAY, by: 'model', step: 'day', zone })
    expect([hours.length, days.length]).toEqual([16, 31])
    expect(await check(connection, { zone })).toEqual([])
  })

  it('goes, of tasks: what is kept no longer, and what is open after 30 days', async () => {
    const connection = await open()
    const tasks = createTaskStore(connection)
    const [lasting, old] = [{ createdAt: now - 29 * DAY }, { createdAt: now - 30 * DAY }]
    await tasks.add(testTask(1, { ...lasting, keptUntil: now }), now + DAY)
    await tasks.add(testTask(2, { ...lasting, keptUntil: now + 1 }), 0)
    await tasks.add(testTask(3, { ...lasting, keptUntil: now + 99 * DAY }), 0)
    await tasks.add(testTask(4, lasting), 0)
    await tasks.add(testTask(5, { ...old, keptUntil: now + DAY }), 0)
    await tasks.add(testTask(6, old), now + DAY)
    await tasks.change(testTask(4, { ...lasting, keptUntil: now - 1, version: 2 }))
    await retain(connection, { now, zone, usageDays: null, hoursMonths: null })
    const { tasks: left } = await tasks.list({ family: 'video', owner: 'key_1', offset: 0, limit: 9 })
    expect(left.map(({ id }) => id)).toEqual([testTask(3).id, testTask(2).id])
  })

  it('goes 2,000 rows at a time, and says whether there is more', async () => {
    const connection = await open()
    // Of months that have no partition, so that none goes as a whole.
    const many = Array.from({ length: 4_100 }, (_, number) =>
      ledgerRow(number, { startedAt: now - 600 * DAY - number * 60_000 }),
    )
    await writeRows(connection, { rows: many, zone })
    const steps: RetentionResult[] = []
    do steps.push(await retain(connection, { now, zone }))
    while (steps.at(-1)?.isMore)
    // Then their attempts.
    expect(steps.map(({ usage }) => usage)).toEqual([2_000, 2_000, 100, 0, 0])
    expect(await check(connection, { zone })).toEqual([])
  })
})

describeStores(
  stores().filter(({ name }) => name !== 'SQLite'),
  'partitions of $name',
  ({ open }) => {
    it('are made for this month and two more, take rows that came before them, and go as a whole', async () => {
      const connection = await open()
      await writeRows(connection, { rows: rows.slice(0, 100), zone })
      const ofTests = async () => (await partitionsOf(connection, 'usage')).map(({ name }) => name)
      for (const month of [5, 6, 7, 8, 9, 10])
        await retain(connection, { now: Date.UTC(2026, month, 2), usageDays: null })
      expect(await ofTests()).toEqual(
        expect.arrayContaining(['usage_2026_06', 'usage_2026_11', 'usage_2026_12', 'usage_2027_01']),
      )
      expect(await lastUsage(connection, 1_000)).toHaveLength(100)
      const { partitions } = await retain(connection, { now })
      expect(partitions).toEqual(expect.arrayContaining(['usage_2026_06', 'usage_2026_07', 'usage_attempts_2026_07']))
      expect(await ofTests()).not.toContain('usage_2026_07')
      expect((await lastUsage(connection, 1_000)).at(-1)?.at).toBeGreaterThanOrEqual(Date.parse('2026-08-01'))
      expect(await check(connection, { zone })).toEqual([])
    })
  },
)
