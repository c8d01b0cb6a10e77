import { sql } from 'kysely'
import type { Connection } from '../database/connection.ts'
import type { Writing } from '../database/transaction.ts'

export interface ClockParts {
  readonly connection: Connection
  /** For tests: the clock of the store, Unix milliseconds. */
  readonly now?: () => number
}

/** What leases are changed with. */
export interface LeaseParts extends ClockParts {
  /** Name of the machine. */
  readonly node: string
}

/** Unix milliseconds. All lives of a store go by one clock. */
export async function storeTime({ connection, now }: ClockParts, trx: Writing): Promise<number> {
  if (now) return now()
  if (connection.kind === 'sqlite') return Date.now()
  const { rows } = await sql<{ at: bigint }>`SELECT (extract(epoch FROM clock_timestamp()) * 1000)::int8 AS at`.execute(
    trx,
  )
  return Number(rows[0]?.at ?? Date.now())
}
