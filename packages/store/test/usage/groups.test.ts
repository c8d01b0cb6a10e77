import { expect, it } from 'vitest'
import { check } from '../../src/backup/check.ts'
import type { StoreConnection } from '../../src/database/connection.ts'
import { type GroupsQuery, usageGroups } from '../../src/usage/groups.ts'
import { namesOf } from '../../src/usage/names.ts'
import { partsOf } from '../../src/usage/range-parts.ts'
import type { LedgerRow } from '../../src/usage/row.ts'
import type { UsageDimension } from '../../src/usage/series-query.ts'
import { writeRows } from '../../src/usage/write.ts'
import { ledgerRow } from '../support/rows.ts'
import { describeStores, stores } from '../support/stores.ts'
import { knowPrincipals, memberOf, projectOf } from './owners.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** Midnight in UTC. */
const MIDNIGHT = Date.UTC(2025, 10, 1)

/** A row every 7 minutes of 5 days. */
const rows = Array.from({ length: 1_028 }, (_, number) =>
  ledgerRow(number, {
    startedAt: MIDNIGHT + number * 7 * MINUTE,
    model: `m${number % 5}`,
    provider: number % 7 === 0 ? 'other' : 'mine',
    principal: `key_${number % 10}`,
    status: number % 9 === 0 ? 500 : 200,
    charged: number,
    cost: number,
    attempts: [],
    ...(number % 4 === 0 && { endUser: `user-${number % 3}`, session: `s${number % 2}`, tags: { team: 'a' } }),
  }),
)

const OF: Readonly<Partial<Record<UsageDimension, (row: LedgerRow) => string | null>>> = {
  model: ({ model }) => model,
  provider: ({ provider }) => provider,
  key: ({ principal }) => principal,
  project: ({ principal }) => projectOf(principal),
  member: ({ principal }) => memberOf(principal),
  status: ({ status }) => String(status),
}

type Sums = readonly [names: string, requests: number, failed: number, charged: number]

function expected(from: number, to: number, by: readonly UsageDimension[]): Sums[] {
  const own = rows.filter(({ startedAt }) => startedAt >= from && startedAt < to)
  const groups = Map.groupBy(own, (row) => JSON.stringify(by.map((one) => OF[one]?.(row) ?? null)))
  return [...groups].map(([names, of]) => [
    names,
    of.length,
    of.filter(({ status }) => status === 500).length,
    of.reduce((sum, { charged }) => sum + Number(charged), 0),
  ])
}

async function found(connection: StoreConnection, query: Omit<GroupsQuery, 'limit'>, limit = 1_000): Promise<Sums[]> {
  const points = await usageGroups(connection, { limit, ...query })
  return points.map(({ names, counts, failed, charged, isRest }) => [
    isRest ? 'rest' : JSON.stringify(names),
    counts.requests,
    Number(failed),
    Number(charged),
  ])
}

function sorted(sums: readonly Sums[]): Sums[] {
  return sums.toSorted((one, other) => other[3] - one[3] || other[1] - one[1] || (one[0] < other[0] ? -1 : 1))
}

