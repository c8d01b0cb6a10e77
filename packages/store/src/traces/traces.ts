import { sql } from 'kysely'
import type { Connection } from '../database/connection.ts'
import { storable } from '../database/group.ts'
import { transact } from '../database/transaction.ts'

/** What went over the wire for a request, encrypted. Times are Unix milliseconds. */
export interface SealedTrace {
  /** The `x-request-id` of its answer. */
  readonly requestId: string
  /** Id of the key that made it. */
  readonly key: string
  readonly at: number
  /** When it is deleted. */
  readonly endsAt: number
  readonly sealed: string
}

/** What went over the wire for requests, for as long as it is kept. */
export interface Traces {
  /** The newest 2,000 stay. One that is there already stays as it is. */
  add(trace: SealedTrace): Promise<void>
  read(requestId: string): Promise<SealedTrace | undefined>
}

/** Most that are kept. */
const KEPT = 2_000
/** Most that make room at once. */
const STEP = 100

export function createTraces(connection: Connection, now: () => number = Date.now): Traces {
  return {
    add: ({ requestId, key, at, endsAt, sealed }) =>
      transact(connection, async (trx) => {
        const row = {
          request_id: storable(requestId),
          key_id: storable(key),
          at: BigInt(at),
          ends_at: BigInt(endsAt),
          sealed,
        }
        await trx
          .insertInto('traces')
          .values(row)
          .onConflict((conflict) => conflict.column('request_id').doNothing())
          .execute()
        const old = sql`SELECT request_id FROM traces ORDER BY ends_at DESC LIMIT ${STEP} OFFSET ${KEPT}`
        await sql`DELETE FROM traces WHERE request_id IN (${old})`.execute(trx)
      }),
    async read(requestId) {
      const row = await connection.db
        .selectFrom('traces')
        .selectAll()
        .where('request_id', '=', storable(requestId))
        .where('ends_at', '>', BigInt(now()))
        .executeTakeFirst()
      return (
        row && {
          requestId: row.request_id,
          key: row.key_id,
          at: Number(row.at),
          endsAt: Number(row.ends_at),
          sealed: row.sealed,
        }
      )
    },
  }
}
