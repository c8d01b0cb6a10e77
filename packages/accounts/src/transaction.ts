import { transact, type Writing } from '@headgate/store/sql'
import type { Parts } from './parts.ts'

/** Runs a transaction at one instant, whole again when another one was in its way. */
export function inTransaction<Result>(
  { connection, now }: Parts,
  write: (trx: Writing, now: number) => Promise<Result>,
): Promise<Result> {
  const at = now()
  return transact(connection, (trx) => write(trx, at))
}
