import type { StoreConnection } from '../../src/database/connection.ts'
import { runSql } from '../../src/database/transaction.ts'

/** Who `key_0`, `key_1` and so on are: two projects, two environments, three members; `key_9` nobody knows. */
export async function knowPrincipals({ db }: StoreConnection): Promise<void> {
  for (let key = 0; key < 9; key += 1) {
    const member = key % 3 === 2 ? 'NULL' : `'usr_${key % 3}'`
    const environment = key < 6 ? 'production' : 'staging'
    await runSql(
      db,
      `INSERT INTO principals (id, project, environment, member, name) VALUES ('key_${key}', 'prj_${key % 2}', '${environment}', ${member}, NULL)`,
    )
  }
}

export const projectOf = (principal: string): string | null =>
  principal === 'key_9' ? null : `prj_${Number(principal.slice(4)) % 2}`
export const environmentOf = (principal: string): string | null =>
  principal === 'key_9' ? null : Number(principal.slice(4)) < 6 ? 'production' : 'staging'
export const memberOf = (principal: string): string | null => {
  const key = Number(principal.slice(4))
  return key === 9 || key % 3 === 2 ? null : `usr_${key % 3}`
}
