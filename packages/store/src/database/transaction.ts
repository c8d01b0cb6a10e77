import { setTimeout as wait } from 'node:timers/promises'
import { CompiledQuery, type Transaction } from 'kysely'
import type { Connection } from './connection.ts'
import { isContended } from './failure.ts'
import type { Tables } from './tables.ts'

export type Writing = Transaction<Tables>

/** How often a transaction is tried when others are in its way. */
const TRIES = 6

/** Runs a transaction, whole again when another one was in its way. @throws what the last try threw. */
export async function transact<Result>(
  connection: Connection,
  write: (trx: Writing) => Promise<Result>,
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await connection.db.transaction().execute(write)
    } catch (error) {
      if (tries === TRIES || !isContended(error)) throw error
      await wait(Math.random() * 10 * 2 ** tries)
    }
  }
}

/** Runs SQL as it stands. */
export async function run(
  trx: Pick<Writing, 'executeQuery'>,
  sql: string,
  values: readonly unknown[] = [],
): Promise<unknown[]> {
  return (await trx.executeQuery<unknown>(CompiledQuery.raw(sql, [...values]))).rows
}
