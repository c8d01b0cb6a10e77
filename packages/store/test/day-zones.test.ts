import { describe, expect, it, vi } from 'vitest'
import { check } from '../src/backup/check.ts'
import type { StoreConnection } from '../src/database/connection.ts'
import { readDayZones, writeDayZones } from '../src/database/day-zones.ts'
import { readSetting } from '../src/database/settings.ts'
import { transact } from '../src/database/transaction.ts'
import { dayAt } from '../src/database/zone.ts'
import { retain } from '../src/retention/retention.ts'
import { openStore } from '../src/store.ts'
import { moveDays } from '../src/usage/move-days.ts'
import { type SeriesPoint, usageSeries } from '../src/usage/series.ts'
import { writeRows } from '../src/usage/write.ts'
import { temporaryFolder } from './journal/journals.ts'
import { row } from './ledger/ledgers.ts'
import { openForCommand, open as openThreads } from './opened.ts'
import { ledgerRow, START } from './support/rows.ts'
import { describeStores, stores } from './support/stores.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** A row every 25 minutes of twenty days, of two models and two keys. */
const rows = Array.from({ length: 1_152 }, (_, number) =>
  ledgerRow(number, {
    startedAt: START + number * 25 * 60_000,
    model: number % 3 === 0 ? 'a' : 'b',
    principal: number % 2 === 0 ? 'k' : 'l',
    cost: number,
    charged: number,
    tags: number % 4 === 0 ? undefined : { team: `t${number % 3}`, job: 'nightly' },
  }),
)
const [first, last] = [rows.slice(0, 600), rows.slice(600)]

const begin = (connection: StoreConnection, zone: string) => transact(connection, (trx) => writeDayZones(trx, { zone }))

const days = (connection: StoreConnection, zone: string, by: 'model' | 'key' = 'key'): Promise<SeriesPoint[]> =>
  usageSeries(connection, { from: 0, to: START + 900 * DAY, by, step: 'day', zone })

const totalOf = (points: readonly SeriesPoint[]): bigint => points.reduce((sum, { cost }) => sum + BigInt(cost), 0n)
const TOTAL = rows.reduce((sum, { cost }) => sum + BigInt(cost ?? 0), 0n)

/** Moves all there is. @returns in how many steps. */
async function moveAll(connection: StoreConnection, zone: string, chunk?: number): Promise<number> {
  let steps = 1
  while ((await moveDays(connection, { zone, ...(chunk && { chunk }) })) !== 'done') steps += 1
  return steps
}

