import { expect, it } from 'vitest'
import { audited, callerFrom, claim, describeStores, HERE, join, PASSWORD, SYSTEM, stores } from './support/opened.ts'

const ORG = 'org_default'
const NEW = { email: 'new@example.com', name: 'New', password: PASSWORD }

describeStores(stores(), 'invites in $name', ({ open, openTwice }) => {
  it('make an account in the role they are for, once, within seven days', async () => {
    const accounts = await open()
    const owner = await claim(accounts)
    const { token, invite } = await accounts.invite(owner, ORG, { role: 'viewer' })
    expect(await accounts.readInvite(token)).toEqual({
      organization: 'default',
      role: 'viewer',
      expiresAt: invite.expiresAt,
    })
    expect(await accounts.listInvites(owner, ORG)).toEqual([invite])
    const person = callerFrom(await accounts.acceptInvite(token, NEW, HERE))
    expect(await accounts.accountOf(person)).toMatchObject({
      email: NEW.email,
      memberships: [{ organization: ORG, role: 'viewer' }],
    })
    await expect(accounts.acceptInvite(token, { ...NEW, email: 'two@example.com' }, HERE)).rejects.toMatchObject({
      kind: 'not-found',
    })
    expect(await accounts.listInvites(owner, ORG)).toEqual([])
    const late = await accounts.invite(owner, ORG, { role: 'viewer' })
    accounts.later(7 * 86_400_000)
    await expect(accounts.readInvite(late.token)).rejects.toMatchObject({ kind: 'not-found' })
    await expect(accounts.joinByInvite(person, late.token)).rejects.toMatchObject({ kind: 'not-found' })
    expect(await audited(accounts)).toEqual(
      expect.arrayContaining(['invite.create', 'person.create', 'session.create']),
    )
  })

  it('are used by one of two who try at once', async () => {
    const [here, there] = await openTwice()
    const owner = await claim(here)
    const { token } = await here.invite(owner, ORG, { role: 'member' })
    const both = await Promise.allSettled([
      here.acceptInvite(token, NEW, HERE),
      there.acceptInvite(token, { ...NEW, email: 'two@example.com' }, HERE),
    ])
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await here.listPeople(SYSTEM)).toHaveLength(2)
  })

  it('are to roles that their maker manages, and are worth nothing when the maker no longer does', async () => {
    const accounts = await open()
    const owner = await claim(accounts)
    const admin = await join(accounts, 'admin', 'admin')
    const member = await join(accounts, 'member', 'member')
    await expect(accounts.invite(admin, ORG, { role: 'owner' })).rejects.toMatchObject({ kind: 'forbidden' })
    await expect(accounts.invite(member, ORG, { role: 'viewer' })).rejects.toMatchObject({ kind: 'forbidden' })
    const { token } = await accounts.invite(admin, ORG, { role: 'admin' })
    await accounts.changeRole(owner, ORG, admin.id, { role: 'member' })
    await expect(accounts.acceptInvite(token, NEW, HERE)).rejects.toMatchObject({ kind: 'not-found' })
  })

  it('for a mail address make an account for no other one', async () => {
    const accounts = await open()
    const owner = await claim(accounts)
    const { id: other } = await accounts.createOrganization(SYSTEM, 'Other')
    const { token } = await accounts.invite(SYSTEM, other, { role: 'admin', email: 'New@Example.com' })
    await expect(accounts.joinByInvite(owner, token)).rejects.toMatchObject({ kind: 'forbidden' })
    const person = callerFrom(await accounts.acceptInvite(token, { ...NEW, email: 'mallory@example.com' }, HERE))
    expect(await accounts.accountOf(person)).toMatchObject({ email: 'new@example.com' })
  })

  it('have somebody who has an account join, with another token for their session', async () => {
    const accounts = await open()
    await claim(accounts)
    const { id: other } = await accounts.createOrganization(SYSTEM, 'Other')
    const opened = await accounts.signIn({ email: 'owner@example.com', password: PASSWORD }, HERE)
    const { token } = await accounts.invite(SYSTEM, other, { role: 'admin' })
    await expect(accounts.acceptInvite(token, { ...NEW, email: 'owner@example.com' }, HERE)).rejects.toMatchObject({
      kind: 'conflict',
    })
    const renewed = await accounts.joinByInvite(callerFrom(opened), token)
    expect(await accounts.useSession(opened.token, HERE)).toBeUndefined()
    expect((await accounts.accountOf(callerFrom(renewed))).memberships).toHaveLength(2)
    const again = await accounts.invite(SYSTEM, other, { role: 'owner' })
    await expect(accounts.joinByInvite(callerFrom(renewed), again.token)).rejects.toMatchObject({ kind: 'conflict' })
  })

  it('do not tell whoever holds one who else has an account, more than five times', async () => {
    const accounts = await open()
    const owner = await claim(accounts)
    const { token } = await accounts.invite(owner, ORG, { role: 'viewer' })
    const probe = () => accounts.acceptInvite(token, { ...NEW, email: 'owner@example.com' }, HERE)
    for (let turn = 0; turn < 5; turn += 1) await expect(probe()).rejects.toMatchObject({ kind: 'conflict' })
    await expect(probe()).rejects.toMatchObject({ kind: 'over-limit' })
  })

  it('are revoked by those who could have made them', async () => {
    const accounts = await open()
    const owner = await claim(accounts)
    const admin = await join(accounts, 'admin', 'admin')
    const made = await accounts.invite(owner, ORG, { role: 'owner' })
    await expect(accounts.revokeInvite(admin, ORG, made.invite.id)).rejects.toMatchObject({ kind: 'forbidden' })
    expect(await accounts.listInvites(admin, ORG)).toHaveLength(1)
    await accounts.revokeInvite(owner, ORG, made.invite.id)
    await expect(accounts.readInvite(made.token)).rejects.toMatchObject({ kind: 'not-found' })
    await expect(accounts.revokeInvite(owner, ORG, made.invite.id)).rejects.toMatchObject({ kind: 'not-found' })
  })
})

