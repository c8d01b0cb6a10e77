import { expect, it } from 'vitest'
import type { Role } from '../src/roles/roles.ts'
import { audited, claim, describeStores, HERE, join, SYSTEM, stores } from './support/opened.ts'

const ORG = 'org_default'

describeStores(stores(), 'members in $name', ({ open, openTwice }) => {
  it('are listed to those who may see them', async () => {
    const accounts = await open()
    const owner = await claim(accounts)
    accounts.later(1)
    const member = await join(accounts, 'member', 'member')
    expect(await accounts.listMembers(owner, ORG)).toEqual([
      {
        person: owner.id,
        name: 'Olive Owner',
        email: 'owner@example.com',
        role: 'owner',
        joinedAt: expect.any(Number),
        version: 1,
      },
      {
        person: member.id,
        name: 'member',
        email: 'member@example.com',
        role: 'member',
        joinedAt: expect.any(Number),
        version: 1,
      },
    ])
    await expect(accounts.listMembers(member, ORG)).rejects.toMatchObject({ kind: 'forbidden' })
  })

  it('get the roles that those who change them manage, and no others', async () => {
    const accounts = await open()
    const owner = await claim(accounts)
    const admin = await join(accounts, 'admin', 'admin')
    const member = await join(accounts, 'member', 'member')
    const viewer = await join(accounts, 'viewer', 'viewer')
    const change = (caller: typeof owner, person: string, role: Role) =>
      accounts.changeRole(caller, ORG, person, { role })
    await change(admin, member.id, 'viewer')
    await change(admin, member.id, 'admin')
    await change(admin, member.id, 'member')
    for (const [caller, person, role] of [
      [admin, admin.id, 'owner'],
      [admin, owner.id, 'member'],
      [admin, member.id, 'owner'],
      [member, member.id, 'admin'],
      [viewer, viewer.id, 'owner'],
      [member, owner.id, 'viewer'],
    ] as const)
      await expect(change(caller, person, role)).rejects.toMatchObject({ kind: 'forbidden' })
    await expect(change(admin, member.id, 'root' as Role)).rejects.toMatchObject({ param: 'role' })
    await expect(change(admin, 'per_nobody', 'viewer')).rejects.toMatchObject({ kind: 'not-found' })
    await change(owner, member.id, 'owner')
    expect(await accounts.auditPage(owner, ORG, { limit: 500 })).toContainEqual(
      expect.objectContaining({
        action: 'member.role',
        actor: { kind: 'person', id: owner.id },
        session: owner.session,
        target: member.id,
        before: { role: 'member' },
        after: { role: 'owner' },
      }),
    )
  })

  it('become owners only by somebody who has just shown who they are', async () => {
    const accounts = await open()
    const owner = await claim(accounts)
    const member = await join(accounts, 'member', 'member')
    accounts.later(15 * 60_000)
    await accounts.changeRole(owner, ORG, member.id, { role: 'admin' })
    await expect(accounts.changeRole(owner, ORG, member.id, { role: 'owner' })).rejects.toMatchObject({
      param: 'session',
    })
    await expect(accounts.invite(owner, ORG, { role: 'owner' })).rejects.toMatchObject({ param: 'session' })
  })

  it('are changed in the version that was read', async () => {
    const accounts = await open()
    const owner = await claim(accounts)
    const member = await join(accounts, 'member', 'member')
    await accounts.changeRole(owner, ORG, member.id, { role: 'admin', version: 1 })
    const late = accounts.changeRole(owner, ORG, member.id, { role: 'viewer', version: 1 })
    await expect(late).rejects.toMatchObject({ kind: 'conflict', status: 412 })
  })

  it('leave and are removed, but the last owner stays one', async () => {
    const accounts = await open()
    const owner = await claim(accounts)
    const member = await join(accounts, 'member', 'member')
    const last = { kind: 'conflict', message: expect.stringContaining('last owner') }
    await expect(accounts.leave(owner, ORG)).rejects.toMatchObject(last)
    await expect(accounts.changeRole(owner, ORG, owner.id, { role: 'admin' })).rejects.toMatchObject(last)
    await expect(accounts.removeMember(owner, ORG, owner.id)).rejects.toMatchObject(last)
    await accounts.leave(member, ORG)
    await expect(accounts.leave(member, ORG)).rejects.toMatchObject({ kind: 'not-found' })
    await expect(accounts.listProjects(member, ORG)).rejects.toMatchObject({ kind: 'not-found' })
    const second = await join(accounts, 'owner', 'second')
    await accounts.disablePerson(SYSTEM, second.id, true)
    await expect(accounts.leave(owner, ORG)).rejects.toMatchObject(last)
    await accounts.disablePerson(SYSTEM, second.id, false)
    await accounts.leave(owner, ORG)
    await expect(accounts.removeMember(second, ORG, owner.id)).rejects.toMatchObject({ kind: 'not-found' })
  })

  it('keep one owner when two owners demote each other at once', async () => {
    const [here, there] = await openTwice()
    const one = await claim(here)
    const two = await join(here, 'owner', 'two')
    const both = await Promise.allSettled([
      here.changeRole(one, ORG, two.id, { role: 'member' }),
      there.changeRole(two, ORG, one.id, { role: 'member' }),
    ])
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect((await here.listMembers(SYSTEM, ORG)).filter(({ role }) => role === 'owner')).toHaveLength(1)
  })

  it('of another organization are not there, whatever is asked of them', async () => {
    const accounts = await open()
    const owner = await claim(accounts)
    const { id: other } = await accounts.createOrganization(SYSTEM, 'Other')
    const stranger = await join(accounts, 'owner', 'stranger', other)
    const { invite } = await accounts.invite(stranger, other, { role: 'viewer' })
    const [project] = await accounts.listProjects(stranger, other)
    const asked = [
      () => accounts.readOrganization(owner, other),
      () => accounts.changeOrganization(owner, other, { name: 'Mine' }),
      () => accounts.listMembers(owner, other),
      () => accounts.changeRole(owner, other, stranger.id, { role: 'viewer' }),
      () => accounts.changeRole(owner, ORG, stranger.id, { role: 'viewer' }),
      () => accounts.removeMember(owner, other, stranger.id),
      () => accounts.removeMember(owner, ORG, stranger.id),
      () => accounts.leave(owner, other),
      () => accounts.resetLink(owner, other, stranger.id),
      () => accounts.resetLink(owner, ORG, stranger.id),
      () => accounts.invite(owner, other, { role: 'owner' }),
      () => accounts.listInvites(owner, other),
      () => accounts.revokeInvite(owner, other, invite.id),
      () => accounts.revokeInvite(owner, ORG, invite.id),
      () => accounts.listProjects(owner, other),
      () => accounts.readProject(owner, ORG, project?.id ?? ''),
      () => accounts.createProject(owner, other, 'Mine'),
      () => accounts.changeProject(owner, other, project?.id ?? '', { name: 'Mine' }),
      () => accounts.changeProject(owner, ORG, project?.id ?? '', { name: 'Mine' }),
      () => accounts.auditPage(owner, other),
    ]
    for (const ask of asked) await expect(ask(), String(ask)).rejects.toMatchObject({ kind: 'not-found' })
    expect(await accounts.listInvites(stranger, other)).toHaveLength(1)
    expect((await accounts.auditPage(stranger, other)).every(({ organization }) => organization === other)).toBe(true)
  })
})

