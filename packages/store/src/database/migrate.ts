import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { HeadgateError } from '@headgate/gateway/ports'
import { int, type SchemaUpgrade, type StoreSchema, table, text, versionOf } from '../schema/declare.ts'
import { createTable, createTables } from '../schema/statements.ts'
import { STORE } from '../schema/tables.ts'
import type { StoreConnection } from './connection.ts'
import { isLockTimeout } from './failure.ts'
import { attachPartitions, monthsFrom } from './partitions.ts'
import { createOwnerOnly } from './sqlite.ts'
import { runSql, transact, type WriteTransaction } from './transaction.ts'

/** Time limit of waiting for another process that migrates the same store, in milliseconds. */
const PATIENCE = 600_000
/**
 * Time limit of waiting for a lock of a table in Postgres, in milliseconds. Statements of running programs wait behind
 * a migration that waits, so it gives up soon and tries again.
 */
const LOCK = 200
/** Time between two attempts, in milliseconds. */
const RETRY = 1_000

/** Table with the version of each schema, and the oldest version whose programs can use its tables. */
const VERSIONS = 'headgate_schema'
const VERSIONS_TABLE = table({ columns: { name: text, version: int, min_reader: int }, key: ['name'] })

/** Partitions of a new store: this month and the next two. */
const MONTHS = 3

/**
 * Migrates the tables of schemas to their newest version, in one transaction. Safe while other processes do the same,
 * and while programs of earlier versions use the store. Does nothing if a newer program has migrated further.
 * @throws HeadgateError `invalid-request` for a store whose oldest reader is newer
 */
export async function migrate(connection: StoreConnection, schemas: readonly StoreSchema[] = [STORE]): Promise<void> {
  if (isNewest(schemas, await readVersions(connection, schemas))) return
  await locked(connection, async (trx) => {
    const versions = await readVersions(connection, schemas, trx)
    if (!versions) await runAll(trx, createTable(connection.kind, VERSIONS, VERSIONS_TABLE))
    for (const schema of schemas) await migrateSchema(connection, trx, schema, versions?.get(schema.name))
  })
}

/**
 * Checks that this program can use a store.
 * @throws HeadgateError `invalid-request` for a store whose oldest reader is newer
 */
export async function checkStore(
  connection: StoreConnection,
  schemas: readonly StoreSchema[] = [STORE],
): Promise<void> {
  await readVersions(connection, schemas)
}

/** Checks that all tables of a store are known. @throws HeadgateError `invalid-request` with the missing schemas */
export async function checkComplete(connection: StoreConnection, schemas: readonly StoreSchema[]): Promise<void> {
  const names = [...((await readVersions(connection, schemas)) ?? new Map<string, SchemaVersion>()).keys()]
  const missing = names.filter((name) => schemas.every((schema) => schema.name !== name))
  if (missing.length > 0)
    throw new HeadgateError(
      'invalid-request',
      `The store has tables of \`${missing.join('`, `')}\`, which a backup without these schemas would omit. Pass them to \`openCommandStore\`.`,
    )
}

/**
 * Checks that this program knows every table and column of a store, as a copy of its rows needs.
 * @throws HeadgateError `invalid-request` if a newer program has added some
 */
export async function checkKnown(connection: StoreConnection, schemas: readonly StoreSchema[]): Promise<void> {
  const versions = await readVersions(connection, schemas)
  for (const schema of schemas) {
    const [version = 0, newest] = [versions?.get(schema.name)?.version, versionOf(schema)]
    if (version > newest)
      throw new HeadgateError(
        'invalid-request',
        `${placeOf(connection)} was written by a newer headgate (version ${version} of \`${schema.name}\`, this one knows ${newest}), whose new columns this one would omit. Use the newer headgate.`,
      )
  }
}

/** Stored version of a schema. */
interface SchemaVersion {
  readonly version: number
  /** Oldest version whose programs can use the tables. */
  readonly minReader: number
}

