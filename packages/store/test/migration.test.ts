import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
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
    (kind) => [
      `ALTER TABLE notes ADD COLUMN author ${kind === 'sqlite' ? 'TEXT' : 'text COLLATE "C"'}`,
      'CREATE INDEX notes_by_author ON notes (author) WHERE author IS NOT NULL',
      kind === 'sqlite'
        ? 'CREATE TABLE authors (id TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (id, name)) STRICT, WITHOUT ROWID'
        : 'CREATE TABLE authors (id text COLLATE "C" NOT NULL, name text COLLATE "C" NOT NULL, PRIMARY KEY (id, name))',
    ],
  ],
}

describeStores(stores(), 'a store in $name', ({ open }) => {
  it('that migration 0001 made has the declared tables, columns, keys and indexes', async () => {
    const connection = await open()
    const { headgate_schema: versions, ...found } = await describeTables(connection)
    expect(found).toEqual(expectedTables(connection.kind, TABLES))
    expect(Object.keys(versions?.columns ?? {}).sort()).toEqual(['name', 'version'])
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

  it('of a newer program is refused by its name', async () => {
    const connection = await open()
    onTestFinished(() => dropNotes(connection))
    await migrate(connection, [STORE, SECOND])
    const message = expect.stringMatching(
      /was written by a newer headgate \(version 2 of `notes`, this one knows 1\)\. Update headgate\.$/,
    )
    const refused = { kind: 'invalid-request', message }
    await expect(migrate(connection, [STORE, FIRST])).rejects.toMatchObject(refused)
    await expect(checkStore(connection, [FIRST])).rejects.toMatchObject(refused)
    await checkStore(connection)
  })
})

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
