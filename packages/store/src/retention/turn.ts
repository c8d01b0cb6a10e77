import { storeTime } from '../budgets/store-time.ts'
import type { StoreConnection } from '../database/connection.ts'
import { runSql, transact } from '../database/transaction.ts'
import { type RetentionOptions, retain } from './retention.ts'

/** Time during which no other process deletes expired data, in milliseconds: less than the interval of processes. */
const TURN = 3_000_000

/**
 * Deletion of expired data in steps, by one process of a store at a time. A step resolves with true if more is left to
 * delete; with false without work if another process has begun within the last 50 minutes.
 */
export function createRetention(connection: StoreConnection, options: RetentionOptions): () => Promise<boolean> {
  let isMine = false
  return async () => {
    isMine ||= await takeTurn(connection, options)
    if (!isMine) return false
    isMine = (await retain(connection, options)).isMore
    return isMine
  }
}

/** Resolves with true for one of the processes that call it. A time in the future is of a wrong clock. */
function takeTurn(connection: StoreConnection, options: Pick<RetentionOptions, 'now'>): Promise<boolean> {
  return transact(connection, async (trx) => {
    const now = options.now ?? (await storeTime({ connection }, trx))
    const taken = await runSql(
      trx,
      `INSERT INTO settings (name, value) VALUES ('retained_at', '${now}') ON CONFLICT (name) DO UPDATE SET value = excluded.value
        WHERE CAST(settings.value AS int8) NOT BETWEEN ${now - TURN} AND ${now} RETURNING name`,
    )
    return taken.length > 0
  })
}