describeStores(stores(), 'the audit log in $name', ({ open }) => {
  it('is written in the transaction of what it says: where it can not be, nothing is done', async () => {
    const accounts = await open()
    const owner = await claim(accounts)
    const before = await audited(accounts)
    const caller = {
      ...owner,
      get requestId(): string {
        throw new Error('It can not be written.')
      },
    }
    await expect(accounts.createProject(caller, ORG, 'Mine')).rejects.toThrow('It can not be written.')
    expect(await accounts.listProjects(owner, ORG)).toHaveLength(1)
    expect(await audited(accounts)).toEqual(before)
  })

  it('is paged, newest first, and its rows are not changed', async () => {
    const accounts = await open()
    const owner = await claim(accounts)
    for (const name of ['a', 'b', 'c']) {
      accounts.later(1)
      await accounts.createProject({ ...owner, requestId: `req_${name}` }, ORG, name)
    }
    const page = await accounts.auditPage(owner, ORG, { limit: 2 })
    expect(page.map(({ requestId }) => requestId)).toEqual(['req_c', 'req_b'])
    const next = await accounts.auditPage(owner, ORG, { before: page[1]?.id ?? '', limit: 1 })
    expect(next).toMatchObject([{ action: 'project.create', requestId: 'req_a', after: { name: 'a' }, ...HERE }])
    const update = accounts.parts.connection.db.updateTable('audit').set({ action: 'nothing' }).execute()
    await expect(update).rejects.toThrow('rows of audit are not changed')
  })

  it('and what is over are deleted when their time has come', async () => {
    const accounts = await open()
    await claim(accounts)
    await accounts.firstLink().catch(() => {})
    await accounts.invite(SYSTEM, ORG, { role: 'viewer' })
    expect(await accounts.forget()).toBe(false)
    const count = async (table: 'audit' | 'sessions' | 'invites' | 'links') =>
      (await accounts.parts.connection.db.selectFrom(table).selectAll().execute()).length
    expect([await count('audit'), await count('sessions'), await count('invites'), await count('links')]).toEqual([
      2, 1, 1, 1,
    ])
    accounts.later(30 * 86_400_000)
    await accounts.forget()
    expect([await count('audit'), await count('sessions'), await count('invites'), await count('links')]).toEqual([
      2, 0, 0, 0,
    ])
    accounts.later(731 * 86_400_000)
    await accounts.forget()
    expect(await count('audit')).toBe(0)
  })
})
