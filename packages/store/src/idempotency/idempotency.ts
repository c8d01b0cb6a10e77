import type { ExecutionRecord, IdempotencyStore } from '@headgate/gateway/ports'
import { type RawBuilder, sql } from 'kysely'
import type { StoreConnection } from '../database/connection.ts'
import { transact } from '../database/transaction.ts'

/** Executions of requests with idempotency keys, shared by all processes of a store. Resolved changes are committed. */
export function createIdempotencyStore(connection: StoreConnection): IdempotencyStore {
  const { db, kind } = connection
  return {
    async begin({ id, run, request }, runMs) {
      // A record that is dropped between the two statements makes the first one possible.
      for (;;) {
        const found = await transact(connection, async (trx) => {
          const moment = clockOf(kind)
          const begun = await sql`INSERT INTO idempotent_responses (id, run, request, outcome, ends_at)
            VALUES (${id}, ${run}, ${request}, NULL, ${moment} + ${wholeMs(runMs)})
            ON CONFLICT (id) DO UPDATE SET run = excluded.run, request = excluded.request, outcome = NULL, ends_at = excluded.ends_at
              WHERE idempotent_responses.ends_at <= ${moment}
            RETURNING id`.execute(trx)
          if (begun.rows.length > 0) return 'begun'
          const own = trx.selectFrom('idempotent_responses').select(['request', 'outcome']).where('id', '=', id)
          return own.executeTakeFirst()
        })
        if (found === 'begun') return undefined
        if (found) return recordOf(found)
      }
    },
    async find(id) {
      const { rows } = await sql<StoredRecord>`SELECT request, outcome FROM idempotent_responses
        WHERE id = ${id} AND ends_at > ${clockOf(kind)}`.execute(db)
      return rows[0] && recordOf(rows[0])
    },
    finish: ({ id, run }, outcome, keepMs) =>
      transact(connection, async (trx) => {
        await sql`UPDATE idempotent_responses SET outcome = ${outcome}, ends_at = ${clockOf(kind)} + ${wholeMs(keepMs)}
          WHERE id = ${id} AND run = ${run}`.execute(trx)
      }),
    drop: ({ id, run }) =>
      transact(connection, async (trx) => {
        const table = trx.deleteFrom('idempotent_responses').where('id', '=', id).where('run', '=', run)
        await table.where('outcome', 'is', null).execute()
      }),
  }
}

interface StoredRecord {
  readonly request: string
  readonly outcome: string | null
}

function recordOf({ request, outcome }: StoredRecord): ExecutionRecord {
  return outcome === null ? { request } : { request, outcome }
}

/** Clock that all processes of the store share, Unix milliseconds. */
function clockOf(kind: StoreConnection['kind']): RawBuilder<bigint> {
  if (kind === 'sqlite') return sql`${BigInt(Date.now())}`
  return sql`(extract(epoch FROM clock_timestamp()) * 1000)::int8`
}

function wholeMs(ms: number): bigint {
  return BigInt(Math.ceil(ms))
}