describeStores(stores(), 'days of another time zone in $name', ({ name, open, openTwice }) => {
  const inSteps = async (from: string, to: string): Promise<void> => {
    const connection = await open()
    await begin(connection, from)
    await writeRows(connection, { rows: first, zone: 'UTC' })
    expect(await check(connection)).toEqual([])
    const late = [...last]
    let steps = 0
    for (let move = ''; move !== 'done'; steps++) {
      move = await moveDays(connection, { zone: to, chunk: 200 })
      // New ones, and old ones on both sides of what is moved.
      const batch = [
        ...late.splice(0, 60),
        ledgerRow(10_000 + steps, { startedAt: START + steps * 3 * DAY, cost: 0, charged: 0 }),
      ]
      await writeRows(connection, { rows: batch, zone: 'UTC' })
      expect(totalOf(await days(connection, to))).toBe(totalOf(await days(connection, to, 'model')))
    }
    await writeRows(connection, { rows: late, zone: 'UTC' })
    expect(steps).toBeGreaterThan(3)
    expect(totalOf(await days(connection, to))).toBe(TOTAL)
    expect(await check(connection)).toEqual([])
    expect(await transact(connection, (trx) => readDayZones(connection, trx))).toEqual({ zone: to })
    const dates = new Set((await days(connection, to)).map(({ day }) => day))
    expect(dates).toEqual(new Set(rows.map(({ startedAt }) => dayAt(to, startedAt).date)))
  }

  const title = 'from %s to %s are those of the rows, in steps, with rows that come between'
  it.each([
    ['UTC', 'Europe/Berlin'],
    ['Australia/Lord_Howe', 'Asia/Kathmandu'],
    ['Pacific/Apia', 'Pacific/Midway'],
  ])(title, inSteps)
  it.each([
    ['Europe/Berlin', 'America/New_York'],
    ['UTC', 'Asia/Kolkata'],
  ])(title, { tags: ['full'] }, inSteps)

  it('that are there again are those that were there', async () => {
    const connection = await open()
    await begin(connection, 'UTC')
    await writeRows(connection, { rows, zone: 'UTC' })
    const before = [await days(connection, 'UTC'), await days(connection, 'UTC', 'model')]
    for (const zone of ['Asia/Kolkata', 'Pacific/Apia', 'UTC']) await moveAll(connection, zone, 300)
    expect([await days(connection, 'UTC'), await days(connection, 'UTC', 'model')]).toEqual(before)
    expect(await moveAll(connection, 'UTC')).toBe(1)
  })

  it('end the move that has begun before another one', async () => {
    const connection = await open()
    await begin(connection, 'UTC')
    await writeRows(connection, { rows, zone: 'UTC' })
    await moveDays(connection, { zone: 'Asia/Kolkata' })
    await moveDays(connection, { zone: 'Europe/Berlin', chunk: 100 })
    expect(await check(connection)).toMatchObject([
      { kind: 'days-move', level: 'remark', details: { zone: 'Asia/Kolkata' } },
    ])
    while ((await readSetting(connection, 'zone_before')) !== undefined) await moveDays(connection, { chunk: 500 })
    expect(await check(connection)).toEqual([])
    await moveAll(connection, 'Europe/Berlin')
    expect([await readSetting(connection, 'zone'), await check(connection)]).toEqual(['Europe/Berlin', []])
  })

  it('whose rows are kept no longer come of their hours, of those without hours stay as they were, and all is in one of them', async () => {
    for (const to of ['Europe/Berlin', 'Asia/Kolkata']) {
      const connection = await open()
      await begin(connection, 'UTC')
      await writeRows(connection, { rows, zone: 'UTC' })
      const now = START + 400 * DAY
      // All rows go, and the hours of the first days.
      for (let isMore = true; isMore; )
        isMore = (await retain(connection, { now, usageDays: 1, hoursMonths: 13 })).isMore
      const hours = await usageSeries(connection, { from: 0, to: now, by: 'model', step: 'hour' })
      const [oldest] = hours
      expect(oldest?.start).toBeGreaterThan(START + DAY)
      const before = await days(connection, 'UTC')
      await moveAll(connection, to, 50)
      const after = await days(connection, to)
      expect(totalOf(after)).toBe(TOTAL)
      const isUntouched = ({ day = '' }: SeriesPoint) => day < dayAt('UTC', oldest?.start ?? 0).date
      const plain = (points: readonly SeriesPoint[]) =>
        points.filter(isUntouched).map(({ day, names, cost }) => [day, names, cost])
      expect(plain(after)).toEqual(plain(before))
      expect(after).not.toEqual(before)
    }
  })

  // SQLite has one transaction that writes, and waits for it on the thread of both.
  it.skipIf(name === 'SQLite' || !openTwice)('are moved once where two processes do it, while both write', async () => {
    const [one, other] = (await openTwice?.()) ?? expect.unreachable()
    await begin(one, 'UTC')
    await writeRows(one, { rows: first, zone: 'UTC' })
    const write = async (connection: StoreConnection, from: number) => {
      for (let start = from; start < last.length; start += 80)
        await writeRows(connection, { rows: last.slice(start, start + 40), zone: 'UTC' })
    }
    await Promise.all([
      moveAll(one, 'Asia/Kolkata', 100),
      moveAll(other, 'Asia/Kolkata', 100),
      write(one, 0),
      write(other, 40),
    ])
    expect(totalOf(await days(one, 'Asia/Kolkata'))).toBe(TOTAL)
    expect(await check(one)).toEqual([])
  })
})

describe('A start with another time zone', () => {
  it('moves the days, also where a command has written between', async () => {
    const { store, dataDir } = await openThreads(temporaryFolder())
    // 23:30 in UTC.
    await store.ledger.settle(row('one', { startedAt: Date.parse('2026-11-01T23:30Z') }))
    const query = { from: Date.parse('2026-11-01'), to: Date.parse('2026-11-04'), by: 'model', step: 'day' } as const
    expect(await store.usage.series(query)).toMatchObject([{ day: '2026-11-01' }])
    await store.close()
    const problems: string[] = []
    const next = await openStore({ dataDir, zone: 'Europe/Berlin', onProblem: (problem) => problems.push(problem) })
    try {
      await next.ledger.settle(row('two', { startedAt: Date.parse('2026-11-02T12:00Z') }))
      const { archive } = await openForCommand(dataDir)
      await archive.ingest()
      const moved = async () => (await next.usage.series(query)).map(({ day, counts }) => [day, counts.requests])
      await vi.waitUntil(async () => (await moved()).length === 1, { timeout: 20_000, interval: 20 })
      expect(await moved()).toEqual([['2026-11-02', 2]])
      expect(problems).toEqual([expect.stringContaining('now use the time zone Europe/Berlin')])
      await vi.waitUntil(async () => (await archive.check()).length === 0, { timeout: 20_000, interval: 20 })
    } finally {
      await next.close()
    }
  })
})
