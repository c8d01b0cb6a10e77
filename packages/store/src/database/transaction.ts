import { setTimeout as wait } from 'node:timers/promises'
import { CompiledQuery, type Transaction } from 'kysely'
import type { StoreTables } from '../schema/tables.ts'
import type { StoreConnection } from './connection.ts'
import { isContended } from './failure.ts'

export type WriteTransaction<All = StoreTables> = Transaction<All>

/** Maximum attempts of a transaction that conflicts with others. */
const TRIES = 6

/**
 * Runs a transaction, and repeats it as a whole after a conflict with another one.
 * @throws the error of the last attempt
 */
export async function transact<Result, All = StoreTables>(
  connection: StoreConnection<All>,
  write: (trx: WriteTransaction<All>) => Promise<Result>,
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

/** Time without a statement after which Postgres ends a transaction, in milliseconds: less than requests wait. */
const SILENT_MS = 2_000

/**
 * Begins a transaction on rows that other processes need: it is durable once it commits, and Postgres ends it if its
 * process is suspended meanwhile.
 */
export async function beginLocking({ kind }: Pick<StoreConnection, 'kind'>, trx: WriteTransaction): Promise<void> {
  if (kind !== 'postgres') return
  await runSql(
    trx,
    `SELECT set_config('synchronous_commit', 'on', true), set_config('idle_in_transaction_session_timeout', '${SILENT_MS}', true)`,
  )
}

/** Runs SQL unchanged. */
export async function runSql(
  trx: Pick<WriteTransaction, 'executeQuery'>,
  sql: string,
  values: readonly unknown[] = [],
): Promise<unknown[]> {
  return (await trx.executeQuery<unknown>(CompiledQuery.raw(sql, [...values]))).rows
}
