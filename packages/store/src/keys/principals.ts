import type { Connection } from '../database/connection.ts'
import { storable } from '../database/group.ts'
import { transact, type Writing } from '../database/transaction.ts'
import type { Row } from '../schema/tables.ts'
import { CONFIG_PROJECT, DEFAULT_ENVIRONMENT } from './owners.ts'

/** A key of the configuration, as usage is told by. */
export interface ConfiguredPrincipal {
  /** By which its usage goes. */
  readonly id: string
  readonly name?: string | undefined
  /** Default `config`. */
  readonly project?: string | undefined
  /** Default `production`. */
  readonly environment?: string | undefined
}

/** Most that are compared at once. */
const PAGE = 500

/** Says who principals of usage are, within a transaction. */
export async function writePrincipals(trx: Writing, principals: readonly Row<'principals'>[]): Promise<void> {
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
 * Says who the keys of the configuration are. What is as it was is not written; those that are gone stay known, for
 * their usage.
 */
export async function configurePrincipals(
  connection: Connection,
  given: readonly ConfiguredPrincipal[],
): Promise<void> {
  // In one order, so that processes that start together do not stand in each other's way.
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
}: ConfiguredPrincipal): Row<'principals'> {
  return {
    id,
    environment,
    member: null,
    project: storable(project),
    name: name === undefined ? null : storable(name),
  }
}

function textOf({ id, project, environment, member, name }: Row<'principals'>): string {
  return JSON.stringify([id, project, environment, member, name])
}
