import { expect, it } from 'vitest'
import { check } from '../src/backup/check.ts'
import type { StoreConnection } from '../src/database/connection.ts'
import { createPartitions, partitionsOf } from '../src/database/partitions.ts'
import { runSql, transact } from '../src/database/transaction.ts'
import { type RetentionOptions, type RetentionResult, retain } from '../src/retention/retention.ts'
import { createRetention } from '../src/retention/turn.ts'
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
    // Then their attempts and sums.
    expect(steps.map(({ usage }) => usage).slice(0, 5)).toEqual([2_000, 2_000, 100, 0, 0])
    expect(await check(connection, { zone })).toEqual([])
  })
})

describeStores(stores(), 'retention of $name by several processes', ({ open }) => {
  it('is done by one of them, and by another one an hour later', async () => {
    const connection = await open()
    const many = Array.from({ length: 2_100 }, (_, number) =>
      ledgerRow(number, { startedAt: now - 600 * DAY - number * 60_000 }),
    )
    await writeRows(connection, { rows: many, zone })
    const count = async () =>
      Number(await runSql(connection.db, 'SELECT count(*) AS count FROM usage').then(([row]) => Object(row).count))
    const [one, other] = [0, 1].map(() => createRetention(connection, { now, zone }))
    expect(await one?.()).toBe(true)
    expect([await other?.(), await count()]).toEqual([false, 100])
    while (await one?.());
    expect(await count()).toBe(0)
    await writeRows(connection, { rows: [ledgerRow(1, { startedAt: now - 700 * DAY })], zone })
    const early = createRetention(connection, { now: now + 2_999_000, zone })
    expect([await early(), await count()]).toEqual([false, 1])
    const later = createRetention(connection, { now: now + 3_001_000, zone })
    expect([await later(), await count()]).toEqual([false, 0])
  })
})

describeStores(
  stores().filter(({ openTwice, name }) => openTwice && name !== 'SQLite'),
  'retention of $name',
  ({ openTwice }) => {
    it('leaves a partition that a long statement uses to the next run, and does not delete its rows one by one', async () => {
      const [connection, reader] = (await openTwice?.()) ?? []
      if (!connection || !reader) return expect.fail('There is only one connection.')
      const at = Date.UTC(2021, 0, 15)
      await createPartitions(connection, at, 'month')
      await writeRows(connection, { rows: [ledgerRow(1, { startedAt: at })], zone })
      await transact(reader, async (trx) => {
        await runSql(trx, 'SELECT 1 FROM usage LIMIT 1')
        expect(await retain(connection, { now })).toMatchObject({ partitions: [], usage: 0 })
      })
      expect(await lastUsage(connection, 9)).toHaveLength(1)
      expect((await retain(connection, { now })).partitions).toContain('usage_2021_01')
      expect(await lastUsage(connection, 9)).toEqual([])
    })
  },
)

describeStores(
  stores().filter(({ name }) => name !== 'SQLite'),
  'partitions of $name',
  ({ open }) => {
    const namesOf = async (connection: StoreConnection, prefix: string) =>
      (await partitionsOf(connection, 'usage')).map(({ name }) => name).filter((name) => name.startsWith(prefix))

    it('are days if configured, replace empty months, and finish a month that has days', async () => {
      const connection = await open()
      await createPartitions(connection, Date.UTC(2021, 1, 25), 'day')
      expect(await namesOf(connection, 'usage_2021')).toEqual(
        ['02_25', '02_26', '02_27', '02_28', '03_01', '03_02', '03_03', '03_04'].map((day) => `usage_2021_${day}`),
      )
      await createPartitions(connection, Date.UTC(2021, 2, 29), 'month')
      expect((await namesOf(connection, 'usage_2021_03')).slice(4)).toEqual([
        'usage_2021_03_29',
        'usage_2021_03_30',
        'usage_2021_03_31',
      ])
      expect((await namesOf(connection, 'usage_2021')).slice(-2)).toEqual(['usage_2021_04', 'usage_2021_05'])
      await writeRows(connection, { rows: [ledgerRow(1, { startedAt: Date.UTC(2021, 4, 1) })], zone })
      await createPartitions(connection, Date.UTC(2021, 2, 31), 'day')
      expect(await namesOf(connection, 'usage_2021_04')).toEqual(
        [1, 2, 3, 4, 5, 6, 7].map((day) => `usage_2021_04_0${day}`),
      )
      await createPartitions(connection, Date.UTC(2021, 3, 28), 'day')
      expect(await namesOf(connection, 'usage_2021_05')).toEqual(['usage_2021_05'])
      expect(await lastUsage(connection, 9)).toHaveLength(1)
    })

    it('are days once a month has more than 30 million rows, unless configured', async () => {
      const connection = await open()
      await createPartitions(connection, Date.UTC(2021, 5, 1))
      const estimate = (rows: number) =>
        runSql(connection.db, `UPDATE pg_class SET reltuples = ${rows} WHERE relname = 'usage_2021_06'`)
      await estimate(31_000_000)
      await createPartitions(connection, Date.UTC(2021, 5, 30), 'month')
      expect(await namesOf(connection, 'usage_2021_07')).toEqual(['usage_2021_07'])
      await estimate(29_000_000)
      await createPartitions(connection, Date.UTC(2021, 5, 30))
      expect(await namesOf(connection, 'usage_2021_07')).toEqual(['usage_2021_07'])
      await estimate(31_000_000)
      await createPartitions(connection, Date.UTC(2021, 5, 30))
      expect(await namesOf(connection, 'usage_2021_07')).toHaveLength(7)
    })

    it('of days are dropped day by day', async () => {
      const connection = await open()
      const today = Date.UTC(2021, 8, 15, 12)
      for (const day of [0, 7]) await createPartitions(connection, today - 14 * DAY + day * DAY, 'day')
      const some = Array.from({ length: 14 }, (_, day) => ledgerRow(day, { startedAt: today - day * DAY }))
      await writeRows(connection, { rows: some, zone })
      const { partitions } = await retain(connection, { now: today, usageDays: 5, partition: 'day' })
      expect(partitions).toContain('usage_attempts_2021_09_09')
      expect((await namesOf(connection, 'usage_2021_09'))[0]).toBe('usage_2021_09_10')
      expect(await lastUsage(connection, 99)).toHaveLength(6)
      expect(await check(connection, { zone })).toEqual([])
    })

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
