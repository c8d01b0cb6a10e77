import { migrate, STORE } from '@headgate/store/sql'
import { describe, expect, it } from 'vitest'
import { backup } from '../../store/src/backup/backup.ts'
import { restore } from '../../store/src/backup/restore.ts'
import { runSql } from '../../store/src/database/transaction.ts'
import { describeTables, expectedTables } from '../../store/test/support/introspection.ts'
import { openFor, stores as storeKinds, temporaryFolder } from '../../store/test/support/stores.ts'
import { ACCOUNT_TABLES, ACCOUNTS } from '../src/schema/tables.ts'

describe.each(storeKinds([STORE, ACCOUNTS]))('accounts in $name', ({ open }) => {
  it('have the declared tables, and an audit log that refuses changes', async () => {
    const connection = await open()
    const found = Object.entries(await describeTables(connection)).filter(([name]) => name in ACCOUNT_TABLES)
    const { audit, ...expected } = expectedTables(connection.kind, ACCOUNT_TABLES)
    expect(Object.fromEntries(found)).toEqual({ ...expected, audit: { ...audit, triggers: ['audit_stays'] } })
  })
})

describe('accounts', () => {
  it('get their tables in a store that was used without them', async () => {
    const connection = await openFor({ file: `${temporaryFolder()}/headgate.db` })
    await migrate(connection)
    expect(Object.keys(await describeTables(connection))).not.toContain('sessions')
    await migrate(connection, [STORE, ACCOUNTS])
    expect(Object.keys(await describeTables(connection))).toContain('sessions')
  })

  it('are in backups of the store, which cannot be made without them', async () => {
    const folder = temporaryFolder()
    const [one, other] = [await openFor({ file: `${folder}/one.db` }), await openFor({ file: `${folder}/other.db` })]
    const schemas = [STORE, ACCOUNTS]
    for (const connection of [one, other]) await migrate(connection, schemas)
    await runSql(one.db, "INSERT INTO flows (hash, expires_at) VALUES (x'0102', 5)")
    const message = expect.stringContaining('tables of `accounts`')
    await expect(backup(one, `${folder}/backup`, { lines: true })).rejects.toMatchObject({ message })
    await backup(one, `${folder}/backup`, { lines: true, schemas })
    expect(await restore(other, `${folder}/backup`, schemas)).toBe(1)
    expect(await runSql(other.db, 'SELECT hex(hash) AS hash, expires_at FROM flows')).toEqual([
      { hash: '0102', expires_at: 5n },
    ])
  })
})
