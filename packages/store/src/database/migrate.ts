import { DatabaseSync } from 'node:sqlite'
import { HeadgateError } from '@headgate/gateway/ports'
import { Migrator } from 'kysely/migration'
import type { Connection } from './connection.ts'
import { keepZone } from './day-zones.ts'
import { EARLIER, migrationsOf } from './migrations/index.ts'
import { makeOwn } from './sqlite.ts'
import { run, transact, type Writing } from './transaction.ts'

/** How long a process waits for another one that migrates the same store, in milliseconds. */
const PATIENCE = 600_000

/** Not Kysely's own name: a database may have other programs. */
const TABLE = 'headgate_migrations'

export interface MigrateOptions {
  /**
   * Time zone of the organisation, in which the days of rows are summed up that are there already, and which a new
   * store keeps; `UTC`.
   */
  readonly zone?: string
}

/**
 * Brings the store to the newest version, as a whole or not at all. Safe while another process does the same.
 *
 * @throws HeadgateError `invalid-request` for the store of a newer program.
 */
export async function migrate(connection: Connection, { zone }: MigrateOptions = {}): Promise<void> {
  const migrations = migrationsOf(connection, zone ?? 'UTC')
  const newest = EARLIER + Object.keys(migrations).length
  if ((await checkVersion(connection, newest)) === newest) return
  await locked(connection, async (trx) => {
    if ((await checkVersion(connection, newest, trx)) === newest) return
    const migrator = new Migrator({
      db: trx,
      provider: { getMigrations: async () => ({ ...migrations }) },
      migrationTableName: TABLE,
      migrationLockTableName: `${TABLE}_lock`,
      ...(connection.kind === 'postgres' && { migrationTableSchema: await schemaOf(trx) }),
    })
    const { error } = await migrator.migrateToLatest()
    if (error) throw error
    if (zone !== undefined) await keepZone(connection, trx, zone)
    if (connection.kind === 'sqlite') connection.database.exec(`PRAGMA user_version = ${newest}`)
  })
}

/**
 * Looks at a store as it is. @throws HeadgateError `invalid-request` for the store of a newer program; what the store
 * says.
 */
export async function checkStore(connection: Connection): Promise<void> {
  await checkVersion(connection, EARLIER + Object.keys(migrationsOf(connection, 'UTC')).length)
}

/** The version of a store, 0 for one that is empty. @throws HeadgateError for one of a newer program. */
async function checkVersion(connection: Connection, newest: number, trx?: Writing): Promise<number> {
  const version = await versionOf(connection, trx)
  if (version <= newest) return version
  const name = connection.kind === 'sqlite' ? connection.file : 'The database of DATABASE_URL'
  throw new HeadgateError(
    'invalid-request',
    `${name} was written by a newer headgate (store version ${version}, this one knows ${newest}). Update headgate.`,
  )
}

async function versionOf(connection: Connection, trx?: Writing): Promise<number> {
  const db = trx ?? connection.db
  if (connection.kind === 'sqlite') return Number(Object((await run(db, 'PRAGMA user_version'))[0]).user_version)
  const [there] = await run(db, `SELECT to_regclass('${TABLE}') IS NOT NULL AS found`)
  if (!Object(there).found) return 0
  const [executed] = await run(db, `SELECT count(*) AS count FROM ${TABLE}`)
  return EARLIER + Number(Object(executed).count)
}

/** Kysely looks for its table in every schema, else. */
async function schemaOf(trx: Writing): Promise<string> {
  return String(Object((await run(trx, 'SELECT current_schema() AS name'))[0]).name)
}

/** One transaction of one process at a time. Kysely's own lock does nothing in SQLite. */
async function locked(connection: Connection, migration: (trx: Writing) => Promise<void>): Promise<void> {
  if (connection.kind === 'postgres')
    return transact(connection, async (trx) => {
      await run(trx, `SET LOCAL statement_timeout = ${PATIENCE}`)
      await run(trx, "SELECT pg_advisory_xact_lock(hashtext('headgate.migration'))")
      await migration(trx)
    })
  const file = `${connection.file}-migration`
  makeOwn(file)
  const lock = new DatabaseSync(file, { timeout: PATIENCE })
  try {
    lock.exec('BEGIN IMMEDIATE')
    await transact(connection, migration)
  } finally {
    lock.close()
  }
}
