import { outcomeOf } from '@headgate/gateway/ports'
import { describe, expect, it } from 'vitest'
import type { Bounds, OneOf, RowFilters } from '../../src/usage/filters.ts'
import { SEARCHED } from '../../src/usage/matching.ts'
import type { LedgerRow } from '../../src/usage/row.ts'
import { type RowsQuery, type UsageRows, usageEach, usageRows } from '../../src/usage/rows.ts'
import { writeRows } from '../../src/usage/write.ts'
import { ledgerRow, START } from '../support/rows.ts'
import { describeStores, stores } from '../support/stores.ts'
import { environmentOf, knowPrincipals, memberOf, projectOf } from './owners.ts'

const failedCall = { ...ledgerRow(0).attempts[0], status: 503, failure: 'overloaded', code: 'busy' } as const

const rows = Array.from({ length: 700 }, (_, number) =>
  ledgerRow(number, {
    model: ['a', 'b', 'c'][number % 3] ?? '',
    principal: `key_${number % 10}`,
    provider: number % 7 === 0 ? 'other' : 'mine',
    status: number % 20 === 3 ? 500 : 200,
    startedAt: START + Math.floor(number / 4) * 60_000,
    stream: number % 2 === 0,
    cost: number % 13 === 0 ? null : number * 10,
    durationMs: number % 50,
    usage: { input: number, output: number % 9 },
    ...(number % 7 === 0 && { endpoint: number % 14 === 0 ? 'eu' : 'us' }),
    ...(number % 20 === 3 && { failure: number % 40 === 3 ? ('upstream' as const) : ('timeout' as const) }),
    ...(number % 5 === 0 && { tags: { team: `t${number % 3}`, 'a.b"c': 'x' } }),
    ...(number % 6 === 0 && { endUser: `user ${number % 4}`, session: `s${number % 5}` }),
    ...(number % 11 === 0 && {
      attempts: [...ledgerRow(number).attempts, failedCall as LedgerRow['attempts'][number]],
    }),
  }),
)

function tokensOf({ usage }: LedgerRow): number {
  return Number(usage?.input) + Number(usage?.output)
}

function isWithin(value: number | null, { least = 0, most = Number.POSITIVE_INFINITY }: Bounds): boolean {
  return value !== null && value >= least && value <= most
}

function isOne<Value extends string | number>(value: Value | null | undefined, filter: OneOf<Value>): boolean {
  if (typeof filter !== 'object') return value === filter
  return (value !== undefined && value !== null && filter.values.includes(value)) !== (filter.isNot ?? false)
}

function matches(row: LedgerRow, filters: RowFilters): boolean {
  const { principal, model, provider, endpoint, family, status, failure, tags = {}, endUser: user, session } = row
  const owners = { project: projectOf(principal), environment: environmentOf(principal), member: memberOf(principal) }
  const held = { ...owners, key: principal, model, provider, endpoint, family, failure, user, session }
  const { tag, stream, cost, duration, tokens, onlyMember, onlyProject, status: wanted, ...texts } = filters
  if (tag && (tags[tag.name] === undefined || (tag.value !== undefined && tags[tag.name] !== tag.value))) return false
  return (
    (stream === undefined || row.stream === stream) &&
    (cost === undefined || isWithin(row.cost, cost)) &&
    (duration === undefined || isWithin(row.durationMs, duration)) &&
    (tokens === undefined || isWithin(tokensOf(row), tokens)) &&
    (onlyMember === undefined || isOne(owners.member, onlyMember)) &&
    (onlyProject === undefined || isOne(owners.project, onlyProject)) &&
    (wanted === undefined || isOne(status, wanted)) &&
    Object.entries(texts).every(
      ([name, filter]) =>
        filter === undefined || isOne(Object({ ...held, outcome: outcomeOf(row) })[name] ?? undefined, filter),
    )
  )
}

function expected(query: Omit<RowsQuery, 'limit'>): string[] {
  const { from = 0, to = Number.POSITIVE_INFINITY, filters = {}, sort = 'newest' } = query
  const orderOf = (row: LedgerRow): number =>
    sort === 'newest' ? 0 : sort === 'cost' ? (row.cost ?? -1) : sort === 'duration' ? row.durationMs : tokensOf(row)
  return rows
    .filter((row) => row.startedAt >= from && row.startedAt < to && matches(row, filters))
    .sort(
      (one, other) => orderOf(other) - orderOf(one) || other.startedAt - one.startedAt || (one.id < other.id ? 1 : -1),
    )
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
    const not = (...values: string[]) => ({ values, isNot: true })
    const filters: RowFilters[] = [
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
      ...[
        { model: { values: ['a', 'c'] }, key: not('key_1', 'key_2') },
        { project: not('prj_1') },
        { project: not('prj_1'), onlyProject: 'prj_1' },
        { member: not('usr_1'), environment: { values: ['staging', 'production'] } },
        { onlyMember: 'usr_1', endpoint: not('eu') },
        { status: { values: [500, 502] } },
        { status: { values: [200], isNot: true }, model: not('a') },
        { failure: not('timeout') },
        { provider: not('mine') },
        { model: not('x'.repeat(300), 'a') },
      ],
      ...['served', 'failed-over', 'failed', 'cut'].map((outcome) => ({ outcome })),
      ...[
        { outcome: { values: ['failed', 'failed-over'] } },
        { outcome: not('served') },
        { user: 'user 2' },
        { session: not('s1'), user: { values: ['user 0', 'user 2'] } },
        { stream: true, model: 'b' },
        { stream: false, provider: 'other' },
        { cost: { least: 1_000, most: 2_000 } },
        { cost: { most: 0 } },
        { duration: { least: 45 }, key: 'key_7' },
        { tokens: { least: 300, most: 310 } },
      ],
    ]
    for (const one of filters)
      for (const query of [{}, { from: START + 600_000, to: last }].map((range) => ({ ...range, filters: one })))
        for (const limit of [41, 1_000])
          expect(
            await allPages((page) => usageRows(connection, page), { ...query, limit }),
            JSON.stringify(query),
          ).toEqual(expected(query))
  })

  it('come in the order of their cost, duration or tokens, each once', async () => {
    const connection = await open()
    await knowPrincipals(connection)
    await writeRows(connection, { rows, zone: 'UTC' })
    for (const sort of ['cost', 'duration', 'tokens'] as const)
      for (const filters of [{}, { model: 'a' }, { key: 'key_3', outcome: 'failed' }, { project: 'none' }])
        for (const limit of [7, 1_000]) {
          const query = { from: START + 600_000, filters, sort }
          expect(
            await allPages((page) => usageRows(connection, page), { ...query, limit }),
            JSON.stringify(query),
          ).toEqual(expected(query))
        }
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
