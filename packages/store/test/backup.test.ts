import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { backup } from '../src/backup/backup.ts'
import { check } from '../src/backup/check.ts'
import { restore } from '../src/backup/restore.ts'
import { setBudget } from '../src/budgets/defined.ts'
import { changeLease } from '../src/budgets/leases.ts'
import type { StoreConnection } from '../src/database/connection.ts'
import { migrate } from '../src/database/migrate.ts'
import { runSql } from '../src/database/transaction.ts'
import { hashApiKey } from '../src/keys/api-key.ts'
import { createKey, keyByHash } from '../src/keys/keys.ts'
import { createListStore } from '../src/lists/model-lists.ts'
import { TABLES, type TableName } from '../src/schema/tables.ts'
import { createTaskStore } from '../src/tasks/tasks.ts'
import { writeRows } from '../src/usage/write.ts'
import { ledgerRow } from './support/rows.ts'
import { describeStores, openFor, openPglite, stores, temporaryFolder } from './support/stores.ts'
import { NOW, testTask } from './tasks/suite.ts'

/** Something in every table that has rows of its own, by default more rows of usage than are read at once. */
async function fill(connection: StoreConnection, count = 1_100): Promise<string> {
  const rows = Array.from({ length: count }, (_, number) =>
    ledgerRow(number, {
      model: `m${number % 3}`,
      tags: { team: `t${number % 7}` },
      held: String(2n ** 60n),
      startedAt: 1_600_000_000_000 + Math.floor((number / count) * 22_000_000_000),
    }),
  )
  const { id: budget } = await setBudget(
    connection,
    { scope: 'key', owner: 'key_1', limit: 2n ** 62n, period: 'forever' },
    'UTC',
  )
  const window = { budget, win: 'forever', startsAt: 0 }
  await changeLease(
    { connection, node: 'here' },
    { ...window, run: 'a' },
    { kind: 'ask', seq: 1, need: 5, want: 5, pace: 0 },
  )
  const [counting = ledgerRow(0)] = rows
  rows[0] = { ...counting, run: 'a', spends: [{ ...window, amount: '3' }] }
  await writeRows(connection, { rows, zone: 'UTC', position: { run: 'a', segment: 1, upto: 9 } })
  await createListStore(connection, () => 5).write('mine', [{ id: 'line\nbreak' }])
  await runSql(
    connection.db,
    "INSERT INTO prices (id, provider, model, source, valid_from, rates) VALUES ('p', 'mine', 'm', 'config', 5, '{}')",
  )
  const tasks = createTaskStore(connection)
  await tasks.add(testTask(1, { data: { prompt: 'zero \0, half \uD83D, line\nbreak' }, keptUntil: NOW }), 0)
  await tasks.add(testTask(2, { data: {} }), 2 ** 52)
  await tasks.claim({ family: 'video', now: NOW + 9, limit: 1, holdMs: 7, paces: {}, pace: 3 })
  return (await createKey(connection, { name: 'team', models: ['a'] })).key
}

/** The first test on PGlite waits for its start. */
const PATIENT = { timeout: 120_000 }

async function content(connection: StoreConnection): Promise<Record<string, unknown>> {
  const tables = (Object.keys(TABLES) as TableName[]).map(async (table) => {
    const columns = Object.keys(TABLES[table].columns).join(', ')
    const rows = await runSql(connection.db, `SELECT ${columns} FROM ${table} ORDER BY ${TABLES[table].key.join(', ')}`)
    return [
      table,
      rows.map((row) =>
        Object.values(row as object).map((value) =>
          value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value,
        ),
      ),
    ]
  })
  return Object.fromEntries(await Promise.all(tables))
}

async function emptySqlite(): Promise<StoreConnection> {
  const connection = await openFor({ file: join(temporaryFolder(), 'other.db') })
  await migrate(connection)
  return connection
}

