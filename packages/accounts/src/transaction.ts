import { transact } from '@headgate/store/sql'
import type { Parts } from './parts.ts'
import type { Tables, Writing } from './schema/tables.ts'

/** Runs a transaction at one instant, and retries it after a conflict. */
export function inTransaction<Result>(
  { connection, now }: Parts,
  write: (trx: Writing, now: number) => Promise<Result>,
): Promise<Result> {
  const at = now()
  return transact<Result, Tables>(connection, (trx) => write(trx as Writing, at))
}
