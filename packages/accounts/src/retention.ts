import { chainOf } from './audit/chain.ts'
import type { Parts } from './parts.ts'
import type { AccountsTransaction } from './schema/tables.ts'
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
    return forgetEntries(trx, at - BigInt(AUDIT))
  })
}

/** Deletes the oldest entries of the audit log, always the first ones of a chain. Resolves with true if there are more. */
async function forgetEntries(trx: AccountsTransaction, until: bigint): Promise<boolean> {
  const old = trx.selectFrom('audit').select('organization').where('created_at', '<=', until)
  const found = await old.orderBy('created_at').limit(STEP).execute()
  let deleted = 0
  for (const organization of new Set(found.map((entry) => entry.organization))) {
    const oldest = await trx
      .selectFrom('audit')
      .select(['id', 'number', 'created_at'])
      .where('organization', organization === null ? 'is' : '=', organization)
      .orderBy('number')
      .limit(STEP)
      .execute()
    const kept = oldest.findIndex((entry) => entry.created_at > until)
    const ended = kept < 0 ? oldest : oldest.slice(0, kept)
    const last = ended.at(-1)
    if (!last) continue
    const ids = ended.map(({ id }) => id)
    await trx.deleteFrom('audit').where('id', 'in', ids).execute()
    const chain = trx.updateTable('audit_chains').set({ first: BigInt(last.number) + 1n })
    await chain.where('organization', '=', chainOf(organization)).execute()
    deleted += ids.length
  }
  return deleted > 0 && found.length === STEP
}