describeStores(stores(), 'a backup of $name', ({ open }) => {
  it.each([false, true])('restores every row into an empty SQLite store, as lines: %s', async (lines) => {
    const connection = await open()
    const key = await fill(connection)
    const file = join(temporaryFolder(), 'backup')
    await backup(connection, file, { lines })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(file).includes(key)).toBe(false)
    const other = await emptySqlite()
    await restore(other, file)
    expect(await content(other)).toEqual(await content(connection))
    expect(await keyByHash(other, hashApiKey(key))).toMatchObject({ facts: { name: 'team' } })
    expect(await check(other)).toEqual([])
  })

  it('does not overwrite a file, and is not restored over what is there', async () => {
    const connection = await open()
    await fill(connection)
    const file = join(temporaryFolder(), 'backup')
    await backup(connection, file)
    await expect(backup(connection, file)).rejects.toMatchObject({
      kind: 'invalid-request',
      message: expect.stringContaining('exists'),
    })
    for (const lines of [false, true])
      await expect(backup(connection, join(temporaryFolder(), 'missing', 'backup'), { lines })).rejects.toMatchObject({
        kind: 'invalid-request',
        message: expect.stringContaining('there is no such folder'),
      })
    await expect(restore(connection, file)).rejects.toMatchObject({
      kind: 'invalid-request',
      message: expect.stringContaining('not empty'),
    })
  })
})

describe('a backup', () => {
  it('of SQLite is restored into Postgres, with a partition for each of its months, and back', PATIENT, async () => {
    const connection = await emptySqlite()
    await fill(connection, 100)
    const folder = temporaryFolder()
    await backup(connection, join(folder, 'one.db'))
    const postgres = await openPglite()
    await restore(postgres, join(folder, 'one.db'))
    expect(await content(postgres)).toEqual(await content(connection))
    expect(await check(postgres)).toEqual([])
    expect(await runSql(postgres.db, 'SELECT 1 FROM usage_default LIMIT 1')).toEqual([])
    await backup(postgres, join(folder, 'two.jsonl'))
    const other = await emptySqlite()
    await restore(other, join(folder, 'two.jsonl'))
    expect(await content(other)).toEqual(await content(connection))
    await writeRows(postgres, { rows: [ledgerRow(5_000)], zone: 'UTC' })
    const { key } = await createKey(postgres, { name: 'other' })
    expect(await keyByHash(postgres, hashApiKey(key))).toMatchObject({ facts: { name: 'other' } })
    expect(await check(postgres)).toEqual([])
  })

  it.each([
    ['lacks its end', (text: string) => text.slice(0, text.lastIndexOf('{"rows"')), 'is incomplete'],
    ['is cut within a line', (text: string) => text.slice(0, -8), 'cannot be read'],
    ['lacks a line', (text: string) => text.replace(/\n\[.*\n/, '\n'), 'cannot be read'],
    ['is something else', () => 'something else', 'is not a Headgate backup'],
    ['is empty', () => '', 'is incomplete'],
  ])('that %s is refused, and nothing of it is left', async (_, change, message) => {
    const connection = await emptySqlite()
    await fill(connection)
    const file = join(temporaryFolder(), 'backup')
    await backup(connection, file, { lines: true })
    const broken = join(temporaryFolder(), 'broken')
    writeFileSync(broken, change(readFileSync(file, 'utf8')))
    const other = await emptySqlite()
    await expect(restore(other, broken)).rejects.toMatchObject({
      kind: 'invalid-request',
      message: expect.stringContaining(message),
    })
    expect((await content(other))['usage']).toEqual([])
  })
})

describeStores(stores(), 'a check of $name', ({ open }) => {
  it('finds sums that do not add up, and calls without a request', async () => {
    const connection = await open()
    await writeRows(connection, {
      rows: [ledgerRow(1), ledgerRow(2), ledgerRow(3)],
      zone: 'UTC',
    })
    expect(await check(connection)).toEqual([])
    await connection.db.deleteFrom('usage').where('request_id', '=', 'req_2').execute()
    expect(await check(connection)).toEqual([
      {
        kind: 'sums-differ',
        level: 'fault',
        message:
          'Usage rows and `usage_hours` differ for the hour from 2023-11-14T22:00:00.000Z: requests, input, output, cost, charged',
        details: {
          table: 'usage_hours',
          period: '1699999200000',
          requests: '2 ≠ 3',
          input: '20 ≠ 30',
          output: '40 ≠ 60',
          cost: '3000 ≠ 4500',
          charged: '3000 ≠ 4500',
        },
      },
      ...[
        'usage_days',
        'usage_model_days',
        'usage_key_days',
        'usage_key_status_days',
        'usage_key_model_days',
        'usage_upstream_days',
      ].map((table) =>
        expect.objectContaining({
          kind: 'sums-differ',
          message: expect.stringContaining(`\`${table}\` differ for 2023-11-14`),
        }),
      ),
      expect.objectContaining({ kind: 'attempts-alone', details: { count: '1' } }),
    ])
  })
})
