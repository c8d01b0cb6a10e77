import { DatabaseSync } from 'node:sqlite'
import { HeadgateError } from '@headgate/gateway/ports'
import { int, type StoreSchema, table, text } from '../schema/declare.ts'
import { createTable, createTables } from '../schema/statements.ts'
import { STORE } from '../schema/tables.ts'
import type { StoreConnection } from './connection.ts'
import { createMonths, monthsFrom } from './partitions.ts'
import { createOwnerOnly } from './sqlite.ts'
import { runSql, transact, type WriteTransaction } from './transaction.ts'

/** Time limit of waiting for another process that migrates the same store, in milliseconds. */
const PATIENCE = 600_000

/** Table with the version of each schema. */
const VERSIONS = 'headgate_schema'
const VERSIONS_TABLE = table({ columns: { name: text, version: int }, key: ['name'] })

/** Partitions of a new store: this month and the next two. */
const MONTHS = 3

/**
 * Migrates the tables of schemas to their newest version, in one transaction. Safe while other processes do the same.
 * @throws HeadgateError `invalid-request` for the store of a newer version
 */
export async function migrate(connection: StoreConnection, schemas: readonly StoreSchema[] = [STORE]): Promise<void> {
  if (isNewest(schemas, await readVersions(connection, schemas))) return
  await locked(connection, async (trx) => {
    const versions = await readVersions(connection, schemas, trx)
    if (!versions) await runAll(trx, createTable(connection.kind, VERSIONS, VERSIONS_TABLE))
    for (const schema of schemas) await migrateSchema(connection, trx, schema, versions?.get(schema.name) ?? 0)
  })
}

/**
 * Checks that this program can use a store.
 * @throws HeadgateError `invalid-request` for the store of a newer version
 */
export async function checkStore(
  connection: StoreConnection,
  schemas: readonly StoreSchema[] = [STORE],
): Promise<void> {
  await readVersions(connection, schemas)
}

/** Checks that all tables of a store are known. @throws HeadgateError `invalid-request` with the missing schemas */
export async function checkComplete(connection: StoreConnection, schemas: readonly StoreSchema[]): Promise<void> {
  const names = [...((await readVersions(connection, schemas)) ?? new Map<string, number>()).keys()]
  const missing = names.filter((name) => schemas.every((schema) => schema.name !== name))
  if (missing.length > 0)
    throw new HeadgateError(
      'invalid-request',
      `The store has tables of \`${missing.join('`, `')}\`, which a backup without these schemas would omit. Pass them to \`openCommandStore\`.`,
    )
}

async function migrateSchema(
  { kind }: StoreConnection,
  trx: WriteTransaction,
  schema: StoreSchema,
  version: number,
): Promise<void> {
  const { name, tables, upgrades } = schema
  if (version === 0) await runAll(trx, createTables(kind, tables))
  else for (const upgrade of upgrades.slice(version - 1)) await runAll(trx, upgrade(kind))
  if (version === 0 && kind === 'postgres' && Object.values(tables).some(({ monthly }) => monthly))
    await createMonths(trx, monthsFrom(Date.now(), MONTHS))
  const values = `('${name}', ${newestOf(schema)})`
  await runSql(
    trx,
    `INSERT INTO ${VERSIONS} VALUES ${values} ON CONFLICT (name) DO UPDATE SET version = excluded.version`,
  )
}

async function runAll(trx: WriteTransaction, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await runSql(trx, statement)
}

function newestOf({ upgrades }: StoreSchema): number {
  return 1 + upgrades.length
}

type Versions = ReadonlyMap<string, number>

function isNewest(schemas: readonly StoreSchema[], versions: Versions | undefined): boolean {
  return schemas.every((schema) => versions?.get(schema.name) === newestOf(schema))
}

/** Versions by schema; undefined for an empty store. @throws HeadgateError for the store of a newer version */
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
  const rows = await runSql(db, `SELECT name, version FROM ${VERSIONS}`)
  const versions = new Map(rows.map((row) => [String(Object(row).name), Number(Object(row).version)]))
  for (const schema of schemas) {
    const [version = 0, newest] = [versions.get(schema.name), newestOf(schema)]
    if (version <= newest) continue
    const place = connection.kind === 'sqlite' ? connection.file : 'The database of DATABASE_URL'
    throw new HeadgateError(
      'invalid-request',
      `${place} was written by a newer headgate (version ${version} of \`${schema.name}\`, this one knows ${newest}). Update headgate.`,
    )
  }
  return versions
}

/** Runs a transaction in one process at a time. */
async function locked(connection: StoreConnection, migration: (trx: WriteTransaction) => Promise<void>): Promise<void> {
  if (connection.kind === 'postgres')
    return transact(connection, async (trx) => {
      await runSql(trx, `SET LOCAL statement_timeout = ${PATIENCE}`)
      await runSql(trx, "SELECT pg_advisory_xact_lock(hashtext('headgate.migration'))")
      await migration(trx)
    })
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
