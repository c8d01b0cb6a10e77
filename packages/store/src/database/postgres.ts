import { type Dialect, Kysely, PostgresDialect } from 'kysely'
import type { Pool } from 'pg'
import type { StoreTables } from '../schema/tables.ts'

export interface PostgresConnection<All = StoreTables> {
  readonly kind: 'postgres'
  readonly db: Kysely<All>
  readonly tables?: All
  close(): Promise<void>
}

/**
 * Maximum connections of a process, and time limits of a statement, of connecting and of an idle transaction, in
 * milliseconds.
 */
const POOL = 8
const STATEMENT = 5_000
const CONNECT = 5_000
const IDLE_TRANSACTION = 60_000

/** Postgres type ids: `int8`, and the type of its sums. */
const INTEGERS: ReadonlySet<number> = new Set([20, 1700])

/** Creates a pool that connects at the first query. Integers and their sums are BigInt. */
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
  // An idle connection failed. The pool replaces it, and the next query reports a persistent problem.
  pool.on('error', () => undefined)
  return postgresOver(new PostgresDialect({ pool }))
}

/** Store over any Postgres dialect that reads `int8` and `numeric` as BigInt. */
export function postgresOver<All = StoreTables>(dialect: Dialect): PostgresConnection<All> {
  const db = new Kysely<All>({ dialect })
  return { kind: 'postgres', db, close: () => db.destroy() }
}

/** Whole number of Postgres, with or without zero decimals. */
export function integer(text: string): bigint {
  return BigInt(text.replace(/\.0*$/, ''))
}
