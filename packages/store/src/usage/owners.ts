import type { StoreConnection } from '../database/connection.ts'
import { listed } from '../database/listed.ts'
import { runSql } from '../database/transaction.ts'

/** Owners of a row's key and their current names; null if unknown. */
export interface RowOwner {
  readonly project: string | null
  readonly environment: string | null
  /** Id of the user who created the key. */
  readonly member: string | null
  readonly keyName: string | null
  readonly projectName: string | null
  readonly memberName: string | null
}

export const UNKNOWN_OWNER: RowOwner = {
  project: null,
  environment: null,
  member: null,
  keyName: null,
  projectName: null,
  memberName: null,
}

/** Owners of principals, by id. Unknown principals are left out. */
export async function ownersOf(
  { kind, db }: StoreConnection,
  principals: Iterable<string>,
): Promise<ReadonlyMap<string, RowOwner>> {
  const ids = JSON.stringify([...new Set(principals)].map((id) => [id]))
  const found = await runSql(
    db,
    `SELECT p.id, p.project, p.environment, p.member, p.name AS key_name, j.name AS project_name, m.name AS member_name
      FROM ${listed(kind, ['id'])} JOIN principals AS p ON p.id = w.id
      LEFT JOIN projects AS j ON j.id = p.project LEFT JOIN people AS m ON m.id = p.member`,
    [ids],
  )
  return new Map((found as NamedOwner[]).map((row) => [row.id, ownerOf(row)]))
}

/** Owner as a query returns it. */
interface NamedOwner extends Pick<RowOwner, 'project' | 'environment' | 'member'> {
  readonly id: string
  readonly key_name: string | null
  readonly project_name: string | null
  readonly member_name: string | null
}

function ownerOf({ project, environment, member, ...names }: NamedOwner): RowOwner {
  return {
    project,
    environment,
    member,
    keyName: names.key_name,
    projectName: names.project_name,
    memberName: names.member_name,
  }
}
