import { expect, it, vi } from 'vitest'
import { createHasher } from '../src/passwords/hasher.ts'
import {
  audited,
  CHEAP,
  callerFrom,
  claim,
  describeStores,
  everything,
  HERE,
  join,
  NOBODY,
  openOver,
  PASSWORD,
  SYSTEM,
  stores,
} from './support/opened.ts'

const EMAIL = 'owner@example.com'
const RIGHT = { email: EMAIL, password: PASSWORD }
const WRONG = { email: EMAIL, password: 'not the password' }
const at = (address: string) => ({ ...HERE, address })

describeStores(stores(), 'sign-in in $name', ({ open }) => {
  it('says the same of a wrong password, of nobody, and of somebody who is disabled or has no password', async () => {
    const accounts = await open()
    await claim(accounts)
    const { person } = await accounts.addByOperator(SYSTEM, { email: 'new@example.com', name: 'New' })
    const disabled = await join(accounts, 'member', 'gone')
    await accounts.disablePerson(SYSTEM, disabled.id, true)
    const attempts = [
      WRONG,
      { ...WRONG, email: 'nobody@example.com' },
      { ...WRONG, email: 'not a mail address \0' },
      { email: 'new@example.com', password: PASSWORD },
      { email: 'gone@example.com', password: PASSWORD },
    ]
    const errors = await Promise.all(
      attempts.map((attempt, index) =>
        accounts.signIn(attempt, at(`192.0.2.${index}`)).catch((error: unknown) => error),
      ),
    )
    for (const error of errors)
      expect(error).toMatchObject({ kind: 'bad-key', message: 'The mail address or the password is wrong.' })
    expect(person).toMatch(/^per_/)
  })

  it('does the work of a hash whoever is asked for', async () => {
    const accounts = await open()
    await claim(accounts)
    const hasher = createHasher({ parameters: CHEAP })
    const verify = vi.fn(hasher.verify)
    const counting = openOver(accounts.parts.connection, { parts: { hasher: { ...hasher, verify } } })
    for (const email of [EMAIL, 'nobody@example.com', '@'])
      await expect(counting.signIn({ ...WRONG, email }, HERE)).rejects.toMatchObject({ kind: 'bad-key' })
    expect(verify).toHaveBeenCalledTimes(3)
  })

  it('hashes a password anew when parameters rise', async () => {
    const accounts = await open()
    await claim(accounts)
    const { connection } = accounts.parts
    const dearer = openOver(connection, { parts: { hasher: createHasher({ parameters: { ...CHEAP, ln: 5 } }) } })
    await expect(dearer.signIn(WRONG, HERE)).rejects.toMatchObject({ kind: 'bad-key' })
    const hash = async () =>
      (await connection.db.selectFrom('people').select('password').executeTakeFirstOrThrow()).password
    expect(await hash()).toContain('$ln=4,')
    await dearer.signIn(RIGHT, HERE)
    expect(await hash()).toContain('$ln=5,')
    await dearer.signIn(RIGHT, HERE)
  })

  it('is in the audit log, refused or not, and what was typed is nowhere', async () => {
    const accounts = await open()
    await claim(accounts)
    await accounts.signIn(RIGHT, HERE)
    await expect(accounts.signIn({ email: 'my secret typed here', password: 'another secret' }, HERE)).rejects.toThrow()
    expect(await audited(accounts)).toEqual(['person.create', 'session.create', 'session.create refused'])
    expect(await everything(accounts.parts)).not.toContain('secret')
  })
})

