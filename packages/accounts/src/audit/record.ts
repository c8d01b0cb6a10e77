import type { Parts } from '../parts.ts'
import type { Caller } from '../roles/caller.ts'
import { inTransaction } from '../transaction.ts'
import { type Act, note } from './audit.ts'

/** Writes down what somebody did elsewhere than in the tables of this package, right after it was done. */
export function recordAct(parts: Parts, caller: Caller, act: Act): Promise<void> {
  return inTransaction(parts, (trx, now) => note(trx, caller, act, now))
}
