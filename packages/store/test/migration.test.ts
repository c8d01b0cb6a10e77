import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { check } from '../src/backup/check.ts'
import { listBudgets } from '../src/budgets/defined.ts'
import { ACCOUNTS_TABLES } from '../src/database/accounts-columns.ts'
import type { Connection } from '../src/database/connection.ts'
import { migrate } from '../src/database/migrate.ts'
import { run } from '../src/database/transaction.ts'
import { createKey, keyByHash, listKeys } from '../src/keys/keys.ts'
import { createListStore } from '../src/lists/model-lists.ts'
import { createTaskStore } from '../src/tasks/tasks.ts'
import { attemptsOf, lastUsage } from '../src/usage/page.ts'
import { usageSeries } from '../src/usage/series.ts'
import { writeRows } from '../src/usage/write.ts'
import { EARLIER_VERSIONS, insertEarlier, makeEarlier } from './support/earlier.ts'
import { ledgerRow } from './support/rows.ts'
import { openFor, stores, temporaryDatabase, temporaryFolder } from './support/stores.ts'
import { testTask } from './tasks/suite.ts'

const STARTED = 1_700_000_000_000
const MOST = 9_223_372_036_854_775_807n

/** A migrated store that an earlier version made. */
async function openEarlier(version: number, fill: (database: DatabaseSync) => void, zone = 'UTC') {
  const file = join(temporaryFolder(), 'headgate.db')
  makeEarlier(file, version, fill)
  const connection = await openFor({ file })
  await migrate(connection, { zone })
  return connection
}

describe.each(EARLIER_VERSIONS)('a store of version %i', (version) => {
  it('becomes the newest one with all that it holds', async () => {
    const hash = Buffer.alloc(32, 1)
    const connection = await openEarlier(version, (database) => {
      insertEarlier(database, 'keys', {
        id: 'key_1',
        hash,
        prefix: 'sk-hg-abcd…',
        name: 'team',
        models: '["a"]',
        created_at: 5,
      })
      if (version > 1) database.exec(`UPDATE keys SET search = '["docs"]', scopes = '["metrics"]'`)
      insertEarlier(database, 'model_lists', { provider: 'mine', models: '[{"id":"a"}]', read_at: 6 })
      insertEarlier(database, 'usage', {
        id: 1,
        request_id: 'one',
        input: 10,
        output: 20,
        cost: 1_500,
        price_id: 'p',
        web_searches: 3,
      })
      insertEarlier(database, 'usage', {
        id: 2,
        request_id: 'two',
        status: 500,
        billed: 0,
        why: 'failed',
        cost: 700,
        failure: 'upstream-error',
      })
      insertEarlier(database, 'usage', {
        id: 3,
        request_id: 'three',
        why: 'price-unknown',
        billed: 0,
        losses: '[{"path":"a"}]',
        first_byte_ms: 3,
      })
      if (version > 3)
        insertEarlier(database, 'usage', {
          id: 4,
          request_id: 'four',
          units: '{"searches":2,"images":1}',
          estimated: 1,
        })
      const attempt = { provider: 'mine', model: 'model-1', started_at: STARTED + 2, duration_ms: 3 }
      insertEarlier(database, 'usage_attempts', { ...attempt, usage_id: 1, position: 0, status: 200 })
      insertEarlier(database, 'usage_attempts', { ...attempt, usage_id: 1, position: 1, failure: 'upstream-error' })
    })
    const secrets = [{ prefix: 'sk-hg-abcd…', createdAt: 5 }]
    const facts = {
      id: 'key_1',
      project: 'prj_default',
      environment: 'production',
      name: 'team',
      models: ['a'],
      createdAt: 5,
      version: 1,
      ...(version > 1 && { search: ['docs'], scopes: ['metrics'] }),
    }
    expect(await keyByHash(connection, hash.toString('hex'))).toEqual({ facts, organisation: 'org_default' })
    expect(await listKeys(connection)).toEqual([{ ...facts, prefix: 'sk-hg-abcd…', secrets }])
    expect(await createListStore(connection).read('mine')).toEqual([{ id: 'a' }])
    const rows = (await lastUsage(connection, 10)).reverse()
    const [one] = rows
    expect(rows).toMatchObject([
      {
        requestId: 'one',
        at: STARTED,
        input: 10,
        output: 20,
        cost: '1500',
        charged: '1500',
        units: { searches: 3 },
        estimated: false,
        held: null,
      },
      { requestId: 'two', status: 500, cost: '700', charged: '0', failure: 'upstream-error', billed: false },
      { requestId: 'three', cost: null, charged: null, losses: [{ path: 'a' }], firstByteMs: 3, units: null },
      ...(version > 3 ? [{ requestId: 'four', units: { searches: 2, images: 1 }, estimated: true }] : []),
    ])
    expect(one?.id).toMatch(/^018bcfe5-6800-7000-8000-000000000001$/)
    expect(await attemptsOf(connection, { at: STARTED, id: one?.id ?? '' })).toMatchObject([
      { status: 200 },
      { status: null, failure: 'upstream-error' },
    ])
    const series = await usageSeries(connection, { from: STARTED, to: STARTED + 1, by: 'model', step: 'day' })
    const [requests, searches] = version > 3 ? [4, 5] : [3, 3]
    expect(series).toMatchObject([
      { cost: '2200', charged: '1500', failed: 1, counts: { requests, searches, unpriced: requests - 2, input: 10 } },
    ])
  })

  it('goes on: rows that are written then come to those that were there', async () => {
    const connection = await openEarlier(version, (database) =>
      insertEarlier(database, 'usage', { id: 1, cost: 1_500 }),
    )
    await writeRows(connection, { rows: [ledgerRow(1)], zone: 'UTC' })
    for (const step of ['day', 'hour'] as const)
      expect(await usageSeries(connection, { from: STARTED, to: STARTED + 9, by: 'key', step })).toMatchObject([
        { cost: '3000', counts: { requests: 2 } },
      ])
    expect(await connection.db.selectFrom('usage_groups').selectAll().execute()).toHaveLength(1)
  })
})