describeStores(stores(), 'sessions in $name', ({ open }) => {
  it('begin at a sign-in, with a token of their own, and end what the browser had', async () => {
    const accounts = await open()
    await claim(accounts)
    const before = await accounts.signIn(RIGHT, HERE)
    const planted = 'A'.repeat(43)
    const after = await accounts.signIn({ ...RIGHT, before: before.token }, { ...HERE, agent: 'x'.repeat(999) })
    const third = await accounts.signIn({ ...RIGHT, before: planted }, HERE)
    expect(new Set([before.token, after.token, third.token, planted]).size).toBe(4)
    expect(await accounts.useSession(before.token, HERE)).toBeUndefined()
    expect(await accounts.useSession(planted, HERE)).toBeUndefined()
    expect(await accounts.useSession(after.token, HERE)).toMatchObject({ id: after.session.id, agent: 'x'.repeat(200) })
  })

  it("are nobody's with a token that was changed", async () => {
    const accounts = await open()
    await claim(accounts)
    const { token } = await accounts.signIn(RIGHT, HERE)
    const changed = `${token.slice(0, -2)}${token.endsWith('AA') ? 'BB' : 'AA'}`
    for (const other of [changed, '', `${token} `, token.slice(1), `${token}A`, '\0', 'x'.repeat(1e6)])
      expect(await accounts.useSession(other, HERE)).toBeUndefined()
  })

  it('last seven days without use, and thirty at most', async () => {
    const accounts = await open()
    await claim(accounts)
    const day = 86_400_000
    const idle = await accounts.signIn(RIGHT, HERE)
    accounts.later(7 * day - 1)
    expect(await accounts.useSession(idle.token, HERE)).toMatchObject({ seenAt: accounts.parts.now() })
    accounts.later(7 * day)
    expect(await accounts.useSession(idle.token, HERE)).toBeUndefined()
    const used = await accounts.signIn(RIGHT, HERE)
    for (let days = 0; days < 29; days += 1) {
      accounts.later(day)
      expect(await accounts.useSession(used.token, HERE)).toBeDefined()
    }
    accounts.later(day)
    expect(await accounts.useSession(used.token, HERE)).toBeUndefined()
    expect(await accounts.listSessions(callerFrom(used))).toEqual([])
  })

  it('are listed by their owner, and end one by one, or all but one', async () => {
    const accounts = await open()
    const first = await claim(accounts)
    const stranger = await join(accounts, 'owner', 'other')
    accounts.later(1)
    const second = await accounts.signIn(RIGHT, at('192.0.2.77'))
    const caller = callerFrom(second)
    expect(await accounts.listSessions(caller)).toMatchObject([
      { id: second.session.id, address: '192.0.2.77' },
      { id: first.session },
    ])
    await expect(accounts.endSession(stranger, second.session.id)).rejects.toMatchObject({ kind: 'not-found' })
    await accounts.endSession(caller, first.session)
    const third = await accounts.signIn(RIGHT, HERE)
    await accounts.endOtherSessions(caller)
    expect(await accounts.useSession(third.token, HERE)).toBeUndefined()
    expect(await accounts.useSession(second.token, HERE)).toBeDefined()
    await accounts.endSession(caller)
    expect(await accounts.useSession(second.token, HERE)).toBeUndefined()
    expect(await accounts.listSessions(stranger)).toHaveLength(1)
    expect(await audited(accounts)).toEqual(
      expect.arrayContaining(['session.end', 'session.end', 'session.end-others']),
    )
  })

  it('are fifty at most of one person: what was used longest ago ends', async () => {
    const accounts = await open()
    const { token } = await accounts.firstLink()
    const first = await accounts.claimFirst(token, { ...RIGHT, name: 'Olive' }, HERE)
    let last = first
    for (let count = 0; count < 50; count += 1) {
      accounts.later(1)
      last = await accounts.signIn(RIGHT, HERE)
    }
    expect(await accounts.useSession(first.token, HERE)).toBeUndefined()
    expect(await accounts.listSessions(callerFrom(last))).toHaveLength(50)
  })

  it('end when their person is disabled, who can not sign in until enabled', async () => {
    const accounts = await open()
    await claim(accounts)
    const opened = await accounts.signIn(RIGHT, HERE)
    await accounts.disablePerson(SYSTEM, opened.session.person, true)
    expect(await accounts.useSession(opened.token, HERE)).toBeUndefined()
    await expect(accounts.listMembers(callerFrom(opened), 'org_default')).rejects.toMatchObject({ kind: 'not-found' })
    await expect(accounts.signIn(RIGHT, HERE)).rejects.toMatchObject({ kind: 'bad-key' })
    await accounts.disablePerson(SYSTEM, opened.session.person, false)
    expect(await accounts.useSession(opened.token, HERE)).toBeUndefined()
    await accounts.signIn(RIGHT, HERE)
  })

  it('are strong for fifteen minutes, then ask for the password, and have another token from then on', async () => {
    const accounts = await open()
    await claim(accounts)
    const opened = await accounts.signIn(RIGHT, HERE)
    const change = { name: 'Acme' }
    accounts.later(15 * 60_000)
    const caller = callerFrom(opened)
    await expect(accounts.changeOrganization(caller, 'org_default', change)).rejects.toMatchObject({
      kind: 'forbidden',
      param: 'session',
    })
    await expect(accounts.confirmByPassword(caller, 'not the password')).rejects.toMatchObject({ kind: 'bad-key' })
    const confirmed = await accounts.confirmByPassword(caller, PASSWORD)
    expect(confirmed.session).toMatchObject({
      id: opened.session.id,
      expiresAt: opened.session.expiresAt,
      strongAt: accounts.parts.now(),
    })
    expect(await accounts.useSession(opened.token, HERE)).toBeUndefined()
    expect(await accounts.useSession(confirmed.token, HERE)).toMatchObject({ id: opened.session.id })
    await accounts.changeOrganization(callerFrom(confirmed), 'org_default', change)
  })

  it('can not be used to try passwords for ever', async () => {
    const accounts = await open()
    const caller = await claim(accounts)
    for (let turn = 0; turn < 5; turn += 1)
      await expect(accounts.confirmByPassword(caller, `wrong ${turn}`)).rejects.toMatchObject({ kind: 'bad-key' })
    await expect(accounts.confirmByPassword(caller, PASSWORD)).rejects.toMatchObject({ kind: 'over-limit' })
    await expect(
      accounts.changePassword(caller, { current: PASSWORD, password: 'another password' }),
    ).rejects.toMatchObject({
      kind: 'over-limit',
    })
  })
})

