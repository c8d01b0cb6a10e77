import type { StoreConnection } from '../database/connection.ts'
import { listed } from '../database/listed.ts'
import { runSql } from '../database/transaction.ts'

/** Dimension whose values are ids with names. */
export type NamedDimension = 'key' | 'project' | 'member'

const TABLES = { key: 'principals', project: 'projects', member: 'people' } as const

/** Current names of keys, projects or members, by id. Ids without a name are left out. */
export async function namesOf(
  { kind, db }: StoreConnection,
  { of, ids }: { readonly of: NamedDimension; readonly ids: readonly string[] },
): Promise<Readonly<Record<string, string>>> {
  const rows = await runSql(
    db,
    `SELECT o.id, o.name FROM ${listed(kind, ['id'])} JOIN ${TABLES[of]} AS o ON o.id = w.id WHERE o.name IS NOT NULL`,
    [JSON.stringify([...new Set(ids)].map((id) => [id]))],
  )
  return Object.fromEntries(rows.map((row) => [String(Object(row).id), String(Object(row).name)]))
}
