import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { backup } from '../src/backup/backup.ts'
import { restore } from '../src/backup/restore.ts'
import type { StoreConnection } from '../src/database/connection.ts'
import { checkStore, migrate } from '../src/database/migrate.ts'
import { runSql } from '../src/database/transaction.ts'
import { listKeys } from '../src/keys/keys.ts'
import { int, maybe, type StoreSchema, table, text } from '../src/schema/declare.ts'
import { STORE, TABLES } from '../src/schema/tables.ts'
import { describeTables, expectedTables } from './support/introspection.ts'
import { describeStores, openFor, stores, temporaryDatabase, temporaryFolder } from './support/stores.ts'

const NOTES = table({ columns: { id: text, written_at: int }, key: ['id'], indexes: { by_time: '(written_at)' } })
/** Tables of another package in its first version. */
const FIRST: StoreSchema = { name: 'notes', tables: { notes: NOTES }, upgrades: [] }
/** The same package later: a column, an index and a table were added. */
const SECOND: StoreSchema = {
  name: 'notes',
  tables: {
    notes: table({
      columns: { ...NOTES.columns, author: maybe(text) },
      key: ['id'],
      indexes: { by_time: '(written_at)', by_author: '(author) WHERE author IS NOT NULL' },
    }),
    authors: table({ columns: { id: text, name: text }, key: ['id', 'name'], clustered: true }),
  },
  upgrades: [
    {
      kind: 'expand',
      statements: (database) => [
        `ALTER TABLE notes ADD COLUMN author ${database === 'sqlite' ? 'TEXT' : 'text COLLATE "C"'}`,
        'CREATE INDEX notes_by_author ON notes (author) WHERE author IS NOT NULL',
        database === 'sqlite'
          ? 'CREATE TABLE authors (id TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (id, name)) STRICT, WITHOUT ROWID'
          : 'CREATE TABLE authors (id text COLLATE "C" NOT NULL, name text COLLATE "C" NOT NULL, PRIMARY KEY (id, name))',
      ],
    },
  ],
}
/** The same package later still: the time is gone, and programs of the first version cannot use the table. */
const THIRD: StoreSchema = {
  name: 'notes',
  tables: {
    ...SECOND.tables,
    notes: table({
      columns: { id: text, author: maybe(text) },
      key: ['id'],
      indexes: { by_author: '(author) WHERE author IS NOT NULL' },
    }),
  },
  upgrades: [
    ...SECOND.upgrades,
    {
      kind: 'contract',
      minReader: 2,
      statements: () => ['DROP INDEX notes_by_time', 'ALTER TABLE notes DROP COLUMN written_at'],
    },
  ],
}

