import { expect, it } from 'vitest'
import { hashApiKey } from '../src/keys/api-key.ts'
import { changeKey } from '../src/keys/change.ts'
import { createKeyLookup } from '../src/keys/key-lookup.ts'
import { createKey, keyByHash, keyById } from '../src/keys/keys.ts'
import { describeStores, stores } from './support/stores.ts'

const organization = (id: string, change: { readonly requests_per_minute?: number } = {}) => ({
  id,
  name: id,
  sign_up: 'invite',
  domains: '[]',
  created_at: 1,
  version: 1,
  ...change,
})

describeStores(stores(), 'keys in $name', ({ open }) => {
  it('have the present rights of their creator at most, in the organization of their project', async () => {
    const connection = await open()
    const { db } = connection
    const limits = { requestsPerMinute: 5 }
    await db
      .insertInto('organizations')
      .values(organization('org_default', { requests_per_minute: 5 }))
      .execute()
    await db.insertInto('organizations').values(organization('org_b')).execute()
    await db
      .insertInto('projects')
      .values({ id: 'prj_b', organization: 'org_b', name: 'b', created_at: 1, version: 1 })
      .execute()
    await db
      .insertInto('people')
      .values({ id: 'per_a', email: null, name: 'a', password: null, created_at: 1 })
      .execute()
    const own = await createKey(connection, { createdBy: 'per_a', scopes: ['admin'] })
    const othersSettled = await createKey(connection, { createdBy: 'per_a', project: 'prj_b' })
    const service = await createKey(connection, { service: true, scopes: ['metrics'] })
    const operators = await createKey(connection, { scopes: ['admin'] })
    const keyLookup = createKeyLookup({ lookUp: (hash) => keyByHash(connection, hash) })
    const principal = async ({ key }: { readonly key: string }) => {
      keyLookup.changed()
      return keyLookup.findByHash(hashApiKey(key))
    }
    const become = async (role: string | undefined, disabledAt: number | null = null): Promise<void> => {
      await db.deleteFrom('memberships').execute()
      await db.updateTable('people').set({ disabled_at: disabledAt }).execute()
      const member = { organization: 'org_default', person: 'per_a', provider: null, created_at: 1, version: 1 }
      if (role !== undefined)
        await db
          .insertInto('memberships')
          .values({ ...member, role })
          .execute()
    }
    for (const [role, disabledAt, state, scopes] of [
      ['owner', null, 'active', ['admin']],
      ['admin', null, 'active', ['admin']],
      ['member', null, 'active', []],
      ['viewer', null, 'viewer', undefined],
      ['owner', 1, 'disabled', undefined],
      [undefined, null, 'left', undefined],
      ['a role of a later version', null, 'viewer', undefined],
    ] as const) {
      await become(role, disabledAt)
      expect(await keyById(connection, own.stored.id), state).toMatchObject({ creator: state, scopes: ['admin'] })
      const held = await principal(own)
      expect(held?.scopes, `${role} ${disabledAt}`).toEqual(scopes)
      // Limits of members do not bind those who set limits.
      expect(held?.memberLimits).toEqual(role === 'member' ? limits : undefined)
      expect(await principal(othersSettled)).toBeUndefined()
      expect([await principal(service), await principal(operators)]).toMatchObject([
        { service: true, scopes: ['metrics'] },
        { scopes: ['admin'] },
      ])
    }
  })

  it('of a service belong to a project, and never manage anything', async () => {
    const connection = await open()
    const { stored } = await createKey(connection, { service: true })
    expect(stored).toMatchObject({ service: true, project: 'prj_default' })
    for (const making of [
      () => createKey(connection, { service: true, scopes: ['admin'] }),
      () => createKey(connection, { service: true, createdBy: 'per_a' }),
      () => changeKey(connection, stored.id, { scopes: ['metrics', 'admin'] }),
    ])
      await expect(making()).rejects.toMatchObject({ kind: 'invalid-request' })
    expect(await changeKey(connection, stored.id, { scopes: ['metrics'] })).toMatchObject({
      scopes: ['metrics'],
      service: true,
    })
  })
})
