import { describe, expect, it } from 'vitest'
import type { UsageFilters } from '../../src/usage/filters.ts'
import { SEARCHED } from '../../src/usage/matching.ts'
import type { LedgerRow } from '../../src/usage/row.ts'
import { type RowsQuery, type UsageRows, usageEach, usageRows } from '../../src/usage/rows.ts'
import { writeRows } from '../../src/usage/write.ts'
import { ledgerRow, START } from '../support/rows.ts'
import { describeStores, stores } from '../support/stores.ts'
import { environmentOf, knowPrincipals, memberOf, projectOf } from './owners.ts'

const rows = Array.from({ length: 700 }, (_, number) =>
  ledgerRow(number, {
    model: ['a', 'b', 'c'][number % 3] ?? '',
    principal: `key_${number % 10}`,
    provider: number % 7 === 0 ? 'other' : 'mine',
    status: number % 20 === 3 ? 500 : 200,
    startedAt: START + Math.floor(number / 4) * 60_000,
    ...(number % 7 === 0 && { endpoint: number % 14 === 0 ? 'eu' : 'us' }),
    ...(number % 20 === 3 && { failure: number % 40 === 3 ? ('upstream' as const) : ('timeout' as const) }),
    ...(number % 5 === 0 && { tags: { team: `t${number % 3}`, 'a.b"c': 'x' } }),
  }),
)

function matches(
  { principal, model, provider, endpoint, family, status, failure, tags = {} }: LedgerRow,
  filters: UsageFilters,
): boolean {
  const held = {
    key: principal,
    project: projectOf(principal),
    environment: environmentOf(principal),
    member: memberOf(principal),
  }
  const { tag, ...plain } = filters
  if (tag && (tags[tag.name] === undefined || (tag.value !== undefined && tags[tag.name] !== tag.value))) return false
  return Object.entries(plain).every(
    ([name, value]) =>
      Object({ ...held, model, provider, endpoint, family, status, failure: failure ?? null })[name] === value,
  )
}

function expected(query: Omit<RowsQuery, 'limit'>): string[] {
  const { from = 0, to = Number.POSITIVE_INFINITY, filters = {} } = query
  return rows
    .filter((row) => row.startedAt >= from && row.startedAt < to && matches(row, filters))
    .sort((one, other) => other.startedAt - one.startedAt || (one.id < other.id ? 1 : -1))
    .map(({ id }) => id)
}

async function allPages(read: (query: RowsQuery) => Promise<UsageRows>, query: RowsQuery): Promise<string[]> {
  const ids: string[] = []
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const page = await read({ ...query, cursor })
    expect(page.rows.length).toBeLessThanOrEqual(query.limit)
    ids.push(...page.rows.map(({ id }) => id))
    cursor = page.cursor
  }
  return ids
}