describeStores(stores(), 'open sign-up in $name', ({ open }) => {
  it('is closed until an owner opens it, and takes mail addresses of its domains', async () => {
    const accounts = await open()
    const owner = await claim(accounts)
    const admin = await join(accounts, 'admin', 'admin')
    for (const ask of [accounts.checkSignUp, accounts.requestSignUp])
      await expect(ask('new@example.com', HERE)).rejects.toMatchObject({ kind: 'forbidden' })
    await expect(accounts.changeOrganization(admin, ORG, { signUp: 'open' })).rejects.toMatchObject({
      kind: 'forbidden',
    })
    const opened = await accounts.changeOrganization(owner, ORG, {
      signUp: 'open',
      domains: ['Example.com', 'example.com'],
      version: 1,
    })
    expect(opened).toMatchObject({ signUp: 'open', domains: ['example.com'], version: 2 })
    accounts.later(86_400_000)
    for (const email of ['a@example.org', 'a@sub.example.com', 'a@example.com.example.org'])
      for (const ask of [accounts.checkSignUp, accounts.requestSignUp])
        await expect(ask(email, {})).rejects.toMatchObject({ kind: 'forbidden' })
    await accounts.checkSignUp('new@example.com', HERE)
    await accounts.checkSignUp('owner@example.com', HERE)
    const { link } = await accounts.requestSignUp('new@example.com', HERE)
    const person = callerFrom(await accounts.finishSignUp(link?.token ?? '', NEW, HERE))
    expect(await accounts.accountOf(person)).toMatchObject({
      email: 'new@example.com',
      memberships: [{ role: 'member' }],
    })
    await expect(accounts.finishSignUp(link?.token ?? '', NEW, HERE)).rejects.toMatchObject({ kind: 'not-found' })
    expect(await accounts.requestSignUp('owner@example.com', HERE)).toEqual({ email: 'owner@example.com' })
  })

  it('that was closed since its link was sent makes no account', async () => {
    const accounts = await open()
    await claim(accounts)
    await accounts.changeOrganization(SYSTEM, ORG, { signUp: 'open' })
    const { link } = await accounts.requestSignUp('new@example.com', HERE)
    await accounts.changeOrganization(SYSTEM, ORG, { signUp: 'invite' })
    await expect(accounts.finishSignUp(link?.token ?? '', NEW, HERE)).rejects.toMatchObject({ kind: 'forbidden' })
  })

  it('has settings that make sense', async () => {
    const accounts = await open()
    const owner = await claim(accounts)
    const change = (given: object) => accounts.changeOrganization(owner, ORG, given)
    await expect(change({ domains: ['not a domain'] })).rejects.toMatchObject({ param: 'domains[0]' })
    await expect(change({ signUp: 'yes' })).rejects.toMatchObject({ param: 'signUp' })
    await expect(change({ name: '' })).rejects.toMatchObject({ param: 'name' })
    await expect(change({ name: 'Acme', version: 7 })).rejects.toMatchObject({ status: 412 })
    expect(await change({ name: 'Acme', id: 'org_mine', created_at: 1 })).toMatchObject({ id: ORG, name: 'Acme' })
  })
})