async function migrateSchema(
  { kind }: StoreConnection,
  trx: WriteTransaction,
  schema: StoreSchema,
  known: SchemaVersion | undefined,
): Promise<void> {
  const { name, tables, upgrades } = schema
  const version = versionOf(schema)
  if (known && known.version >= version) return
  const missing = upgrades.slice((known?.version ?? 1) - 1)
  if (!known) await runAll(trx, createTables(kind, tables))
  else for (const upgrade of missing) await runAll(trx, upgrade.statements(kind))
  if (!known && kind === 'postgres' && Object.values(tables).some(({ partitioned }) => partitioned))
    await attachPartitions(trx, monthsFrom(Date.now(), MONTHS))
  const minReader = Math.max(known?.minReader ?? 1, ...missing.map(oldestAfter))
  await runSql(
    trx,
    `INSERT INTO ${VERSIONS} (name, version, min_reader) VALUES ('${name}', ${version}, ${minReader})
      ON CONFLICT (name) DO UPDATE SET version = excluded.version, min_reader = excluded.min_reader`,
  )
}

/** Oldest version whose programs tolerate an upgrade. */
function oldestAfter(upgrade: SchemaUpgrade): number {
  return upgrade.kind === 'contract' ? upgrade.minReader : 1
}

async function runAll(trx: WriteTransaction, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await runSql(trx, statement)
}

type Versions = ReadonlyMap<string, SchemaVersion>

function isNewest(schemas: readonly StoreSchema[], versions: Versions | undefined): boolean {
  return schemas.every((schema) => (versions?.get(schema.name)?.version ?? 0) >= versionOf(schema))
}

/** Versions by schema; undefined for an empty store. @throws HeadgateError for a store whose oldest reader is newer */
async function readVersions(
  connection: StoreConnection,
  schemas: readonly StoreSchema[],
  trx?: WriteTransaction,
): Promise<Versions | undefined> {
  const db = trx ?? connection.db
  const [existing] = await runSql(
    db,
    connection.kind === 'sqlite'
      ? `SELECT 1 AS found FROM sqlite_master WHERE name = '${VERSIONS}'`
      : `SELECT 1 AS found WHERE to_regclass('${VERSIONS}') IS NOT NULL`,
  )
  if (!existing) return undefined
  const rows = await runSql(db, `SELECT name, version, min_reader FROM ${VERSIONS}`)
  const versions = new Map(
    rows.map((row): [string, SchemaVersion] => {
      const { name, version, min_reader } = Object(row)
      return [String(name), { version: Number(version), minReader: Number(min_reader) }]
    }),
  )
  for (const schema of schemas) {
    const [known, newest] = [versions.get(schema.name), versionOf(schema)]
    if (!known || known.minReader <= newest) continue
    throw new HeadgateError(
      'invalid-request',
      `${placeOf(connection)} was written by a newer headgate (version ${known.version} of \`${schema.name}\`, for programs that know version ${known.minReader} or later; this one knows ${newest}). Update headgate, or restore a backup of this version into an empty store.`,
    )
  }
  return versions
}

function placeOf(connection: StoreConnection): string {
  return connection.kind === 'sqlite' ? connection.file : 'The database of DATABASE_URL'
}

/** Runs a transaction in one process at a time. */
async function locked(connection: StoreConnection, migration: (trx: WriteTransaction) => Promise<void>): Promise<void> {
  if (connection.kind === 'postgres') return lockedPostgres(connection, migration)
  const file = `${connection.file}-migration`
  createOwnerOnly(file)
  const lock = new DatabaseSync(file, { timeout: PATIENCE })
  try {
    lock.exec('BEGIN IMMEDIATE')
    await transact(connection, migration)
  } finally {
    lock.close()
  }
}

async function lockedPostgres(
  connection: StoreConnection,
  migration: (trx: WriteTransaction) => Promise<void>,
): Promise<void> {
  const deadline = performance.now() + PATIENCE
  for (;;) {
    try {
      return await transact(connection, async (trx) => {
        await runSql(trx, `SET LOCAL statement_timeout = ${PATIENCE}`)
        await runSql(trx, "SELECT pg_advisory_xact_lock(hashtext('headgate.migration'))")
        await runSql(trx, `SET LOCAL lock_timeout = ${LOCK}`)
        await migration(trx)
      })
    } catch (error) {
      if (!isLockTimeout(error) || performance.now() >= deadline) throw error
      await wait(RETRY)
    }
  }
}