describeStores(stores(), 'rows of usage in $name', ({ open }) => {
  it('of any range and filters come in pages, newest first, each once', async () => {
    const connection = await open()
    await knowPrincipals(connection)
    await writeRows(connection, { rows, zone: 'UTC' })
    const last = rows.at(-1)?.startedAt ?? 0
    const filters: UsageFilters[] = [
      {},
      ...[
        { key: 'key_3' },
        { project: 'prj_1' },
        { environment: 'staging', model: 'a' },
        { member: 'usr_1' },
        { project: 'none' },
      ],
      ...[{ provider: 'other', status: 500 }, { family: 'chat' }, { key: 'key_9', project: 'prj_1' }],
      ...[
        { failure: 'timeout' },
        { failure: 'timeout', project: 'prj_1' },
        { failure: 'upstream', model: 'a', key: 'key_3' },
      ],
      ...[{ endpoint: 'eu' }, { endpoint: 'us', provider: 'other' }, { endpoint: 'eu', failure: 'timeout' }],
      ...[
        { tag: { name: 'team' } },
        { tag: { name: 'team', value: 't1' }, environment: 'production' },
        { tag: { name: 'a.b"c', value: 'x' } },
      ],
      ...[
        { tag: { name: 'team', value: "'; DROP TABLE usage; --" } },
        { failure: "' OR 1 = 1 --" },
        { model: 'a', failure: 'none' },
      ],
    ]
    for (const one of filters)
      for (const query of [{}, { from: START + 600_000, to: last }].map((range) => ({ ...range, filters: one })))
        for (const limit of [7, 1_000])
          expect(
            await allPages((page) => usageRows(connection, page), { ...query, limit }),
            JSON.stringify(query),
          ).toEqual(expected(query))
  })

  it('say what their keys belong to, and their tags', async () => {
    const connection = await open()
    await knowPrincipals(connection)
    await writeRows(connection, { rows: rows.slice(0, 10), zone: 'UTC' })
    const { rows: page } = await usageRows(connection, { limit: 10 })
    for (const { principal, project, environment, member } of page)
      expect([principal, project, environment, member]).toEqual([
        principal,
        projectOf(principal),
        environmentOf(principal),
        memberOf(principal),
      ])
    expect(new Set(page.map(({ tags }) => JSON.stringify(tags)))).toEqual(
      new Set(['null', '{"team":"t0","a.b\\"c":"x"}', '{"team":"t2","a.b\\"c":"x"}']),
    )
  })

  it('come all, page by page, as they are taken', async () => {
    const connection = await open()
    await writeRows(connection, { rows, zone: 'UTC' })
    let asked = 0
    const read = async (query: RowsQuery) => {
      asked += 1
      return usageRows(connection, { ...query, limit: 100 })
    }
    const ids: string[] = []
    for await (const page of usageEach(read, { filters: { failure: 'timeout' } })) ids.push(...page.map(({ id }) => id))
    expect(ids).toEqual(expected({ filters: { failure: 'timeout' } }))
    const before = asked
    for await (const page of usageEach(read, {})) {
      expect(page).toHaveLength(100)
      break
    }
    expect(asked).toBe(before + 1)
  })

  it('have a cursor that is theirs alone', async () => {
    const connection = await open()
    await writeRows(connection, { rows, zone: 'UTC' })
    const { cursor = '' } = await usageRows(connection, { limit: 5, filters: { model: 'a' } })
    expect((await usageRows(connection, { limit: 5, filters: { model: 'a' }, cursor })).rows).toHaveLength(5)
    const [at, id, sum] = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    const forged = (parts: unknown) => Buffer.from(JSON.stringify(parts)).toString('base64url')
    for (const [filters, bad] of [
      [{ model: 'b' }, cursor],
      [{}, cursor],
      ...[
        '',
        'x',
        cursor.slice(1),
        `${cursor}${'A'.repeat(1_000)}`,
        forged(null),
        forged([at + 1, id, sum]),
        forged([at, "' OR 1=1", sum]),
      ].map((one) => [{ model: 'a' }, one] as const),
    ] as const)
      await expect(usageRows(connection, { limit: 5, filters, cursor: bad })).rejects.toMatchObject({
        kind: 'invalid-request',
        param: 'cursor',
      })
  })
})

describe('a search for what no index knows', () => {
  it('ends behind a bounded number of rows, says how far it came, and goes on there', async () => {
    const [{ open } = { open: () => expect.unreachable() }] = stores()
    const connection = await open()
    const many = Array.from({ length: SEARCHED + 2_500 }, (_, number) =>
      ledgerRow(number, {
        model: number % 2 === 0 ? 'even' : 'odd',
        attempts: [],
        ...((number === 3 || number === SEARCHED + 100) && { failure: 'timeout' as const }),
      }),
    )
    for (let start = 0; start < many.length; start += 1_000)
      await writeRows(connection, { rows: many.slice(start, start + 1_000), zone: 'UTC' })
    const filters = { failure: 'timeout' }
    const first = await usageRows(connection, { limit: 10, filters })
    expect(first).toMatchObject({ rows: [{ requestId: `req_${SEARCHED + 100}` }], searchedUntil: START + 2_500 })
    const next = await usageRows(connection, { limit: 10, filters, cursor: first.cursor })
    expect(next).toMatchObject({ rows: [{ requestId: 'req_3' }] })
    expect(next).not.toHaveProperty('cursor')
    expect(next).not.toHaveProperty('searchedUntil')
    // Half of the rows are there for an index: so many more can be looked through.
    const odd = await usageRows(connection, { limit: 10, filters: { ...filters, model: 'odd' } })
    expect(odd).toMatchObject({ rows: [{ requestId: 'req_3' }] })
    expect(odd).not.toHaveProperty('cursor')
    expect((await usageRows(connection, { limit: 1, filters: { ...filters, model: 'even' } })).rows).toHaveLength(1)
  })
})
