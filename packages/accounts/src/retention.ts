import type { Parts } from './parts.ts'
import { LASTS } from './sessions/sessions.ts'
import { FORGOTTEN } from './sign-in/throttle.ts'
import { inTransaction } from './transaction.ts'

/** Retention of the audit log in milliseconds: two years. */
const AUDIT = 731 * 86_400_000
/** Retention of sent statements in milliseconds: a year. */
const STATEMENTS = 366 * 86_400_000
/** Rows of the audit log deleted per step. */
const STEP = 1_000

/** Deletes expired rows. Resolves with true if there are more: call again. */
export function forget(parts: Parts): Promise<boolean> {
  return inTransaction(parts, async (trx, now) => {
    const at = BigInt(now)
    for (const table of ['flows', 'links', 'invites', 'sessions', 'answered_requests'] as const)
      await trx.deleteFrom(table).where('expires_at', '<=', at).execute()
    await trx
      .deleteFrom('sessions')
      .where('seen_at', '<=', at - BigInt(LASTS.idle))
      .execute()
    await trx
      .deleteFrom('sign_in_failures')
      .where('last_at', '<=', at - BigInt(FORGOTTEN))
      .execute()
    // They are needed as long as their month could be sent again.
    await trx
      .deleteFrom('statement_mails')
      .where('month', '<', new Date(now - STATEMENTS).toISOString().slice(0, 7))
      .execute()
    const old = trx
      .selectFrom('audit')
      .select('id')
      .where('created_at', '<=', at - BigInt(AUDIT))
    const ids = (await old.orderBy('created_at').limit(STEP).execute()).map(({ id }) => id)
    if (ids.length > 0) await trx.deleteFrom('audit').where('id', 'in', ids).execute()
    return ids.length === STEP
  })
}
