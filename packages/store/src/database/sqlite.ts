import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { Kysely, SqliteAdapter, type SqliteDatabase, SqliteDialect, type SqliteStatement } from 'kysely'
import type { StoreTables } from '../schema/tables.ts'

/** Time limit of waiting for another process that writes, in milliseconds. It blocks the thread. */
export const PATIENCE = 5_000

/** Maximum number of cached prepared statements. */
const PREPARED = 200

export interface SqliteConnection<All = StoreTables> {
  readonly kind: 'sqlite'
  readonly db: Kysely<All>
  /** Marker for type checks only: a store with fewer tables is rejected. */
  readonly tables?: All
  readonly file: string
  /** Raw database, for use within a transaction of `db` only, which also locks it. */
  readonly database: DatabaseSync
  /** Cached prepared statement. */
  prepared(sql: string): StatementSync
  close(): Promise<void>
}

/**
 * Opens an SQLite file, created if missing and readable only by its owner. Commits survive a power loss.
 * @throws the error of `node:sqlite` for an invalid file
 */
export function openSqlite<All>(file: string): SqliteConnection<All> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  createOwnerOnly(file)
  const database = new DatabaseSync(file, { timeout: PATIENCE, readBigInts: true })
  try {
    useWal(database)
    database.exec('PRAGMA synchronous = full; PRAGMA cache_size = -16000')
  } catch (error) {
    database.close()
    throw error
  }
  const statements = new Map<string, StatementSync>()
  const prepared = (sql: string): StatementSync => {
    const known = statements.get(sql)
    if (known) return known
    if (statements.size >= PREPARED) statements.clear()
    const statement = database.prepare(sql)
    statements.set(sql, statement)
    return statement
  }
  const db = new Kysely<All>({ dialect: new NodeSqliteDialect({ database: shim(database, prepared) }) })
  return { kind: 'sqlite', db, file, database, prepared, close: () => closeAll(db, database) }
}

/**
 * Primary result code of SQLite for a file that another connection has locked.
 * @see https://sqlite.org/rescode.html#busy
 */
const BUSY = 5
/** Time between two attempts to switch the journal mode, in milliseconds. */
const RETRY = 10

/**
 * Switches a file to WAL mode. The switch needs exclusive access and ignores the busy timeout, so processes that create
 * a store together would fail.
 * @see https://sqlite.org/wal.html
 */
function useWal(database: DatabaseSync): void {
  const deadline = performance.now() + PATIENCE
  for (;;) {
    try {
      database.exec('PRAGMA journal_mode = wal')
      return
    } catch (error) {
      const code = Number(Object(error).errcode) & 0xff
      if (code !== BUSY || performance.now() >= deadline) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY)
    }
  }
}

/**
 * Creates a file that only its owner can read, unless it exists; SQLite would create it readable for everyone. An
 * existing file is not opened, since closing it would release the locks of all connections that this process has to it,
 * and another process could delete the write-ahead log under them.
 * @see https://sqlite.org/howtocorrupt.html
 */
export function createOwnerOnly(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    if (Object(error).code !== 'EEXIST') throw error
  }
}

async function closeAll(db: { destroy(): Promise<void> }, database: DatabaseSync): Promise<void> {
  await db.destroy()
  if (database.isOpen) database.close()
}

/** Dialect that creates and changes tables within transactions, which SQLite supports and Kysely does not assume. */
class NodeSqliteDialect extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new NodeSqliteAdapter()
  }
}

class NodeSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

/**
 * Subset of the better-sqlite3 API that Kysely needs, over `node:sqlite`. Transactions are for writing, so they take
 * the write lock when they begin.
 */
function shim(database: DatabaseSync, prepared: (sql: string) => StatementSync): SqliteDatabase {
  return {
    close: () => database.close(),
    prepare: (sql): SqliteStatement => {
      const statement = prepared(sql === 'begin' ? 'begin immediate' : sql)
      return {
        reader: statement.columns().length > 0,
        all: (values) => statement.all(...values.map(input)),
        run: (values) => {
          // A full disk has already ended the transaction. Its error must not be replaced by one of the rollback.
          if (sql === 'rollback' && !database.isTransaction) return { changes: 0, lastInsertRowid: 0 }
          return statement.run(...values.map(input))
        },
        iterate: (values) => database.prepare(sql).iterate(...values.map(input)),
      }
    },
  }
}

function input(value: unknown): SQLInputValue {
  if (value === undefined || value === null) return null
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') return value
  if (value instanceof Uint8Array) return value
  throw new TypeError(`SQLite columns cannot store a ${typeof value}`)
}
