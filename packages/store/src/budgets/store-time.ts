import { type QueryExecutorProvider, sql } from 'kysely'
import type { StoreConnection } from '../database/connection.ts'

export interface ClockParts {
  readonly connection: StoreConnection
  /** Clock of the store in tests, Unix milliseconds. */
  readonly now?: () => number
}

/** Connection and machine for lease changes. */
export interface LeaseParts extends ClockParts {
  /** Host name of the machine. */
  readonly node: string
}

/** Clock that all process runs of a store share, Unix milliseconds. */
export async function storeTime({ connection, now }: ClockParts, db: QueryExecutorProvider): Promise<number> {
  if (now) return now()
  if (connection.kind === 'sqlite') return Date.now()
  const { rows } = await sql<{ at: bigint }>`SELECT (extract(epoch FROM clock_timestamp()) * 1000)::int8 AS at`.execute(
    db,
  )
  return Number(rows[0]?.at ?? Date.now())
}
