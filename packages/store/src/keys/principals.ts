import type { StoreConnection } from '../database/connection.ts'
import { storable } from '../database/group.ts'
import { transact, type WriteTransaction } from '../database/transaction.ts'
import type { TableRow } from '../schema/tables.ts'
import { CONFIG_PROJECT, DEFAULT_ENVIRONMENT } from './owners.ts'

/** Configured key as an owner of usage. */
export interface ConfiguredPrincipal {
  /** Id of its principal in usage rows. */
  readonly id: string
  readonly name?: string | undefined
  /** Id of its project; default `config`. */
  readonly project?: string | undefined
  /** Name of its environment; default `production`. */
  readonly environment?: string | undefined
}

/** Maximum number of principals per transaction. */
const PAGE = 500

/** Stores the owners of principals, within a transaction. */
export async function writePrincipals(
  trx: WriteTransaction,
  principals: readonly TableRow<'principals'>[],
): Promise<void> {
  for (const { id, project, environment, member, name } of principals) {
    const values = { project, environment, member, name }
    await trx
      .insertInto('principals')
      .values({ id, ...values })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(values))
      .execute()
  }
}

/**
 * Stores the principals of configured keys. Unchanged ones are not written; removed ones stay stored for their usage.
 */
export async function configurePrincipals(
  connection: StoreConnection,
  given: readonly ConfiguredPrincipal[],
): Promise<void> {
  // Sorted, so that concurrent starts cannot deadlock.
  const wanted = given.map(rowOf).sort((one, other) => (one.id < other.id ? -1 : 1))
  for (let start = 0; start < wanted.length; start += PAGE) {
    const page = wanted.slice(start, start + PAGE)
    await transact(connection, async (trx) => {
      const ids = page.map(({ id }) => id)
      const known = await trx.selectFrom('principals').selectAll().where('id', 'in', ids).execute()
      const before = new Map(known.map((row) => [row.id, textOf(row)]))
      await writePrincipals(
        trx,
        page.filter((row) => before.get(row.id) !== textOf(row)),
      )
    })
  }
}

function rowOf({
  id,
  name,
  project = CONFIG_PROJECT,
  environment = DEFAULT_ENVIRONMENT,
}: ConfiguredPrincipal): TableRow<'principals'> {
  return {
    id,
    environment,
    member: null,
    project: storable(project),
    name: name === undefined ? null : storable(name),
  }
}

function textOf({ id, project, environment, member, name }: TableRow<'principals'>): string {
  return JSON.stringify([id, project, environment, member, name])
}
