import { type Dialect, Kysely, PostgresDialect } from 'kysely'
import type { Pool } from 'pg'
import type { Tables } from '../schema/tables.ts'

export interface PostgresConnection<All = Tables> {
  readonly kind: 'postgres'
  readonly db: Kysely<All>
  readonly tables?: All
  close(): Promise<void>
}

/**
 * Connections of a process, and how long a statement, a connection and a transaction that does nothing may take, in
 * milliseconds.
 */
const POOL = 8
const STATEMENT = 5_000
const CONNECT = 5_000
const IDLE_TRANSACTION = 60_000

/** Type ids of Postgres: `int8`, and what a sum of them is. */
const INTEGERS: ReadonlySet<number> = new Set([20, 1700])

/** Connects when it is first asked. Integers are BigInt, sums of them too. */
export async function openPostgres<All>(url: string): Promise<PostgresConnection<All>> {
  const { default: pg } = await import('pg')
  const pool: Pool = new pg.Pool({
    connectionString: url,
    application_name: 'headgate',
    max: POOL,
    statement_timeout: STATEMENT,
    connectionTimeoutMillis: CONNECT,
    idle_in_transaction_session_timeout: IDLE_TRANSACTION,
    types: {
      getTypeParser: (type: number, format?: 'text' | 'binary') =>
        INTEGERS.has(type) && format !== 'binary' ? integer : pg.types.getTypeParser(type, format),
    },
  })
  // A connection that dies while it is idle: the pool makes another one, and whoever asks next hears what is wrong.
  pool.on('error', () => undefined)
  return postgresOver(new PostgresDialect({ pool }))
}

/** A store over any dialect of Postgres whose `int8` and `numeric` are BigInt. */
export function postgresOver<All = Tables>(dialect: Dialect): PostgresConnection<All> {
  const db = new Kysely<All>({ dialect })
  return { kind: 'postgres', db, close: () => db.destroy() }
}

/** A whole number of Postgres, with or without zeros behind its point. */
export function integer(text: string): bigint {
  return BigInt(text.replace(/\.0*$/, ''))
}
