import { expect, it } from 'vitest'
import { claim, describeStores, everything, join, PASSWORD, START, SYSTEM, stores } from './support/opened.ts'

const ORG = 'org_default'

describeStores(stores(), 'Deletion in $name', ({ open }) => {
  it('of a person leaves nothing of them except their id and the audit log: no name, sign-in, session or key', async () => {
    const accounts = await open()
    const owner = await claim(accounts)
    const person = await join(accounts, 'member', 'grace')
    const { stored } = await accounts.createKey(person, ORG, {})
    await accounts.playgroundKey(person, { organization: ORG })
    const budget = { scope: 'member' as const, owner: person.id, limit: 1n, period: 'day' as const }
    await accounts.setBudget(owner, ORG, budget)
    await accounts.deletePerson(owner, ORG, person.id)
    // The audit log, which is never changed, keeps its entries until they expire.
    const lines = (await everything(accounts.parts)).split('\n').filter((line) => !line.includes('person.create'))
    expect(lines.join('\n')).not.toContain('grace')
    expect((await accounts.readKey(owner, ORG, stored.id)).revokedAt).toBe(START)
    expect((await accounts.listMembers(owner, ORG)).map(({ person: id }) => id)).toEqual([owner.id])
    expect(await accounts.listBudgets(owner, ORG)).toEqual([])
    await expect(accounts.signIn({ email: 'grace@example.com', password: PASSWORD }, {})).rejects.toThrow()
    await expect(accounts.deletePerson(owner, ORG, person.id)).rejects.toMatchObject({ kind: 'not-found' })
  })

  it('is for owners who have just confirmed their identity, and not of the last owner', async () => {
    const accounts = await open()
    const owner = await claim(accounts)
    const admin = await join(accounts, 'admin', 'admin')
    const person = await join(accounts, 'member', 'grace')
    await expect(accounts.deletePerson(admin, ORG, person.id)).rejects.toMatchObject({ kind: 'forbidden' })
    await expect(accounts.deletePerson(owner, ORG, owner.id)).rejects.toMatchObject({ kind: 'conflict' })
    const other = await accounts.createOrganization(SYSTEM, 'Other')
    const { token } = await accounts.invite(SYSTEM, other.id, { role: 'viewer' })
    await accounts.joinByInvite(person, token)
    await expect(accounts.deletePerson(owner, ORG, person.id)).rejects.toMatchObject({ kind: 'conflict' })
    accounts.later(15 * 60_000)
    await expect(accounts.deletePerson(owner, ORG, admin.id)).rejects.toMatchObject({ param: 'session' })
  })

  it('of an organization ends its keys, budgets and memberships, and is not possible for the first one', async () => {
    const accounts = await open()
    const owner = await claim(accounts)
    const { id } = await accounts.createOrganization(SYSTEM, 'Other')
    const boss = await join(accounts, 'owner', 'boss', id)
    const { stored } = await accounts.createKey(boss, id, {})
    await accounts.setBudget(boss, id, { scope: 'organization', owner: id, limit: 1n, period: 'day' })
    await expect(accounts.deleteOrganization(owner, ORG)).rejects.toMatchObject({ kind: 'conflict' })
    await expect(accounts.deleteOrganization(owner, id)).rejects.toMatchObject({ kind: 'not-found' })
    await accounts.deleteOrganization(boss, id)
    await expect(accounts.readOrganization(boss, id)).rejects.toMatchObject({ kind: 'not-found' })
    const { db } = accounts.parts.connection
    const key = await db.selectFrom('keys').select('revoked_at').where('id', '=', stored.id).executeTakeFirstOrThrow()
    expect(Number(key.revoked_at)).toBe(START)
    const budgets = await db.selectFrom('budgets').select('removed_at').where('owner', '=', id).execute()
    expect(budgets.map(({ removed_at }) => removed_at !== null)).toEqual([true])
    const [entry] = await accounts.auditPage(owner, ORG, { action: 'organization.remove' })
    expect(entry).toMatchObject({ target: id, actor: { kind: 'person', id: boss.id } })
  })
})
