import type { Connection } from '../database/connection.ts'
import { listed } from '../database/listed.ts'
import { run } from '../database/transaction.ts'

/** What the key of a row belongs to; null where that is not known. */
export interface RowOwner {
  readonly project: string | null
  readonly environment: string | null
  /** Id of the person who made the key. */
  readonly member: string | null
}

export const NOBODY: RowOwner = { project: null, environment: null, member: null }

/** Whose principals are, by their ids. Those that are not known are left out. */
export async function ownersOf(
  { kind, db }: Connection,
  principals: Iterable<string>,
): Promise<ReadonlyMap<string, RowOwner>> {
  const ids = JSON.stringify([...new Set(principals)].map((id) => [id]))
  const found = await run(
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
