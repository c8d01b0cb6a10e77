import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, openAsBlob, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { PGliteDialect } from 'kysely'
import pg from 'pg'
import { beforeAll, describe, onTestFinished } from 'vitest'
import { openConnection, type StoreConnection } from '../../src/database/connection.ts'
import type { StoreLocation } from '../../src/database/location.ts'
import { migrate } from '../../src/database/migrate.ts'
import { createPartitions, PARTITIONED, partitionsOf } from '../../src/database/partitions.ts'
import { integer, postgresOver } from '../../src/database/postgres.ts'
import { runSql } from '../../src/database/transaction.ts'
import { type StoreSchema, tablesOf } from '../../src/schema/declare.ts'
import { STORE } from '../../src/schema/tables.ts'
import { EMPTY, isInstalled, PGLITE } from '../pglite/install.ts'

/** A kind of store that the same tests run on. */
export interface TestStore {
  readonly name: string
  /** An empty one of the newest version, for the length of a test. */
  open(): Promise<StoreConnection>
  /** The same with another connection to it; absent where there can be one only. */
  openTwice?(): Promise<readonly [StoreConnection, StoreConnection]>
}

const PGLITE_NAME = 'PGlite'
const DATABASE_URL = process.env['TEST_DATABASE_URL']

/** Stores with the tables of schemas. */
export function stores(schemas: readonly StoreSchema[] = [STORE]): readonly TestStore[] {
  const sqlite: TestStore = {
    name: 'SQLite',
    open: async () => (await openFiles(1, schemas))[0] ?? fail(),
    openTwice: async () => {
      const connections = await openFiles(2, schemas)
      // Both are on this thread: while one waits for the other, the other cannot continue.
      for (const { db } of connections) await runSql(db, 'PRAGMA busy_timeout = 10')
      return pair(connections)
    },
  }
  const postgres: TestStore = {
    name: 'Postgres',
    open: async () => (await openUrls(1, schemas))[0] ?? fail(),
    openTwice: async () => pair(await openUrls(2, schemas)),
  }
  const pglite: TestStore = { name: PGLITE_NAME, open: () => openPglite(schemas) }
  return [sqlite, pglite, ...(DATABASE_URL ? [postgres] : [])]
}

/**
 * The same tests on each of these stores. `$name` in the title stands for the name of the store. Tests on PGlite take
 * several times as long, so they are tagged `full`; `backup.test.ts` has the ones that run always.
 */
export function describeStores<Store extends { readonly name: string }>(
  kinds: readonly Store[],
  title: string,
  tests: (store: Store) => void,
): void {
  for (const store of kinds) {
    const isPglite = store.name === PGLITE_NAME
    describe(title.replace('$name', store.name), { tags: isPglite ? ['full'] : [] }, () => {
      if (isPglite) beforeAll(startEarly, 120_000)
      tests(store)
    })
  }
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-store-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
  return folder
}

/** An empty database of the server that `TEST_DATABASE_URL` names, for the length of a test. */
export async function temporaryDatabase(): Promise<string> {
  const name = `headgate_${randomUUID().replaceAll('-', '')}`
  await administer(`CREATE DATABASE ${name}`)
  onTestFinished(() => administer(`DROP DATABASE ${name} WITH (FORCE)`))
  const url = new URL(DATABASE_URL ?? fail())
  url.pathname = name
  return url.href
}

/** Opened, not migrated. Closed after the test. */
export async function openFor(place: StoreLocation): Promise<StoreConnection> {
  const connection = await openConnection(place)
  onTestFinished(() => connection.close())
  return connection
}

async function openFiles(count: number, schemas: readonly StoreSchema[]): Promise<StoreConnection[]> {
  const file = join(temporaryFolder(), 'headgate.db')
  return openMigrated({ file }, count, schemas)
}

async function openUrls(count: number, schemas: readonly StoreSchema[]): Promise<StoreConnection[]> {
  return openMigrated({ url: await temporaryDatabase() }, count, schemas)
}

async function openMigrated(
  place: StoreLocation,
  count: number,
  schemas: readonly StoreSchema[],
): Promise<StoreConnection[]> {
  const connections: StoreConnection[] = []
  for (let opened = 0; opened < count; opened += 1) connections.push(await openFor(place))
  for (const connection of connections) await migrate(connection, schemas)
  return connections
}

interface PgliteModule {
  readonly PGlite: new (
    options: object,
  ) => ConstructorParameters<typeof PGliteDialect>[0]['pglite'] & {
    exec(sql: string): Promise<unknown>
    readonly waitReady: Promise<void>
  }
}

type Pglite = InstanceType<PgliteModule['PGlite']>

/** One for all files of tests of a worker: it takes half a second to start, and some where the machine is busy. */
let starting: Promise<Pglite> | undefined

async function startEarly(): Promise<void> {
  starting ??= startPglite()
  await starting
}

async function startPglite(): Promise<Pglite> {
  if (!isInstalled())
    throw new Error('PGlite is not installed: run `npm ci --ignore-scripts` in packages/store/test/pglite, online.')
  const { PGlite }: PgliteModule = await import(pathToFileURL(join(PGLITE, 'dist/index.js')).href)
  const loadDataDir = existsSync(EMPTY) ? await openAsBlob(EMPTY) : undefined
  const pglite = new PGlite({ parsers: { 20: integer, 1700: integer }, loadDataDir })
  await pglite.waitReady
  return pglite
}

/** An empty store of the newest version. There is one for each combination of schemas, and only the last one is open. */
export async function openPglite(schemas: readonly StoreSchema[] = [STORE]): Promise<StoreConnection> {
  starting ??= startPglite()
  const pglite = await starting
  const connection = postgresOver(new PGliteDialect({ pglite }))
  const own = `of_${schemas.map(({ name }) => name).join('_')}`
  await pglite.exec(`CREATE SCHEMA IF NOT EXISTS ${own}; SET search_path TO ${own}`)
  await migrate(connection, schemas)
  await pglite.exec(`TRUNCATE ${Object.keys(tablesOf(schemas)).join(', ')}`)
  // Those that an earlier test made would go as a whole, their rows uncounted.
  for (const table of PARTITIONED)
    for (const { name, end } of await partitionsOf(connection, table))
      if (end <= Date.now()) await pglite.exec(`DROP TABLE ${name}`)
  await createPartitions(connection)
  return connection
}

async function administer(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: DATABASE_URL })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

function pair([one, other]: readonly StoreConnection[]): readonly [StoreConnection, StoreConnection] {
  return [one ?? fail(), other ?? fail()]
}

function fail(): never {
  throw new Error('There is no such store')
}
