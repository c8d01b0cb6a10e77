import type { StoreConnection } from '../database/connection.ts'
import { runSql, type WriteTransaction } from '../database/transaction.ts'

/** Minimum interval between stored uses of a key, in milliseconds, so that a busy key causes one write per minute. */
const APART = 60_000

/** Uses of principals, in Unix milliseconds. */
export type Uses = ReadonlyMap<string, number>

/**
 * Stores the last use of keys, with at most one write per key and minute. Principals that are not stored keys are left
 * out.
 */
export async function recordUses(
  connection: StoreConnection,
  db: Pick<WriteTransaction, 'executeQuery'>,
  uses: Uses,
): Promise<void> {
  if (uses.size === 0) return
  if (connection.kind === 'sqlite') {
    const statement = connection.prepared(
      'UPDATE keys SET last_used_at = ? WHERE id = ? AND (last_used_at IS NULL OR last_used_at < ?)',
    )
    for (const [id, at] of uses) statement.run(at, id, at - APART)
    return
  }
  const records = [...uses].map(([id, at]) => ({ id, at }))
  // Sorted, so that processes with rows of the same keys cannot deadlock.
  await runSql(
    db,
    `WITH used AS (
       SELECT k.id, r.at FROM keys AS k JOIN json_to_recordset($1::json) AS r(id text, at int8) ON r.id = k.id
       WHERE k.last_used_at IS NULL OR k.last_used_at < r.at - ${APART} ORDER BY k.id FOR UPDATE OF k)
     UPDATE keys SET last_used_at = used.at FROM used WHERE keys.id = used.id`,
    [JSON.stringify(records)],
  )
}
