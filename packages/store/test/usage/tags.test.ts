import { expect, it } from 'vitest'
import { check } from '../../src/backup/check.ts'
import type { StoreConnection } from '../../src/database/connection.ts'
import { runSql } from '../../src/database/transaction.ts'
import { retain } from '../../src/retention/retention.ts'
import { usageSeries } from '../../src/usage/series.ts'
import { MOST_NAMES, MOST_VALUES } from '../../src/usage/tag-sums.ts'
import { writeRows } from '../../src/usage/write.ts'
import { ledgerRow, START } from '../support/rows.ts'
import { describeStores, stores } from '../support/stores.ts'
import { knowPrincipals } from './owners.ts'

const DAY = 86_400_000
const byTag = (connection: StoreConnection, tag: string, change: object = {}) =>
  usageSeries(connection, { from: START - DAY, to: START + 9 * DAY, by: { tag }, step: 'day', ...change })
const tagged = (number: number, tags: Record<string, string>, change: object = {}) =>
  ledgerRow(number, { tags, attempts: [], ...change })

describeStores(stores(), 'sums by tags in $name', ({ name, open, openTwice }) => {
  it('are those of the rows that have them, by hour and day, and by project', async () => {
    const connection = await open()
    await knowPrincipals(connection)
    const rows = Array.from({ length: 60 }, (_, number) =>
      tagged(
        number,
        { team: `t${number % 3}`, job: 'nightly' },
        { principal: `key_${number % 10}`, startedAt: START + number * 3_600_000 },
      ),
    )
    await writeRows(connection, { rows: [...rows, ...rows, ledgerRow(99)], zone: 'UTC' })
    const totals = (points: Awaited<ReturnType<typeof byTag>>) =>
      [...Map.groupBy(points, ({ names }) => names[0])]
        .map(([value, own]) => [value, own.reduce((sum, { counts }) => sum + counts.requests, 0)])
        .sort()
    expect(totals(await byTag(connection, 'team'))).toEqual([
      ['t0', 20],
      ['t1', 20],
      ['t2', 20],
    ])
    expect(totals(await byTag(connection, 'team', { step: 'hour' }))).toEqual(totals(await byTag(connection, 'team')))
    expect(totals(await byTag(connection, 'job', { filters: { project: 'prj_1' } }))).toEqual([['nightly', 24]])
    const top = await byTag(connection, 'team', { top: 2 })
    expect(totals(top)).toEqual([
      [null, 20],
      ['t0', 20],
      ['t1', 20],
    ])
    expect(top.filter(({ isRest }) => isRest).every(({ names, failed }) => names[0] === null && failed === null)).toBe(
      true,
    )
    expect(await byTag(connection, "team' OR 1=1 --")).toEqual([])
    expect(await check(connection)).toEqual([])
  })

  it('tell 1,000 values a day, project and name apart, the rest is one', async () => {
    const connection = await open()
    await knowPrincipals(connection)
    const rows = Array.from({ length: MOST_VALUES + 50 }, (_, number) =>
      tagged(number, { run: `r${number}`, team: 'a' }),
    )
    for (let start = 0; start < rows.length; start += 300)
      await writeRows(connection, { rows: rows.slice(start, start + 300), zone: 'UTC' })
    // Those that are known go on, others do not begin; another project and another day have room.
    const more = [
      tagged(2_000, { run: 'r3' }),
      tagged(2_001, { run: 'new' }),
      tagged(2_002, { run: 'new' }, { principal: 'key_2' }),
    ]
    await writeRows(connection, {
      rows: [...more, tagged(2_003, { run: 'new' }, { startedAt: START + DAY })],
      zone: 'UTC',
    })
    const points = await byTag(connection, 'run', { filters: { project: 'prj_1' } })
    const first = points.filter(({ day }) => day === '2023-11-14')
    expect(first).toHaveLength(MOST_VALUES + 1)
    expect(first.find(({ names }) => names[0] === 'r3')?.counts.requests).toBe(2)
    expect(first.filter(({ isRest }) => isRest).map(({ names, counts }) => [names, counts.requests])).toEqual([
      [[null], 51],
    ])
    expect(points.filter(({ day }) => day === '2023-11-15').map(({ names }) => names)).toEqual([['new']])
    expect((await byTag(connection, 'run', { filters: { project: 'prj_0' } })).map(({ names }) => names)).toEqual([
      ['new'],
    ])
    const top = await byTag(connection, 'run', { top: 5, filters: { project: 'prj_1' } })
    expect(top.filter(({ day, isRest }) => day === '2023-11-14' && isRest)).toHaveLength(1)
    expect(await check(connection)).toEqual([])
  })

  it('tell 100 names a day and project apart, so that nobody fills the store', async () => {
    const connection = await open()
    const rows = Array.from({ length: MOST_NAMES + 20 }, (_, number) =>
      tagged(number, { [`n${number}`]: 'x', team: 'a' }),
    )
    await writeRows(connection, { rows: rows.slice(0, 50), zone: 'UTC' })
    await writeRows(connection, { rows: rows.slice(50), zone: 'UTC' })
    const names = await runSql(connection.db, 'SELECT DISTINCT tag FROM usage_tag_days')
    expect(names).toHaveLength(MOST_NAMES + 1)
    const [team] = await byTag(connection, 'team')
    expect(team?.counts.requests).toBe(MOST_NAMES + 20)
    expect(await check(connection)).toEqual([])
  })

  it('go with the sums of hours and days', async () => {
    const connection = await open()
    const now = START + 500 * DAY
    await writeRows(connection, {
      rows: [tagged(1, { team: 'a' }), tagged(2, { team: 'b' }, { startedAt: now - 5 * DAY })],
      zone: 'UTC',
    })
    const left = async () => {
      for (let isMore = true; isMore; )
        isMore = (await retain(connection, { now, hoursMonths: 13, daysMonths: keepDays })).isMore
      const counts = await Promise.all(
        ['usage_tag_hours', 'usage_tag_days', 'usage_upstream_days'].map((table) =>
          runSql(connection.db, `SELECT count(*) AS count FROM ${table}`),
        ),
      )
      return counts.map(([row]) => Number(Object(row).count))
    }
    let keepDays: number | null = null
    expect(await left()).toEqual([1, 2, 2])
    keepDays = 14
    expect(await left()).toEqual([1, 1, 1])
    expect(await check(connection)).toEqual([])
  })

  it('are checked against the rows', async () => {
    const connection = await open()
    await writeRows(connection, { rows: [tagged(1, { team: 'a' })], zone: 'UTC' })
    await runSql(connection.db, "UPDATE usage_tag_days SET charged = 7 WHERE tag = 'team'")
    await runSql(connection.db, 'UPDATE usage_tag_hours SET requests = 2')
    expect(
      (await check(connection)).map(({ details }) => [details['table'], details['charged'] ?? details['requests']]),
    ).toEqual([
      ['usage_tag_hours', '1 ≠ 2'],
      ['usage_tag_days', '1500 ≠ 7'],
    ])
  })

  it.skipIf(name === 'SQLite' || !openTwice)('are exact where two take at once, and tell no more apart', async () => {
    const [one, other] = (await openTwice?.()) ?? expect.unreachable()
    const rows = Array.from({ length: MOST_VALUES + 400 }, (_, number) => tagged(number, { run: `r${number}` }))
    const write = async (connection: StoreConnection, from: number) => {
      for (let start = from; start < rows.length; start += 80)
        await writeRows(connection, { rows: rows.slice(start, start + 60), zone: 'UTC' })
    }
    await Promise.all([write(one, 0), write(other, 40)])
    const points = await byTag(one, 'run')
    expect(points).toHaveLength(MOST_VALUES + 1)
    expect(points.reduce((sum, { counts }) => sum + counts.requests, 0)).toBe(MOST_VALUES + 400)
    expect(await check(one)).toEqual([])
  })
})
