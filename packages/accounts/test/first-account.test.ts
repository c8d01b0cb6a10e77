import { expect, it } from 'vitest'
import { claim, describeStores, everything, HERE, NOBODY, PASSWORD, SYSTEM, stores } from './support/opened.ts'

const OLIVE = { email: ' Olive@Example.COM ', name: 'Olive', password: PASSWORD }
const DAY = 86_400_000

describeStores(stores(), 'the first account in $name', ({ open, openTwice }) => {
  it('is made by its link, with an organization and a project', async () => {
    const accounts = await open()
    expect(await accounts.hasAccounts()).toBe(false)
    const { token } = await accounts.firstLink()
    const { session } = await accounts.claimFirst(token, OLIVE, HERE)
    expect(await accounts.hasAccounts()).toBe(true)
    const caller = { kind: 'person', id: session.person, session: session.id, strongAt: session.strongAt } as const
    expect(await accounts.accountOf(caller)).toMatchObject({
      name: 'Olive',
      email: 'olive@example.com',
      hasPassword: true,
      memberships: [{ organization: 'org_default', name: 'default', role: 'owner' }],
    })
    expect(await accounts.listProjects(caller, 'org_default')).toMatchObject([{ id: 'prj_default', name: 'default' }])
    expect(await accounts.auditPage(caller, 'org_default')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          action: 'person.create',
          actor: { kind: 'anonymous' },
          target: session.person,
          address: '192.0.2.1',
          after: { email: 'olive@example.com', name: 'Olive', role: 'owner' },
        }),
      ]),
    )
  })

  it('keeps neither token nor password in clear', async () => {
    const accounts = await open()
    const { token } = await accounts.firstLink()
    const opened = await accounts.claimFirst(token, OLIVE, HERE)
    const stored = await everything(accounts.parts)
    for (const secret of [token, opened.token, PASSWORD]) expect(stored).not.toContain(secret)
    expect(stored).toContain('$scrypt$ln=4,r=8,p=1$')
  })

  it('takes a link once, for seven days, and only the right one', async () => {
    const accounts = await open()
    const { token } = await accounts.firstLink()
    const other = await accounts.firstLink()
    await expect(accounts.claimFirst('x'.repeat(43), OLIVE, HERE)).rejects.toMatchObject({ kind: 'not-found' })
    await expect(accounts.claimFirst('nonsense', OLIVE, HERE)).rejects.toMatchObject({ kind: 'not-found' })
    await accounts.claimFirst(token, OLIVE, HERE)
    await expect(accounts.claimFirst(token, OLIVE, HERE)).rejects.toMatchObject({ kind: 'not-found' })
    await expect(accounts.claimFirst(other.token, { ...OLIVE, email: 'two@example.com' }, HERE)).rejects.toMatchObject({
      kind: 'conflict',
    })
    await expect(accounts.firstLink()).rejects.toMatchObject({ kind: 'conflict' })
  })

  it('takes no link that is older than seven days', async () => {
    const accounts = await open()
    const { token, expiresAt } = await accounts.firstLink()
    expect(expiresAt).toBe(accounts.parts.now() + 7 * DAY)
    accounts.later(7 * DAY)
    await expect(accounts.claimFirst(token, OLIVE, HERE)).rejects.toMatchObject({ kind: 'not-found' })
  })

  it('is made by one of two who claim at the same time, by one link or by two', async () => {
    const [here, there] = await openTwice()
    const links = [await here.firstLink(), await there.firstLink()] as const
    const claims = await Promise.allSettled([
      here.claimFirst(links[0].token, OLIVE, HERE),
      there.claimFirst(links[0].token, { ...OLIVE, email: 'two@example.com' }, HERE),
      there.claimFirst(links[1].token, { ...OLIVE, email: 'three@example.com' }, HERE),
    ])
    expect(claims.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const one of claims)
      if (one.status === 'rejected') expect(['not-found', 'conflict']).toContain(one.reason.kind)
    expect(await here.listPeople(SYSTEM)).toHaveLength(1)
  })

  it('leaves the link as it is when what it is given is wrong', async () => {
    const accounts = await open()
    const { token } = await accounts.firstLink()
    const wrong = [
      { ...OLIVE, email: 'nobody' },
      { ...OLIVE, email: `${'x'.repeat(65)}@example.com` },
      { ...OLIVE, email: 'a@b@example.com' },
      { ...OLIVE, name: ' ' },
      { ...OLIVE, name: 'two\nlines' },
      { ...OLIVE, password: 'eleven char' },
      { ...OLIVE, password: 'x'.repeat(129) },
    ]
    for (const claim of wrong)
      await expect(accounts.claimFirst(token, claim, HERE)).rejects.toMatchObject({
        kind: 'invalid-request',
        param: expect.any(String),
      })
    await accounts.claimFirst(token, { ...OLIVE, password: '🔒'.repeat(128) }, HERE)
  })

  it('can be made by the operator, who gets a link to choose a password by', async () => {
    const accounts = await open()
    const added = { email: 'olive@example.com', name: 'Olive' }
    await expect(accounts.addByOperator(NOBODY, added)).rejects.toMatchObject({ kind: 'forbidden' })
    const { token, person } = await accounts.addByOperator(SYSTEM, added)
    const { session } = await accounts.resetPassword(token, PASSWORD, HERE)
    expect(session.person).toBe(person)
    await accounts.signIn({ email: 'olive@example.com', password: PASSWORD }, HERE)
    accounts.later(1)
    const second = await accounts.addByOperator(SYSTEM, { email: 'two@example.com', name: 'Two', role: 'viewer' })
    const caller = { kind: 'person', id: person, session: session.id, strongAt: 0 } as const
    expect(await accounts.listMembers(caller, 'org_default')).toMatchObject([
      { role: 'owner' },
      { person: second.person, role: 'viewer' },
    ])
    await expect(accounts.addByOperator(SYSTEM, added)).rejects.toMatchObject({ kind: 'conflict', param: 'email' })
  })

  it('is not to be told from another one by its mail address in other letters', async () => {
    const accounts = await open()
    await claim(accounts, 'Ölive@Bücher.example')
    expect(await accounts.listPeople(SYSTEM)).toMatchObject([{ email: 'ölive@xn--bcher-kva.example' }])
    await accounts.signIn({ email: 'ÖLIVE@xn--bcher-kva.example', password: PASSWORD }, HERE)
  })
})