describeStores(stores(), 'passwords in $name', ({ open }) => {
  it('are changed by whoever knows the present one, which ends all other sessions', async () => {
    const accounts = await open()
    await claim(accounts)
    const other = await accounts.signIn(RIGHT, HERE)
    const mine = await accounts.signIn(RIGHT, HERE)
    const link = await accounts.resetByOperator(SYSTEM, EMAIL)
    const caller = callerFrom(mine)
    const next = { current: PASSWORD, password: 'another password' }
    await expect(accounts.changePassword(caller, { ...next, current: 'wrong' })).rejects.toMatchObject({
      kind: 'bad-key',
    })
    await expect(accounts.changePassword(caller, { password: next.password })).rejects.toMatchObject({
      kind: 'bad-key',
    })
    await expect(accounts.changePassword(caller, { ...next, password: 'short' })).rejects.toMatchObject({
      param: 'password',
    })
    const renewed = await accounts.changePassword(caller, next)
    expect(await accounts.useSession(renewed.token, HERE)).toMatchObject({ id: mine.session.id })
    for (const { token } of [mine, other]) expect(await accounts.useSession(token, HERE)).toBeUndefined()
    await expect(accounts.signIn(RIGHT, HERE)).rejects.toMatchObject({ kind: 'bad-key' })
    await expect(accounts.resetPassword(link.token, PASSWORD, HERE)).rejects.toMatchObject({ kind: 'not-found' })
    await accounts.signIn({ email: EMAIL, password: next.password }, HERE)
  })

  it('are reset by a link, once, within an hour, which ends all sessions and the wait', async () => {
    const accounts = await open()
    const caller = await claim(accounts)
    expect(await accounts.forgotten('nobody@example.com', HERE)).toBeUndefined()
    const stale = await accounts.forgotten(EMAIL, HERE)
    accounts.later(3_600_000)
    await expect(accounts.resetPassword(stale?.token ?? '', 'another password', HERE)).rejects.toMatchObject({
      kind: 'not-found',
    })
    const link = await accounts.forgotten(' OWNER@example.com', HERE)
    expect(link).toMatchObject({ email: EMAIL })
    const token = link?.token ?? ''
    for (let turn = 0; turn < 5; turn += 1)
      await expect(accounts.signIn(WRONG, at(`192.0.2.1${turn}`))).rejects.toThrow()
    await expect(accounts.resetPassword(token, 'short', HERE)).rejects.toMatchObject({ param: 'password' })
    const results = await Promise.allSettled(
      [1, 2].map((n) => accounts.resetPassword(token, `another password ${n}`, HERE)),
    )
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await accounts.listSessions(caller)).toHaveLength(1)
    const winner = results[0]?.status === 'fulfilled' ? 1 : 2
    await accounts.signIn({ email: EMAIL, password: `another password ${winner}` }, at('192.0.2.99'))
  })

  it('of whom a link was asked for too often, or from one address, are waited for', async () => {
    const accounts = await open()
    await claim(accounts)
    for (let turn = 0; turn < 5; turn += 1) expect(await accounts.forgotten(EMAIL, at(`192.0.3.${turn}`))).toBeDefined()
    expect(await accounts.forgotten(EMAIL, at('192.0.3.9'))).toBeUndefined()
    for (let turn = 0; turn < 5; turn += 1) await accounts.countAsking(at('192.0.3.0'))
    await expect(accounts.countAsking(at('192.0.3.0'))).rejects.toMatchObject({ kind: 'over-limit' })
    await accounts.countAsking(at('192.0.3.1'))
  })

  it('are reset for a member by whoever manages them wherever they are', async () => {
    const accounts = await open()
    const owner = await claim(accounts)
    const admin = await join(accounts, 'admin', 'admin')
    const member = await join(accounts, 'member', 'member')
    await expect(accounts.resetLink(admin, 'org_default', owner.id)).rejects.toMatchObject({ kind: 'forbidden' })
    await expect(accounts.resetLink(member, 'org_default', admin.id)).rejects.toMatchObject({ kind: 'forbidden' })
    await expect(accounts.resetLink(NOBODY, 'org_default', admin.id)).rejects.toMatchObject({ kind: 'not-found' })
    // Admins would act as each other.
    const another = await join(accounts, 'admin', 'another')
    await expect(accounts.resetLink(another, 'org_default', admin.id)).rejects.toMatchObject({ kind: 'forbidden' })
    await expect(accounts.resetLink(admin, 'org_default', admin.id)).rejects.toMatchObject({ kind: 'forbidden' })
    await accounts.resetLink(owner, 'org_default', another.id)
    const { token } = await accounts.resetLink(admin, 'org_default', member.id)
    await accounts.resetPassword(token, 'another password', HERE)
    const other = await accounts.createOrganization(SYSTEM, 'Other')
    const { token: invite } = await accounts.invite(SYSTEM, other.id, { role: 'owner' })
    const again = callerFrom(await accounts.signIn({ email: 'member@example.com', password: 'another password' }, HERE))
    await accounts.joinByInvite(again, invite)
    await expect(accounts.resetLink(admin, 'org_default', member.id)).rejects.toMatchObject({ kind: 'forbidden' })
  })
})
