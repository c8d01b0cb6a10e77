import { transact } from '@headgate/store/sql'
import type { Parts } from './parts.ts'
import type { AccountsTables, AccountsTransaction } from './schema/tables.ts'

/** Runs a transaction at one instant, and retries it after a conflict. */
export function inTransaction<Result>(
  { connection, now }: Parts,
  write: (trx: AccountsTransaction, now: number) => Promise<Result>,
): Promise<Result> {
  const at = now()
  return transact<Result, AccountsTables>(connection, (trx) => write(trx as AccountsTransaction, at))
}