describe('an earlier store', () => {
  it('may hold what no double holds, times of no calendar, and attempts whose row is gone', async () => {
    const connection = await openEarlier(4, (database) => {
      insertEarlier(database, 'usage', { id: 1, input: MOST, cost: MOST, started_at: MOST })
      insertEarlier(database, 'usage', {
        id: 2,
        input: MOST,
        cost: MOST,
        started_at: MOST,
        units: 'no json',
        losses: null,
      })
      insertEarlier(database, 'usage', { id: MOST, started_at: -5, model: 'x'.repeat(3_000) })
      const attempt = { usage_id: 77, provider: 'mine', model: 'm', duration_ms: 3 }
      insertEarlier(database, 'usage_attempts', { ...attempt, position: 1, started_at: STARTED + 4 })
      insertEarlier(database, 'usage_attempts', { ...attempt, position: 0, started_at: STARTED })
    })
    const { rows } = await connection.db.executeQuery<{ at: bigint; id: string; cost: bigint }>(
      connection.db.selectFrom('usage').select(['at', 'id', 'cost']).orderBy('at').orderBy('id').compile(),
    )
    expect(rows.map(({ at, cost }) => [at, cost])).toEqual([
      [-5n, null],
      [MOST, MOST],
      [MOST, MOST],
    ])
    expect(new Set(rows.map(({ id }) => id)).size).toBe(3)
    expect((await lastUsage(connection, 9)).map(({ units, cost }) => [units, cost])).toEqual([
      [null, String(MOST)],
      [null, String(MOST)],
      [null, null],
    ])
    expect(await attemptsOf(connection, { at: STARTED, id: '018bcfe5-6800-7000-8000-00000000004d' })).toHaveLength(2)
    const days = await usageSeries(connection, { from: 0, to: 8.64e15, by: 'family', step: 'day' })
    expect(days.map(({ cost, counts }) => [cost, counts.requests])).toEqual([
      ['0', 1],
      [String(MOST), 2],
    ])
  })

  it('may hold more than a sum can: it stops at the greatest', async () => {
    const connection = await openEarlier(4, (database) => {
      for (const [id, model] of ['a', 'b'].entries()) insertEarlier(database, 'usage', { id, model, cost: MOST })
    })
    const days = await usageSeries(connection, { from: STARTED, to: STARTED + 1, by: 'provider', step: 'day' })
    expect(days).toMatchObject([{ cost: String(MOST), counts: { requests: 2 } }])
  })

  it('sums up its days in the time zone of the organisation', async () => {
    const connection = await openEarlier(4, (database) => insertEarlier(database, 'usage', { id: 1 }), 'Asia/Tokyo')
    const days = await usageSeries(connection, {
      from: STARTED,
      to: STARTED + 1,
      by: 'model',
      step: 'day',
      zone: 'Asia/Tokyo',
    })
    expect(days).toMatchObject([{ day: '2023-11-15' }])
  })

  it('stays what it is when it can not become the newest one', async () => {
    const file = join(temporaryFolder(), 'headgate.db')
    makeEarlier(file, 4, (database) => {
      insertEarlier(database, 'usage', { id: 1 })
      database.exec('CREATE TABLE taken (somebody_elses INTEGER)')
    })
    const connection = await openFor({ file })
    await expect(migrate(connection)).rejects.toThrow('taken')
    const database = new DatabaseSync(file)
    expect([
      database.prepare('PRAGMA user_version').get(),
      database.prepare('SELECT id, request_id FROM usage').all(),
    ]).toEqual([{ user_version: 4 }, [{ id: 1, request_id: 'req' }]])
    database.exec('DROP TABLE taken')
    database.close()
    await migrate(connection)
    expect(await lastUsage(connection, 9)).toHaveLength(1)
  })
})