describeStores(stores(), 'groups of usage in $name', ({ open }) => {
  it('are exact for any range, also where it begins and ends within an hour of any zone', async () => {
    for (const zone of ['UTC', 'Asia/Kolkata']) {
      const connection = await open()
      await knowPrincipals(connection)
      await writeRows(connection, { rows, zone })
      const ranges: readonly (readonly [number, number])[] = [
        [MIDNIGHT, MIDNIGHT + 3 * DAY],
        [MIDNIGHT - 5.5 * HOUR, MIDNIGHT + 1.5 * DAY],
        [MIDNIGHT + 90 * MINUTE + 1, MIDNIGHT + 3 * DAY + 25 * MINUTE],
        [MIDNIGHT + 70 * MINUTE, MIDNIGHT + 80 * MINUTE],
        [MIDNIGHT + 10 * MINUTE, Date.now() + DAY],
      ]
      for (const [from, to] of ranges)
        for (const by of [['model'], ['key'], ['project', 'provider'], ['member', 'status'], ['model', 'key']] as const)
          expect(sorted(await found(connection, { from, to, by, zone })), `${by} ${zone}`).toEqual(
            sorted(expected(from, to, by)),
          )
    }
  })

  it('have the highest charge first, and the rest of every measure last', async () => {
    const connection = await open()
    await knowPrincipals(connection)
    await writeRows(connection, { rows, zone: 'UTC' })
    const range = { from: MIDNIGHT, to: MIDNIGHT + 4 * DAY }
    const all = await found(connection, { ...range, by: 'key' })
    expect(all.map(([, , , charged]) => charged)).toEqual(
      all.map(([, , , charged]) => charged).toSorted((one, other) => other - one),
    )
    const [first, second, ...others] = all
    const total = (place: 1 | 2 | 3) => others.reduce((sum, one) => sum + one[place], 0)
    expect(await found(connection, { ...range, by: 'key' }, 2)).toEqual([
      first,
      second,
      ['rest', total(1), total(2), total(3)],
    ])
    const own = await found(connection, { ...range, by: 'key', filters: { project: 'prj_1' } })
    expect(own).toEqual(all.filter(([names]) => projectOf(JSON.parse(names)[0]) === 'prj_1'))
  })

  it('are by end user and session as well, which no tag of a caller is', async () => {
    const connection = await open()
    await knowPrincipals(connection)
    await writeRows(connection, { rows, zone: 'UTC' })
    const range = { from: MIDNIGHT, to: MIDNIGHT + 9 * DAY }
    const counts = async (tag: string) =>
      (await found(connection, { ...range, by: { tag } })).map(([names, requests]) => [names, requests]).sort()
    const users = rows.filter(({ endUser }) => endUser !== undefined)
    expect(await counts('@user')).toEqual(
      [...Map.groupBy(users, ({ endUser }) => endUser)].map(([user, of]) => [JSON.stringify([user]), of.length]).sort(),
    )
    expect(await counts('@session')).toEqual([['["s0"]', users.length]])
    expect(await counts('user')).toEqual([])
    expect(await check(connection)).toEqual([])
  })

  it('have the names of keys and projects', async () => {
    const connection = await open()
    await knowPrincipals(connection)
    await connection.db.updateTable('principals').set({ name: 'web' }).where('id', '=', 'key_1').execute()
    expect(await namesOf(connection, { of: 'key', ids: ['key_1', 'key_2', 'key_9'] })).toEqual({ key_1: 'web' })
    expect(await namesOf(connection, { of: 'project', ids: ['prj_default', 'none'] })).toEqual({})
  })
})

it('a range is read as whole days, hours around them, and rows of the rest', () => {
  const parts = (from: number, to: number, zone: string, now = MIDNIGHT + 99 * DAY) =>
    partsOf({ from, to, by: 'model', zone }, now)
  const days = { kind: 'days', first: '2025-11-01', last: '2025-11-03' }
  expect(parts(MIDNIGHT, MIDNIGHT + 3 * DAY, 'UTC')).toEqual([days])
  // Today ends later, and nothing comes after now.
  expect(parts(MIDNIGHT, MIDNIGHT + 2.2 * DAY, 'UTC', MIDNIGHT + 2.1 * DAY)).toEqual([days])
  expect(parts(MIDNIGHT - 3.5 * HOUR, MIDNIGHT + 3 * DAY + HOUR, 'UTC')).toEqual([
    { kind: 'rows', from: MIDNIGHT - 3.5 * HOUR, to: MIDNIGHT - 3 * HOUR },
    { kind: 'hours', from: MIDNIGHT - 3 * HOUR, to: MIDNIGHT },
    days,
    { kind: 'hours', from: MIDNIGHT + 3 * DAY, to: MIDNIGHT + 3 * DAY + HOUR },
  ])
})