describeStores(stores(), 'projects in $name', ({ open }) => {
  it('are made, renamed, archived and taken back', async () => {
    const accounts = await open()
    const owner = await claim(accounts)
    accounts.later(1)
    const made = await accounts.createProject(owner, ORG, " Robert'); DROP TABLE projects;-- ")
    expect(made).toMatchObject({ name: "Robert'); DROP TABLE projects;--", organization: ORG, version: 1 })
    const renamed = await accounts.changeProject(owner, ORG, made.id, { name: 'Website', version: 1 })
    await expect(accounts.changeProject(owner, ORG, made.id, { name: 'Shop', version: 1 })).rejects.toMatchObject({
      status: 412,
    })
    const archived = await accounts.changeProject(owner, ORG, made.id, { archived: true })
    expect(archived).toEqual({ ...renamed, archivedAt: accounts.parts.now(), version: 3 })
    const next = await accounts.createProject(owner, ORG, 'Website')
    await expect(accounts.changeProject(owner, ORG, made.id, { archived: false })).rejects.toMatchObject({
      param: 'name',
    })
    expect(await accounts.changeProject(owner, ORG, made.id, { archived: false, name: 'Old' })).not.toHaveProperty(
      'archivedAt',
    )
    expect((await accounts.listProjects(owner, ORG)).map(({ name }) => name).sort()).toEqual([
      'Old',
      'Website',
      'default',
    ])
    expect(await accounts.readProject(owner, ORG, next.id)).toEqual(next)
    expect(await audited(accounts)).toEqual(expect.arrayContaining(['project.change', 'project.create']))
  })

  it('have names of their own, and one of them stays', async () => {
    const accounts = await open()
    const owner = await claim(accounts)
    await expect(accounts.createProject(owner, ORG, 'default')).rejects.toMatchObject({
      kind: 'conflict',
      param: 'name',
    })
    await expect(accounts.createProject(owner, ORG, 'nul\0')).rejects.toMatchObject({ param: 'name' })
    await expect(accounts.changeProject(owner, ORG, 'prj_default', { archived: true })).rejects.toMatchObject({
      kind: 'conflict',
    })
    await expect(accounts.readProject(owner, ORG, 'prj_\0')).rejects.toMatchObject({ kind: 'not-found' })
  })

  it('are read by all members, and changed by admins and owners', async () => {
    const accounts = await open()
    await claim(accounts)
    for (const role of ['viewer', 'member'] as const) {
      const caller = await join(accounts, role, role)
      expect(await accounts.listProjects(caller, ORG)).toHaveLength(1)
      await expect(accounts.createProject(caller, ORG, 'Mine')).rejects.toMatchObject({ kind: 'forbidden' })
      await expect(accounts.changeProject(caller, ORG, 'prj_default', { name: 'Mine' })).rejects.toMatchObject({
        kind: 'forbidden',
      })
    }
    await accounts.createProject(await join(accounts, 'admin', 'admin'), ORG, 'Ours')
  })
})
