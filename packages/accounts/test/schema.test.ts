import { migrate, STORE } from '@headgate/store/sql'
import { describe, expect, it } from 'vitest'
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
})
