import { chmodSync, closeSync, existsSync, openSync } from 'node:fs'
import { HeadgateError } from '@headgate/gateway/ports'
import { sql } from 'kysely'
import { TABLES, type TableName } from '../database/columns.ts'
import type { Connection } from '../database/connection.ts'
import { run, type Writing } from '../database/transaction.ts'
import { type TableRows, writeLines } from './lines.ts'
import { pagesOf } from './pages.ts'

/** How long the copy of a Postgres store may take, in milliseconds. */
const PATIENCE = 3_600_000

/**
 * Copies the store, as it is at one instant, into a file that only its owner may read. Programs that use it go on.
 * SQLite gives an SQLite file; Postgres, or `lines`, gives lines of JSON. `restore` reads either into either store.
 *
 * @throws HeadgateError `invalid-request` when the file is there already.
 */
export async function backup(connection: Connection, file: string, { lines = false } = {}): Promise<void> {
  if (existsSync(file)) throw new HeadgateError('invalid-request', `${file} is there already. Name another file.`)
  makeFile(file)
  if (connection.kind === 'postgres') return dumpPostgres(connection, file)
  if (lines) return dumpSqlite(connection, file)
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

async function dumpPostgres({ db }: Connection, file: string): Promise<void> {
  await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (trx) => {
      await run(trx, `SET LOCAL statement_timeout = ${PATIENCE}`)
      await writeLines(file, allRows(trx))
    })
}

/** A transaction that writes would keep others waiting. */
async function dumpSqlite({ db }: Connection, file: string): Promise<void> {
  await db.connection().execute(async (one) => {
    await run(one, 'BEGIN DEFERRED')
    try {
      await writeLines(file, allRows(one))
    } finally {
      await run(one, 'ROLLBACK')
    }
  })
}

/** Every row of the store, table by table. */
export async function* allRows(trx: Pick<Writing, 'getExecutor'>): AsyncGenerator<TableRows> {
  for (const table of Object.keys(TABLES) as TableName[])
    for await (const rows of pagesOf(trx, table)) yield { table, rows }
}