describeStores(stores(), 'a store in $name', ({ open }) => {
  it('that migration 0001 made has the declared tables, columns, keys and indexes', async () => {
    const connection = await open()
    const { headgate_schema: versions, ...found } = await describeTables(connection)
    expect(found).toEqual(expectedTables(connection.kind, TABLES))
    expect(Object.keys(versions?.columns ?? {}).sort()).toEqual(['min_reader', 'name', 'version'])
  })

  it('gets the tables of another package later, and their upgrades, with all rows', async () => {
    const connection = await open()
    onTestFinished(() => dropNotes(connection))
    await migrate(connection, [STORE, FIRST])
    await runSql(connection.db, "INSERT INTO notes (id, written_at) VALUES ('one', 5)")
    await migrate(connection, [STORE, SECOND])
    const upgraded = await describeNotes(connection)
    expect(upgraded).toEqual(expectedTables(connection.kind, SECOND.tables))
    expect(await runSql(connection.db, 'SELECT * FROM notes')).toEqual([{ id: 'one', written_at: 5n, author: null }])
    await dropNotes(connection)
    await migrate(connection, [STORE, SECOND])
    expect(await describeNotes(connection)).toEqual(upgraded)
    await migrate(connection, [STORE, SECOND])
  })

  it('that a newer program has only expanded is used by earlier ones, and stays as it is', async () => {
    const connection = await open()
    onTestFinished(() => dropNotes(connection))
    await migrate(connection, [STORE, SECOND])
    await migrate(connection, [STORE, FIRST])
    await checkStore(connection, [STORE, FIRST])
    expect(await versionsOf(connection)).toEqual({ version: 2n, min_reader: 1n })
    await runSql(connection.db, "INSERT INTO notes (id, written_at) VALUES ('one', 5)")
    await migrate(connection, [STORE, SECOND])
    expect(await runSql(connection.db, 'SELECT author FROM notes')).toEqual([{ author: null }])
  })

  it('that a newer program has contracted is refused by earlier ones, by its name and with what to do', async () => {
    const connection = await open()
    onTestFinished(() => dropNotes(connection))
    await migrate(connection, [STORE, FIRST])
    await migrate(connection, [STORE, THIRD])
    const message = expect.stringMatching(
      /was written by a newer headgate \(version 3 of `notes`, for programs that know version 2 or later; this one knows 1\)\. Update headgate, or restore a backup of this version into an empty store\.$/,
    )
    const refused = { kind: 'invalid-request', message }
    await expect(migrate(connection, [STORE, FIRST])).rejects.toMatchObject(refused)
    await expect(checkStore(connection, [FIRST])).rejects.toMatchObject(refused)
    await migrate(connection, [STORE, SECOND])
    await checkStore(connection)
    await dropNotes(connection)
    await migrate(connection, [STORE, THIRD])
    expect(await versionsOf(connection)).toEqual({ version: 3n, min_reader: 2n })
  })

  it('with columns that a newer program has added is not copied without them', async () => {
    const connection = await open()
    onTestFinished(() => dropNotes(connection))
    await migrate(connection, [STORE, SECOND])
    await runSql(connection.db, "INSERT INTO notes (id, written_at, author) VALUES ('one', 5, 'me')")
    const [file, other] = [join(temporaryFolder(), 'backup'), await openFor({ file: join(temporaryFolder(), 'o.db') })]
    const lost = expect.stringContaining('version 2 of `notes`, this one knows 1')
    await expect(backup(connection, file, { lines: true, schemas: [STORE, FIRST] })).rejects.toMatchObject({
      message: lost,
    })
    await backup(connection, file, { lines: true, schemas: [STORE, SECOND] })
    await migrate(other, [STORE, FIRST])
    await expect(restore(other, file, [STORE, FIRST])).rejects.toMatchObject({ message: lost })
    await migrate(other, [STORE, SECOND])
    await restore(other, file, [STORE, SECOND])
    expect(await runSql(other.db, 'SELECT author FROM notes')).toEqual([{ author: 'me' }])
  })
})

async function versionsOf({ db }: StoreConnection): Promise<unknown> {
  const [row] = await runSql(db, "SELECT version, min_reader FROM headgate_schema WHERE name = 'notes'")
  return row
}

async function describeNotes(connection: StoreConnection) {
  const { notes, authors } = await describeTables(connection)
  return { notes, authors }
}

async function dropNotes({ db }: StoreConnection): Promise<void> {
  for (const name of ['notes', 'authors']) await runSql(db, `DROP TABLE IF EXISTS ${name}`)
  await runSql(db, "DELETE FROM headgate_schema WHERE name = 'notes'")
}

describe('a store', () => {
  it('stays as it is if it cannot be migrated', async () => {
    const file = join(temporaryFolder(), 'headgate.db')
    const database = new DatabaseSync(file)
    database.exec('CREATE TABLE ingest_positions (column_of_another_program INTEGER)')
    const connection = await openFor({ file })
    await expect(migrate(connection)).rejects.toThrow('ingest_positions')
    expect(Object.keys(await describeTables(connection))).toEqual(['ingest_positions'])
    database.exec('DROP TABLE ingest_positions')
    database.close()
    await migrate(connection)
    expect(await listKeys(connection)).toEqual([])
  })

  it('that is no database says which file, and what to do', async () => {
    const folder = temporaryFolder()
    await expect(openFor({ file: folder })).rejects.toMatchObject({
      kind: 'invalid-request',
      message: expect.stringContaining(folder),
    })
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
