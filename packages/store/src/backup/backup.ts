import { chmodSync, closeSync, existsSync, openSync } from 'node:fs'
import { HeadgateError } from '@headgate/gateway/ports'
import { sql } from 'kysely'
import type { Connection } from '../database/connection.ts'
import { checkComplete } from '../database/migrate.ts'
import { run, type Writing } from '../database/transaction.ts'
import { type Schema, type TableMap, tablesOf } from '../schema/declare.ts'
import { STORE } from '../schema/tables.ts'
import { type TableRows, writeLines } from './lines.ts'
import { pagesOf } from './pages.ts'

/** How long the copy of a Postgres store may take, in milliseconds. */
const PATIENCE = 3_600_000

export interface BackupOptions {
  /** Whether SQLite too is written as lines; default false. */
  readonly lines?: boolean
  /** Schemas whose tables are written; default: the schema of this package. */
  readonly schemas?: readonly Schema[]
}

/**
 * Copies a snapshot of the store into a file that only its owner may read. Programs can use the store meanwhile. SQLite
 * gives an SQLite file; Postgres, or `lines`, gives lines of JSON. `restore` reads either into either store.
 *
 * @throws HeadgateError `invalid-request` if the file exists, or the store has tables of other schemas.
 */
export async function backup(
  connection: Connection,
  file: string,
  { lines = false, schemas = [STORE] }: BackupOptions = {},
): Promise<void> {
  if (existsSync(file)) throw new HeadgateError('invalid-request', `${file} exists. Name another file.`)
  await checkComplete(connection, schemas)
  makeFile(file)
  if (connection.kind === 'postgres') return dumpPostgres(connection, file, tablesOf(schemas))
  if (lines) return dumpSqlite(connection, file, tablesOf(schemas))
  await sql`VACUUM INTO ${file}`.execute(connection.db)
  chmodSync(file, 0o600)
}

/** @throws HeadgateError for a folder that is missing, or in which no file can be made. */
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

async function dumpPostgres({ db }: Connection, file: string, tables: TableMap): Promise<void> {
  await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (trx) => {
      await run(trx, `SET LOCAL statement_timeout = ${PATIENCE}`)
      await writeLines(file, allRows(trx, tables))
    })
}

/** A transaction that writes would keep others waiting. */
async function dumpSqlite({ db }: Connection, file: string, tables: TableMap): Promise<void> {
  await db.connection().execute(async (one) => {
    await run(one, 'BEGIN DEFERRED')
    try {
      await writeLines(file, allRows(one, tables))
    } finally {
      await run(one, 'ROLLBACK')
    }
  })
}

/** Every row of tables, table by table. */
export async function* allRows(trx: Pick<Writing, 'getExecutor'>, tables: TableMap): AsyncGenerator<TableRows> {
  for (const [name, table] of Object.entries(tables))
    for await (const rows of pagesOf(trx, name, table)) yield { name, table, rows }
}