describe('a store', () => {
  it('of a newer program is refused by its name, and so is that of this one by an earlier program', async () => {
    const file = join(temporaryFolder(), 'headgate.db')
    const connection = await openFor({ file })
    await migrate(connection)
    const [{ user_version: version } = {}] = (await run(connection.db, 'PRAGMA user_version')) as {
      user_version: bigint
    }[]
    expect(Number(version)).toBeGreaterThan(4)
    await run(connection.db, 'PRAGMA user_version = 99')
    await expect(migrate(connection)).rejects.toMatchObject({
      kind: 'invalid-request',
      message: `${file} was written by a newer headgate (store version 99, this one knows ${version}). Update headgate.`,
    })
  })

  it('that is no database says which file, and what to do', async () => {
    const folder = temporaryFolder()
    await expect(openFor({ file: folder })).rejects.toMatchObject({
      kind: 'invalid-request',
      message: expect.stringContaining(folder),
    })
  })

  it('is migrated once by two processes that begin at the same time', async () => {
    const file = join(temporaryFolder(), 'headgate.db')
    makeEarlier(file, 4, (database) => {
      database.exec('BEGIN')
      for (let id = 1; id <= 5_000; id += 1) insertEarlier(database, 'usage', { id })
      database.exec('COMMIT')
    })
    await migrateInProcesses({ file })
    expect(await lastUsage(await openFor({ file }), 10_000)).toHaveLength(5_000)
  })

  it('is made once by processes that begin at the same time', async () => {
    const file = join(temporaryFolder(), 'headgate.db')
    await migrateInProcesses({ file })
    expect(await listKeys(await openFor({ file }))).toEqual([])
  })

  if (process.env['TEST_DATABASE_URL'])
    it('in Postgres is made once by processes that begin at the same time', async () => {
      const url = await temporaryDatabase()
      await migrateInProcesses({ url })
      expect(await listKeys(await openFor({ url }))).toEqual([])
    })
})

