import { closeSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { HeadgateError } from '@headgate/gateway/ports'
import { insertInto, type RowValues } from '../database/bulk.ts'
import { openConnection, type StoreConnection } from '../database/connection.ts'
import { checkKnown, migrate } from '../database/migrate.ts'
import { attachPartitions, monthsFrom, type Period } from '../database/partitions.ts'
import { runSql, type WriteTransaction } from '../database/transaction.ts'
import { type StoreSchema, type Table, type TableMap, tablesOf } from '../schema/declare.ts'
import { STORE, type TableName } from '../schema/tables.ts'
import { allRows } from './backup.ts'
import { readLines, type TableRows } from './lines.ts'

const SQLITE = 'SQLite format 3\0'
/** Time limit of a Postgres statement of a restore, in milliseconds. */
const PATIENCE = 3_600_000

/** 9999-01-01, the end of years with four digits. */
const MOST = 253_370_764_800_000

/** Tables that have rows in a new store. */
const OWN: ReadonlySet<string> = new Set<TableName>(['settings', 'changes', 'ingest_positions', 'journal_copies'])

/**
 * Restores a backup of either database, written by this or any earlier version, into a migrated and empty store, in one
 * transaction.
 * @returns number of rows
 * @throws HeadgateError `invalid-request` if the store has rows, the file is not a backup, or a newer program has
 * written it
 */
export async function restore(
  connection: StoreConnection,
  file: string,
  schemas: readonly StoreSchema[] = [STORE],
): Promise<number> {
  const tables = tablesOf(schemas)
  await checkEmpty(connection, tables)
  if (!isSqlite(file)) return fill(connection, readLines(file, schemas))
  const folder = mkdtempSync(join(dirname(file), '.headgate-restore-'))
  const copy = join(folder, 'headgate.db')
  try {
    copySqlite(file, copy)
    const source = await openConnection({ file: copy })
    try {
      await migrate(source, schemas)
      await checkKnown(source, schemas)
      return await fill(connection, allRows(source.db, tables))
    } finally {
      await source.close()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function fill(connection: StoreConnection, tables: AsyncIterable<TableRows>): Promise<number> {
  return connection.db.transaction().execute(async (trx) => {
    if (connection.kind === 'postgres') await runSql(trx, `SET LOCAL statement_timeout = ${PATIENCE}`)
    for (const table of OWN) await runSql(trx, `DELETE FROM ${table}`)
    let count = 0
    const months = new Set<number>()
    for await (const { name, table, rows } of tables) {
      if (connection.kind === 'postgres' && table.partitioned) await makeMonthsOf(trx, table, rows, months)
      await insertInto(connection, trx, name, table, rows)
      count += rows.length
    }
    return count
  })
}

/** Creates the partitions of the rows' months. Rows outside the calendar stay in the default partition. */
async function makeMonthsOf(
  trx: WriteTransaction,
  table: Table,
  rows: readonly RowValues[],
  made: Set<number>,
): Promise<void> {
  const index = Object.keys(table.columns).indexOf('at')
  const missing = new Map<number, Period>()
  for (const row of rows) {
    const at = Number(row[index])
    const [month] = at >= 0 && at < MOST ? monthsFrom(at, 1) : []
    if (month && !made.has(month.start)) missing.set(month.start, month)
  }
  if (missing.size > 0) await attachPartitions(trx, [...missing.values()])
  for (const start of missing.keys()) made.add(start)
}

async function checkEmpty({ db }: StoreConnection, tables: TableMap): Promise<void> {
  for (const table of Object.keys(tables).filter((name) => !OWN.has(name) && !tables[name]?.unlogged))
    if ((await runSql(db, `SELECT 1 FROM ${table} LIMIT 1`)).length > 0)
      throw new HeadgateError(
        'invalid-request',
        `The store is not empty: \`${table}\` has rows. Restore into a new store.`,
      )
}

/** Copies an SQLite file, including its write-ahead log if it is in use. */
function copySqlite(file: string, copy: string): void {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    database.prepare('VACUUM INTO ?').run(copy)
  } finally {
    database.close()
  }
}

function isSqlite(file: string): boolean {
  const head = Buffer.alloc(SQLITE.length)
  const descriptor = openSync(file, 'r')
  try {
    readSync(descriptor, head)
  } finally {
    closeSync(descriptor)
  }
  return head.toString('latin1') === SQLITE
}
