import { expect, it } from 'vitest'
import type { BoundFunctions } from '../src/functions.ts'
import type { Caller } from '../src/roles/caller.ts'
import { audited, claim, describeStores, join, SYSTEM, stores } from './support/opened.ts'

const ORG = 'org_default'

/** As the API makes one of a key with the scope `admin`. */
function keyCaller(id: string, createdBy?: string): Caller {
  return { kind: 'key', id, organization: ORG, role: 'admin', ...(createdBy !== undefined && { createdBy }) }
}

async function keyOf(accounts: BoundFunctions, caller: Caller, given: Parameters<BoundFunctions['createKey']>[2] = {}) {
  return (await accounts.createKey(caller, ORG, given)).stored
}

describeStores(stores(), 'keys of people in $name', ({ open }) => {
  it('are of the person who created the key that creates them, whoever rotates or changes them', async () => {
    const accounts = await open()
    const owner = await claim(accounts)
    const admin = await join(accounts, 'admin', 'admin')
    const adminKey = await keyOf(accounts, admin, { scopes: ['admin'] })
    const made = await keyOf(accounts, keyCaller(adminKey.id, admin.id))
    expect(made).toMatchObject({ createdBy: admin.id, creator: 'active' })
    expect((await accounts.rotateKey(owner, ORG, made.id, { overlapMs: 0 })).stored.createdBy).toBe(admin.id)
    expect((await accounts.changeKey(owner, ORG, made.id, { name: 'renamed' })).createdBy).toBe(admin.id)
    expect(await keyOf(accounts, SYSTEM, { scopes: ['admin'] })).not.toHaveProperty('createdBy')
    expect(await keyOf(accounts, keyCaller('key_of_a_command'))).not.toHaveProperty('createdBy')
  })

  it('have the present role of their creator, at once, so that nobody makes themselves an admin again', async () => {
    const accounts = await open()
    const owner = await claim(accounts)
    const admin = await join(accounts, 'admin', 'admin')
    const key = keyCaller((await keyOf(accounts, admin, { scopes: ['admin'] })).id, admin.id)
    const attempts = [
      () => accounts.changeRole(key, ORG, admin.id, { role: 'admin' }),
      () => accounts.invite(key, ORG, { role: 'admin' }),
      () => accounts.createKey(key, ORG, { service: true }),
      () => accounts.listKeys(key, ORG),
    ]
    await accounts.listKeys(key, ORG)
    for (const change of [
      () => accounts.changeRole(owner, ORG, admin.id, { role: 'member' }),
      () => accounts.changeRole(owner, ORG, admin.id, { role: 'viewer' }),
      () => accounts.disablePerson(SYSTEM, admin.id, true),
      () => accounts.removeMember(owner, ORG, admin.id),
    ]) {
      await change()
      for (const attempt of attempts) await expect(attempt()).rejects.toMatchObject({ kind: 'forbidden' })
    }
  })

  it('make invites that are worth what their creator may give when somebody joins', async () => {
    const accounts = await open()
    const owner = await claim(accounts)
    const changes = [
      (person: string) => accounts.changeRole(owner, ORG, person, { role: 'member' }),
      (person: string) => accounts.removeMember(owner, ORG, person),
      (person: string) => accounts.disablePerson(SYSTEM, person, true),
    ]
    for (const [index, change] of changes.entries()) {
      const admin = await join(accounts, 'admin', `admin${index}`)
      const makers = [admin, keyCaller((await keyOf(accounts, admin, { scopes: ['admin'] })).id, admin.id)]
      for (const maker of makers) {
        const { token, invite } = await accounts.invite(maker, ORG, { role: 'admin' })
        expect(invite.invitedBy).toBe(admin.id)
        await change(admin.id)
        const claim = { email: 'back@example.com', name: 'Back', password: 'correct horse battery' }
        await expect(accounts.acceptInvite(token, claim, {})).rejects.toMatchObject({ kind: 'not-found' })
        if (index > 0) break
        await accounts.changeRole(owner, ORG, admin.id, { role: 'admin' })
      }
    }
  })

  it('are told of to all processes whenever what people may do changes', async () => {
    const accounts = await open()
    const owner = await claim(accounts)
    const { id } = await join(accounts, 'admin', 'admin')
    const { token } = await accounts.invite(owner, ORG, { role: 'member' })
    const version = async () => {
      const { db } = accounts.parts.connection
      return (await db.selectFrom('changes').select('version').where('topic', '=', 'keys').executeTakeFirstOrThrow())
        .version
    }
    for (const change of [
      () => accounts.changeRole(owner, ORG, id, { role: 'member' }),
      () => accounts.disablePerson(SYSTEM, id, true),
      () => accounts.disablePerson(SYSTEM, id, false),
      () => accounts.removeMember(owner, ORG, id),
      () =>
        accounts.acceptInvite(token, { email: 'new@example.com', name: 'New', password: 'correct horse battery' }, {}),
      () => accounts.changeOrganization(owner, ORG, { memberLimits: { concurrent: 2 } }),
      () => accounts.changeProject(owner, ORG, 'prj_default', { sharesResponses: true }),
    ]) {
      const before = await version()
      await change()
      expect(await version(), String(change)).toBeGreaterThan(before)
    }
  })

  it('that stopped are listed, and taken over by owners alone', async () => {
    const accounts = await open()
    const owner = await claim(accounts)
    const [admin, member] = [await join(accounts, 'admin', 'admin'), await join(accounts, 'member', 'member')]
    const [own, stopped] = [await keyOf(accounts, owner), await keyOf(accounts, member, { name: 'of a member' })]
    const take = (caller: Caller, key: string, person?: string) => accounts.takeOverKey(caller, ORG, key, { person })
    await expect(take(owner, stopped.id)).rejects.toMatchObject({ kind: 'conflict' })
    await accounts.removeMember(owner, ORG, member.id)
    expect((await accounts.listKeys(owner, ORG)).map(({ creator }) => creator).sort()).toEqual(['active', 'left'])
    await expect(take(admin, stopped.id)).rejects.toMatchObject({ kind: 'forbidden' })
    await expect(take(keyCaller('key_of_a_command'), stopped.id)).rejects.toMatchObject({ kind: 'forbidden' })
    await expect(take(owner, own.id)).rejects.toMatchObject({ kind: 'conflict' })
    await expect(take(SYSTEM, stopped.id)).rejects.toMatchObject({ param: 'person' })
    await expect(take(SYSTEM, stopped.id, member.id)).rejects.toMatchObject({ kind: 'not-found' })
    // An owner names nobody else.
    const taken = await take(owner, stopped.id, admin.id)
    expect(taken).toMatchObject({ id: stopped.id, createdBy: owner.id, creator: 'active', name: 'of a member' })
    expect(await accounts.auditPage(owner, ORG, { action: 'key.take-over' })).toMatchObject([
      { target: stopped.id, actor: { id: owner.id }, before: { createdBy: member.id }, after: { createdBy: owner.id } },
    ])
    await accounts.disablePerson(SYSTEM, admin.id, true)
    const ofAdmin = await keyOf(accounts, owner)
    await accounts.parts.connection.db
      .updateTable('keys')
      .set({ created_by: admin.id })
      .where('id', '=', ofAdmin.id)
      .execute()
    await expect(take(SYSTEM, ofAdmin.id, admin.id)).rejects.toMatchObject({ kind: 'conflict', param: 'person' })
    expect(await take(SYSTEM, ofAdmin.id, owner.id)).toMatchObject({ createdBy: owner.id })
    accounts.later(16 * 60_000)
    await expect(take(owner, ofAdmin.id)).rejects.toMatchObject({ param: 'session' })
  })

  it('are not the key of the playground that somebody else takes over', async () => {
    const accounts = await open()
    const owner = await claim(accounts)
    const member = await join(accounts, 'member', 'member')
    await accounts.playgroundKey(member, { organization: ORG })
    await accounts.removeMember(owner, ORG, member.id)
    const [key] = await accounts.listKeys(owner, ORG)
    await expect(accounts.takeOverKey(owner, ORG, key?.id ?? '')).rejects.toMatchObject({ kind: 'conflict' })
  })

  it('have the class and the weight that owners and admins set', async () => {
    const accounts = await open()
    const owner = await claim(accounts)
    const [admin, member] = [await join(accounts, 'admin', 'admin'), await join(accounts, 'member', 'member')]
    const own = await keyOf(accounts, member)
    for (const [param, rights] of [
      ['class', { class: 'interactive' }],
      ['weight', { weight: 100 }],
    ] as const) {
      const refused = { kind: 'forbidden', param }
      await expect(keyOf(accounts, member, rights)).rejects.toMatchObject(refused)
      await expect(accounts.changeKey(member, ORG, own.id, rights)).rejects.toMatchObject(refused)
      for (const caller of [owner, admin]) expect(await keyOf(accounts, caller, rights)).toMatchObject(rights)
      expect(await accounts.changeKey(admin, ORG, own.id, rights)).toMatchObject(rights)
    }
  })

  it('of a service are made by owners and admins, never manage, and are seen by no member', async () => {
    const accounts = await open()
    const owner = await claim(accounts)
    const [admin, member] = [await join(accounts, 'admin', 'admin'), await join(accounts, 'member', 'member')]
    await expect(keyOf(accounts, member, { service: true })).rejects.toMatchObject({
      kind: 'forbidden',
      param: 'service',
    })
    for (const caller of [owner, admin, SYSTEM]) {
      const service = await keyOf(accounts, caller, { service: true, scopes: ['metrics'] })
      expect(service).toMatchObject({ service: true, scopes: ['metrics'] })
      expect(service).not.toHaveProperty('createdBy')
      await expect(keyOf(accounts, caller, { service: true, scopes: ['admin'] })).rejects.toMatchObject({
        param: 'scopes',
      })
      await expect(accounts.changeKey(caller, ORG, service.id, { scopes: ['admin'] })).rejects.toMatchObject({
        param: 'scopes',
      })
    }
    expect(await accounts.listKeys(member, ORG)).toEqual([])
    await accounts.removeMember(owner, ORG, admin.id)
    expect(
      (await accounts.listKeys(owner, ORG)).every(({ service, creator }) => service && creator === undefined),
    ).toBe(true)
  })
})