/** Takes from a store what later programs have made of it. */
async function undo({ db, kind }: Connection, migration: string): Promise<void> {
  const tables = {
    '0002-tasks': ['tasks', 'task_paces'],
    '0003-limits': BUDGETS,
    '0004-accounts': [
      ...Object.keys(ACCOUNTS_TABLES),
      'key_secrets',
      'principals',
      'usage_tag_hours',
      'usage_tag_days',
      'usage_upstream_days',
      'usage_first_byte_hours',
      'usage_first_byte_days',
    ],
    '0005-playground': ['traces'],
    '0006-answers': ['answers', 'answer_items'],
    '0007-key-days': ['usage_key_days'],
    '0008-held': ['budget_held'],
    '0009-rights': [],
  }
  await run(db, 'DROP INDEX usage_held')
  await run(db, 'ALTER TABLE usage_budgets DROP COLUMN held')
  for (const [name, own] of Object.entries(tables).filter(([name]) => name >= migration)) {
    for (const table of own) await run(db, `DROP TABLE ${table}`)
    await run(db, `DELETE FROM headgate_migrations WHERE name = '${name}'`)
  }
  await run(db, 'ALTER TABLE usage DROP COLUMN tags')
  const limits =
    migration > '0003-limits' ? ', requests_per_minute INTEGER, tokens_per_minute INTEGER, concurrent INTEGER' : ''
  await run(db, 'DROP TABLE keys')
  await run(
    db,
    `CREATE TABLE keys (
      id TEXT PRIMARY KEY, hash ${kind === 'sqlite' ? 'BLOB' : 'bytea'} NOT NULL UNIQUE, prefix TEXT NOT NULL, name TEXT, models TEXT,
      search TEXT, scopes TEXT, created_at INTEGER NOT NULL, expires_at INTEGER, revoked_at INTEGER${limits})${kind === 'sqlite' ? ' STRICT' : ''}`,
  )
  if (kind === 'sqlite') await run(db, `PRAGMA user_version = ${3 + Number(migration.slice(0, 4))}`)
}

const BUDGETS = ['budgets', 'budget_windows', 'budget_leases', 'budget_alerts', 'lives', 'usage_budgets']

describe.each(stores())('a store in $name', ({ open }) => {
  it.each(['0002-tasks', '0003-limits', '0004-accounts'])(
    'from before %s keeps all that it holds, and takes tasks, budgets and limits',
    async (migration) => {
      const connection = await open()
      await writeRows(connection, {
        rows: [ledgerRow(1), ledgerRow(2, { startedAt: 5 }), ledgerRow(3, { cost: null })],
        zone: 'UTC',
      })
      await undo(connection, migration)
      const hash = connection.kind === 'sqlite' ? "x'01'" : "'\\x01'"
      await run(
        connection.db,
        `INSERT INTO keys (id, hash, prefix, name, created_at) VALUES ('key_1', ${hash}, 'sk-hg-abcd…', 'team', 5)`,
      )
      const secret = { prefix: 'sk-hg-abcd…', createdAt: 5 }
      const owned = { id: 'key_1', project: 'prj_default', environment: 'production', name: 'team' }
      const known = { ...owned, ...secret, secrets: [secret], version: 1 }
      const rows = await lastUsage(connection, 9)
      await migrate(connection)
      expect([await listKeys(connection), await lastUsage(connection, 9)]).toEqual([[known], rows])
      expect(await check(connection)).toEqual([])
      expect((await keyByHash(connection, '01'))?.facts.id).toBe('key_1')
      expect(await connection.db.selectFrom('principals').selectAll().execute()).toEqual([{ ...owned, member: null }])
      const tasks = createTaskStore(connection)
      await tasks.add(testTask(1), 0)
      expect(await tasks.get(testTask(1).id)).toEqual(testTask(1))
      const limits = { requestsPerMinute: 60 }
      const { stored } = await createKey(connection, {
        name: 'bounded',
        budgets: [{ limit: 5n, period: 'day' }],
        limits,
      })
      expect((await listKeys(connection)).map((key) => key.limits)).toEqual([undefined, limits])
      expect(await listBudgets(connection, [stored.id])).toMatchObject([
        { scope: 'key', limit: 5n, period: 'day', zone: 'UTC' },
      ])
    },
  )
})

async function migrateInProcesses(place: { file: string } | { url: string }): Promise<void> {
  const program = join(import.meta.dirname, 'support/migrating.ts')
  const children = [1, 2, 3].map(() =>
    fork(program, [JSON.stringify(place)], { execArgv: ['--conditions=@headgate/source'] }),
  )
  await Promise.all(children.map((child) => once(child, 'message')))
  const ends = children.map((child) => once(child, 'exit'))
  for (const child of children) child.send('go')
  expect((await Promise.all(ends)).map(([code]) => code)).toEqual([0, 0, 0])
}
