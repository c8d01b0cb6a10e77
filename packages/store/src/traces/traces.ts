import { sql } from 'kysely'
import type { StoreConnection } from '../database/connection.ts'
import { storable } from '../database/group.ts'
import { transact } from '../database/transaction.ts'

/** Encrypted trace of a request. Times are Unix milliseconds. */
export interface SealedTrace {
  /** The `x-request-id` of the response. */
  readonly requestId: string
  /** Id of the key that sent the request. */
  readonly key: string
  readonly at: number
  /** Time of deletion. */
  readonly endsAt: number
  readonly sealed: string
}

/** Encrypted traces of requests. */
export interface Traces {
  /** Stores a trace, unless one with its id exists. The newest 2,000 traces are kept. */
  add(trace: SealedTrace): Promise<void>
  read(requestId: string): Promise<SealedTrace | undefined>
}

/** Maximum number of stored traces. */
const KEPT = 2_000
/** Maximum number of traces to delete per write. */
const STEP = 100

export function createTraces(connection: StoreConnection, now: () => number = Date.now): Traces {
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
