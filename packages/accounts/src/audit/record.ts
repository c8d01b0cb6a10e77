import { FIRST_ORGANIZATION } from '../database/ids.ts'
import type { Parts } from '../parts.ts'
import { homeOf } from '../people/home.ts'
import type { Caller } from '../roles/caller.ts'
import { inTransaction } from '../transaction.ts'
import { type Act, note } from './audit.ts'

/** Records an action outside the tables of this package, right after it was performed. */
export function recordAct(parts: Parts, caller: Caller, act: Act): Promise<void> {
  return inTransaction(parts, (trx, now) => note(trx, caller, act, now))
}

/** Records a refused action in the caller's own organization, or in the first one if the caller is unknown. */
export function recordRefusal(parts: Parts, caller: Caller, act: Act): Promise<void> {
  return inTransaction(parts, async (trx, now) => {
    const own =
      caller.kind === 'key' ? caller.organization : caller.kind === 'person' ? await homeOf(trx, caller.id) : undefined
    await note(trx, caller, { ...act, organization: own ?? FIRST_ORGANIZATION }, now)
  })
}
