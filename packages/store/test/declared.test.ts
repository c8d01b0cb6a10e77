import { describe, expect, it } from 'vitest'
import { ACCOUNT_TABLES } from '../../accounts/src/schema/tables.ts'
import { TABLES as OLD } from '../src/database/columns.ts'
import type { Connection } from '../src/database/connection.ts'
import { migrate } from '../src/database/migrate.ts'
import { run } from '../src/database/transaction.ts'
import { createTables } from '../src/schema/statements.ts'
import { TABLES } from '../src/schema/tables.ts'
import { describeTables, type FoundTable } from './support/introspection.ts'
import { openFor, openPglite, temporaryFolder } from './support/stores.ts'

const ALL = { ...TABLES, ...ACCOUNT_TABLES }
function plain(all: Record<string, FoundTable>, kind: string) {
  return Object.fromEntries(
    Object.entries(all)
      .filter(([n]) => !n.startsWith('headgate_'))
      .sort()
      .map(([name, t]) => [
        name,
        {
          ...t,
          columns: Object.fromEntries(
            Object.entries(t.columns)
              .map(([n, x]) => [n, kind === 'sqlite' && t.key.includes(n) ? x.replace(' NOT NULL', '') : x])
              .sort(),
          ),
          indexes: Object.values(t.indexes)
            .filter((i) => kind !== 'sqlite' || !['UNIQUE (hash)', 'UNIQUE (email)'].includes(i))
            .sort(),
        },
      ]),
  )
}
it('lists', () => {
  const news = Object.fromEntries(
    Object.entries(ALL).map(([n, t]) => [
      n,
      { key: t.key, columns: Object.entries(t.columns).map(([c, { kind }]) => `${c} ${kind}`) },
    ]),
  )
  const olds = Object.fromEntries(
    Object.entries(OLD).map(([n, t]) => [
      n,
      { key: t.key, columns: Object.entries(t.columns).map(([c, kind]) => `${c} ${kind}`) },
    ]),
  )
  expect(news).toEqual(olds)
})
describe.each(['sqlite', 'postgres'] as const)('%s', (kind) => {
  it('same', async () => {
    let connection: Connection
    if (kind === 'sqlite') {
      connection = await openFor({ file: `${temporaryFolder()}/a.db` })
      await migrate(connection)
    } else connection = await openPglite()
    const old = plain(await describeTables(connection), kind)
    if (kind === 'sqlite') connection = await openFor({ file: `${temporaryFolder()}/b.db` })
    else {
      await run(connection.db, 'CREATE SCHEMA fresh')
      await run(connection.db, 'SET search_path TO fresh')
    }
    for (const s of createTables(kind, ALL)) await run(connection.db, s)
    expect(plain(await describeTables(connection), kind)).toEqual(old)
  })
})
