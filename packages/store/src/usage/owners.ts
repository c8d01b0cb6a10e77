import type { StoreConnection } from '../database/connection.ts'
import { listed } from '../database/listed.ts'
import { runSql } from '../database/transaction.ts'

/** Owners of a row's key; null if unknown. */
export interface RowOwner {
  readonly project: string | null
  readonly environment: string | null
  /** Id of the user who created the key. */
  readonly member: string | null
}

export const UNKNOWN_OWNER: RowOwner = { project: null, environment: null, member: null }

/** Owners of principals, by id. Unknown principals are left out. */
export async function ownersOf(
  { kind, db }: StoreConnection,
  principals: Iterable<string>,
): Promise<ReadonlyMap<string, RowOwner>> {
  const ids = JSON.stringify([...new Set(principals)].map((id) => [id]))
  const found = await runSql(
    db,
    `SELECT p.id, p.project, p.environment, p.member FROM ${listed(kind, ['id'])} JOIN principals AS p ON p.id = w.id`,
    [ids],
  )
  return new Map(
    (found as (RowOwner & { id: string })[]).map(({ id, project, environment, member }) => [
      id,
      { project, environment, member },
    ]),
  )
}
