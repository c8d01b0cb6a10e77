import { describe, expect, it } from 'vitest'
import { allow, type Caller, checkStrong } from '../src/roles/caller.ts'
import { type Action, isAbove, MATRIX, may, mayManage, ROLES } from '../src/roles/roles.ts'
import { claim, describeStores, HERE, join, NOBODY, START, SYSTEM, stores } from './support/opened.ts'

describe('The table of roles', () => {
  it('says what each role may do', () => {
    const table = Object.keys(MATRIX).map((action) =>
      [action, ...ROLES.map((role) => may(role, action as Action) ?? '–')].join(' · '),
    )
    expect(table).toEqual([
      'usage.read · all · all · own · all',
      'keys.read · all · all · own · –',
      'keys.write · all · all · own · –',
      'keys.takeOver · all · – · – · –',
      'budgets.read · all · all · own · all',
      'budgets.write · all · all · – · –',
      'budgets.release · all · – · – · –',
      'members.read · all · all · – · all',
      'members.write · all · not owners · – · –',
      'people.delete · all · – · – · –',
      'projects.read · all · all · all · all',
      'projects.write · all · all · – · –',
      'providers.read · all · all · all · all',
      'providers.write · all · all · – · –',
      'credentials.write · all · – · – · –',
      'prices.read · all · all · all · all',
      'prices.write · all · all · – · –',
      'audit.read · all · all · – · –',
      'organization.read · all · all · all · all',
      'organization.write · all · – · – · –',
      'organization.delete · all · – · – · –',
      'export.read · all · – · – · –',
      'playground.use · all · all · all · –',
      'traces.read · all · all · own · –',
      'traces.write · all · all · – · –',
      'views.write · all · all · own · own',
    ])
  })

  it('has owners manage all, admins all but owners, and nobody else anybody', () => {
    expect(ROLES.map((role) => ROLES.filter((target) => mayManage(role, target)).join())).toEqual([
      'owner,admin,member,viewer',
      'admin,member,viewer',
      '',
      '',
    ])
    expect([isAbove('owner', 'admin'), isAbove('admin', 'owner'), isAbove('viewer', 'viewer')]).toEqual([
      true,
      false,
      false,
    ])
  })

  it('allows nothing that is not in it', () => {
    for (const action of ['', 'toString', '__proto__', 'keys']) expect(may('owner', action as Action)).toBeUndefined()
  })
})

describeStores(stores(), 'what somebody may do in $name', ({ open }) => {
  it('is what their role in that organization says, and of another one nobody learns that it is there', async () => {
    const accounts = await open()
    await claim(accounts)
    const { id: other } = await accounts.createOrganization(SYSTEM, 'Other')
    const { db } = accounts.parts.connection
    for (const role of ROLES) {
      const caller = await join(accounts, role, `some-${role}`)
      for (const action of Object.keys(MATRIX) as Action[]) {
        const reach = may(role, action)
        const asked = allow(db, caller, 'org_default', action)
        if (reach) expect(await asked).toEqual({ role, reach })
        else await expect(asked).rejects.toMatchObject({ kind: 'forbidden' })
        const elsewhere = await allow(db, caller, other, action).catch((error: unknown) => error)
        expect(elsewhere).toEqual(await allow(db, caller, 'org_nowhere\0', action).catch((error: unknown) => error))
        expect(elsewhere).toMatchObject({ kind: 'not-found' })
      }
    }
  })

  it('is nothing for nobody, a role in its own organization for a key, and everything for the operator', async () => {
    const accounts = await open()
    await claim(accounts)
    const { db } = accounts.parts.connection
    const key: Caller = { kind: 'key', id: 'key_1', organization: 'org_default', role: 'admin', ...HERE }
    expect(await allow(db, key, 'org_default', 'projects.write')).toEqual({ role: 'admin', reach: 'all' })
    await expect(allow(db, { ...key, organization: 'org_2' }, 'org_default', 'projects.read')).rejects.toMatchObject({
      kind: 'not-found',
    })
    await expect(allow(db, key, 'org_default', 'organization.write')).rejects.toMatchObject({ kind: 'forbidden' })
    await expect(allow(db, NOBODY, 'org_default', 'projects.read')).rejects.toMatchObject({ kind: 'not-found' })
    expect(await allow(db, SYSTEM, 'org_default', 'export.read')).toEqual({ role: 'owner', reach: 'all' })
  })

  it('is never what is sensitive by a key, and by a session only while it is strong', async () => {
    const accounts = await open()
    const owner = await claim(accounts)
    const key: Caller = { kind: 'key', id: 'key_1', organization: 'org_default', role: 'admin' }
    for (const caller of [key, NOBODY, { ...owner, strongAt: START - 15 * 60_000 }])
      expect(() => checkStrong(caller, START)).toThrow('confirmed your identity')
    checkStrong(SYSTEM, START)
    checkStrong(owner, START)
  })
})
