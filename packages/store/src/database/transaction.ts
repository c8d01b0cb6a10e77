import { setTimeout as wait } from 'node:timers/promises'
import { CompiledQuery, type Transaction } from 'kysely'
import type { Tables } from '../schema/tables.ts'
import type { Connection } from './connection.ts'
import { isContended } from './failure.ts'

export type Writing<All = Tables> = Transaction<All>

/** Maximum attempts of a transaction that conflicts with others. */
const TRIES = 6

/**
 * Runs a transaction, and repeats it as a whole after a conflict with another one.
 * @throws the error of the last attempt
 */
export async function transact<Result, All = Tables>(
  connection: Connection<All>,
  write: (trx: Writing<All>) => Promise<Result>,
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

/** Runs SQL unchanged. */
export async function run(
  trx: Pick<Writing, 'executeQuery'>,
  sql: string,
  values: readonly unknown[] = [],
): Promise<unknown[]> {
  return (await trx.executeQuery<unknown>(CompiledQuery.raw(sql, [...values]))).rows
}
