import { chmodSync, closeSync, existsSync, openSync } from 'node:fs'
import { HeadgateError } from '@headgate/gateway/ports'
import { sql } from 'kysely'
import type { StoreConnection } from '../database/connection.ts'
import { checkComplete, checkKnown } from '../database/migrate.ts'
import { runSql, type WriteTransaction } from '../database/transaction.ts'
import { type StoreSchema, type TableMap, tablesOf } from '../schema/declare.ts'
import { STORE } from '../schema/tables.ts'
import { type TableRows, writeLines } from './lines.ts'
import { pagesOf } from './pages.ts'

/** Time limit of a Postgres backup, in milliseconds. */
const PATIENCE = 3_600_000

export interface BackupOptions {
  /** True if SQLite is also written as lines; default false. */
  readonly lines?: boolean
  /** Schemas whose tables are written; default: the schema of this package. */
  readonly schemas?: readonly StoreSchema[]
}

/**
 * Copies a snapshot of the store into a file that only its owner can read. Programs can use the store meanwhile. SQLite
 * is copied as an SQLite file; Postgres, or SQLite with `lines`, as lines of JSON. `restore` reads either format into
 * either database.
 * @throws HeadgateError `invalid-request` if the file exists, the store has tables of other schemas, or lines would omit
 * columns that a newer program has added
 */
export async function backup(
  connection: StoreConnection,
  file: string,
  { lines = false, schemas = [STORE] }: BackupOptions = {},
): Promise<void> {
  if (existsSync(file)) throw new HeadgateError('invalid-request', `${file} exists. Name another file.`)
  await checkComplete(connection, schemas)
  const isDump = lines || connection.kind === 'postgres'
  if (isDump) await checkKnown(connection, schemas)
  makeFile(file)
  if (connection.kind === 'postgres') return dumpPostgres(connection, file, schemas)
  if (isDump) return dumpSqlite(connection, file, schemas)
  await sql`VACUUM INTO ${file}`.execute(connection.db)
  chmodSync(file, 0o600)
}

/** Creates the file. @throws HeadgateError if its folder does not exist or is not writable */
function makeFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    const reason = code === 'ENOENT' ? 'there is no such folder' : code
    throw new HeadgateError(
      'invalid-request',
      `The backup ${file} cannot be written: ${reason}. Name a file in a folder that exists and can be written.`,
    )
  }
}

async function dumpPostgres({ db }: StoreConnection, file: string, schemas: readonly StoreSchema[]): Promise<void> {
  await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (trx) => {
      await runSql(trx, `SET LOCAL statement_timeout = ${PATIENCE}`)
      await writeLines(file, schemas, allRows(trx, tablesOf(schemas)))
    })
}

/** A deferred transaction, since a write transaction would block other writers. */
async function dumpSqlite({ db }: StoreConnection, file: string, schemas: readonly StoreSchema[]): Promise<void> {
  await db.connection().execute(async (one) => {
    await runSql(one, 'BEGIN DEFERRED')
    try {
      await writeLines(file, schemas, allRows(one, tablesOf(schemas)))
    } finally {
      await runSql(one, 'ROLLBACK')
    }
  })
}

/** Rows of all tables, table by table. */
export async function* allRows(
  trx: Pick<WriteTransaction, 'getExecutor'>,
  tables: TableMap,
): AsyncGenerator<TableRows> {
  for (const [name, table] of Object.entries(tables).filter(([, { unlogged }]) => !unlogged))
    for await (const rows of pagesOf(trx, name, table)) yield { name, table, rows }
}