describeStores(stores(), 'limits of members in $name', ({ open }) => {
  it('are set by owners, and are in the audit log', async () => {
    const accounts = await open()
    const owner = await claim(accounts)
    const admin = await join(accounts, 'admin', 'admin')
    const memberLimits = { requestsPerMinute: 60, concurrent: 2 }
    expect(await accounts.changeOrganization(owner, ORG, { memberLimits })).toMatchObject({ memberLimits })
    await expect(accounts.changeOrganization(admin, ORG, { memberLimits: null })).rejects.toMatchObject({
      kind: 'forbidden',
    })
    expect(await accounts.readOrganization(admin, ORG)).toMatchObject({ memberLimits })
    expect(await accounts.changeOrganization(owner, ORG, { name: 'Acme' })).toMatchObject({ memberLimits })
    expect(await accounts.changeOrganization(owner, ORG, { memberLimits: null })).not.toHaveProperty('memberLimits')
    expect(await audited(accounts)).toContain('organization.change')
  })
})

describeStores(stores(), 'what people are called in $name', ({ open }) => {
  it.each([
    ['a name', 'name', ['Ada\u202egnp', 'Ada\u2066x', 'A\u200bda', 'A\ufeffda', 'Ada\u061c', 'A\u00adda', 'a\nb']],
    [
      'a mail address',
      'email',
      [
        'p\u0430ypal@example.com',
        'ada\u202e@example.com',
        'a\u200cda@example.com',
        '\uff41da@example.com',
        '\u03b1lpha@example.com',
      ],
    ],
  ])('is %s without what hides or looks like something else', async (_, param, values) => {
    const accounts = await open()
    await claim(accounts)
    for (const value of values) {
      const given = { email: 'ada@example.com', name: 'Ada', [param]: value }
      await expect(accounts.addByOperator(SYSTEM, given), JSON.stringify(value)).rejects.toMatchObject({
        kind: 'invalid-request',
        param,
      })
    }
    const usual = ['Zoë O’Connor', 'آرش‌خان', '山田 太郎', '👩‍💻 Ada', 'Иван']
    for (const [index, name] of usual.entries())
      await accounts.addByOperator(SYSTEM, { email: `ada${index}@example.com`, name })
    for (const email of [
      'иван.петров-2@example.com',
      'zoë@example.com',
      '山田taro@example.com',
      '\u03b1\u03b2\u03b3@example.com',
      '42+tag_x@example.com',
    ])
      await accounts.addByOperator(SYSTEM, { email, name: 'Ada' })
  })
})
