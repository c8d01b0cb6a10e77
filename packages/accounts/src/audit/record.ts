import { FIRST_ORGANIZATION } from '../database/ids.ts'
import type { Parts } from '../parts.ts'
import { homeOf } from '../people/home.ts'
import type { Caller } from '../roles/caller.ts'
import { inTransaction } from '../transaction.ts'
import { type Act, note } from './audit.ts'

/** Writes down what somebody did elsewhere than in the tables of this package, right after it was done. */
export function recordAct(parts: Parts, caller: Caller, act: Act): Promise<void> {
  return inTransaction(parts, (trx, now) => note(trx, caller, act, now))
}

/**
 * Writes down what somebody was not allowed to do, in their own organization, or the first one if nobody knows them.
 */
export function recordRefusal(parts: Parts, caller: Caller, act: Act): Promise<void> {
  return inTransaction(parts, async (trx, now) => {
    const own =
      caller.kind === 'key' ? caller.organization : caller.kind === 'person' ? await homeOf(trx, caller.id) : undefined
    await note(trx, caller, { ...act, organization: own ?? FIRST_ORGANIZATION }, now)
  })
}
