import { generateKeyPairSync } from 'node:crypto'
import { expect, it } from 'vitest'
import type { Caller } from '../src/roles/caller.ts'
import { createAuthenticator, type Oddities } from './support/authenticator.ts'
import {
  audited,
  callerFrom,
  claim,
  describeStores,
  HERE,
  join,
  NOBODY,
  type Opened,
  ORIGIN,
  PASSWORD,
  SYSTEM,
  stores,
} from './support/opened.ts'

/** Somebody with a passkey. */
async function opened(open: () => Promise<Opened>) {
  const accounts = await open()
  const owner = await claim(accounts)
  const authenticator = createAuthenticator(ORIGIN)
  await add(accounts, owner, authenticator)
  return { accounts, owner, authenticator }
}

async function add(accounts: Opened, caller: Caller, authenticator = createAuthenticator(ORIGIN), odd: Oddities = {}) {
  const { options, flow } = await accounts.beginPasskey(caller, ORIGIN)
  return accounts.finishPasskey(caller, { flow, response: authenticator.register(options, odd), name: 'My laptop' })
}

async function use(accounts: Opened, authenticator: ReturnType<typeof createAuthenticator>, odd: Oddities = {}) {
  const { options, flow } = await accounts.askForPasskey(ORIGIN)
  return { flow, response: authenticator.answer(options, odd) }
}

describeStores(stores(), 'a passkey in $name', ({ open }) => {
  it('is added by somebody who has shown who they are, and signs them in', async () => {
    const { accounts, owner, authenticator } = await opened(open)
    expect(await accounts.listPasskeys(owner)).toEqual([
      { id: authenticator.id, name: 'My laptop', createdAt: accounts.parts.now() },
    ])
    const before = await accounts.signIn({ email: 'owner@example.com', password: PASSWORD }, HERE)
    const { session } = await accounts.signInByPasskey(
      { ...(await use(accounts, authenticator)), before: before.token },
      HERE,
    )
    expect(session).toMatchObject({ person: owner.id, method: 'passkey' })
    expect(await accounts.useSession(before.token, HERE)).toBeUndefined()
    expect(await accounts.listPasskeys(owner)).toMatchObject([{ usedAt: accounts.parts.now() }])
    expect(await audited(accounts)).toEqual(expect.arrayContaining(['passkey.add', 'session.create']))
    accounts.later(900_000)
    await expect(accounts.beginPasskey(owner, ORIGIN)).rejects.toMatchObject({ param: 'session' })
    await expect(accounts.beginPasskey(NOBODY, ORIGIN)).rejects.toMatchObject({ kind: 'forbidden' })
  })

  it('is asked for of whoever comes, so that nobody learns who has one', async () => {
    const { accounts } = await opened(open)
    const { options, expiresAt } = await accounts.askForPasskey(ORIGIN)
    expect(options).toMatchObject({ rpId: 'localhost', userVerification: 'required' })
    expect(options.allowCredentials ?? []).toEqual([])
    expect(expiresAt).toBe(accounts.parts.now() + 300_000)
  })

  it('opens nothing by an answer that is not its own, or not to what was asked', async () => {
    const { accounts, authenticator } = await opened(open)
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
    const odd: Oddities[] = [
      { key: other },
      { challenge: 'AAAA' },
      { origin: 'http://localhost:9999' },
      { origin: 'https://elsewhere.example' },
      { type: 'webauthn.create' },
      { rpId: 'elsewhere.example' },
      { isUnverified: true },
      { userHandle: 'c29tZWJvZHk' },
      { credential: 'AAAA' },
      { credential: '' },
      { credential: 'x'.repeat(9_999) },
    ]
    for (const one of odd)
      await expect(
        accounts.signInByPasskey(await use(accounts, authenticator, one), HERE),
        JSON.stringify(one),
      ).rejects.toMatchObject({
        kind: 'bad-key',
      })
    for (const response of [
      undefined,
      null,
      {},
      { id: authenticator.id },
      { id: authenticator.id, response: { clientDataJSON: 'x' } },
    ]) {
      const { flow } = await accounts.askForPasskey(ORIGIN)
      await expect(accounts.signInByPasskey({ flow, response: response as never }, HERE)).rejects.toMatchObject({
        kind: 'bad-key',
      })
    }
    await accounts.signInByPasskey(await use(accounts, authenticator, { counter: 9 }), HERE)
  })

  it('answers once, within five minutes, in the browser that was asked', async () => {
    const { accounts, authenticator } = await opened(open)
    const answer = await use(accounts, authenticator)
    const both = await Promise.allSettled([
      accounts.signInByPasskey(answer, HERE),
      accounts.signInByPasskey(answer, HERE),
    ])
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await expect(accounts.signInByPasskey(answer, HERE)).rejects.toMatchObject({ kind: 'not-found' })
    const { flow } = await accounts.askForPasskey(ORIGIN)
    await expect(
      accounts.signInByPasskey({ ...(await use(accounts, authenticator)), flow }, HERE),
    ).rejects.toMatchObject({
      kind: 'bad-key',
    })
    const late = await use(accounts, authenticator)
    accounts.later(300_000)
    await expect(accounts.signInByPasskey(late, HERE)).rejects.toMatchObject({ kind: 'not-found' })
  })

  it('that counts back is a copy, and opens nothing; one that does not count is none', async () => {
    const { accounts, owner, authenticator } = await opened(open)
    await accounts.signInByPasskey(await use(accounts, authenticator, { counter: 7 }), HERE)
    for (const counter of [7, 6, 0])
      await expect(
        accounts.signInByPasskey(await use(accounts, authenticator, { counter }), HERE),
      ).rejects.toMatchObject({
        kind: 'bad-key',
      })
    const still = createAuthenticator(ORIGIN)
    await add(accounts, owner, still, { counter: 0 })
    for (let turn = 0; turn < 3; turn += 1)
      await accounts.signInByPasskey(await use(accounts, still, { counter: 0 }), HERE)
  })

  it('is added in the session in which that began, once, and by a real answer', async () => {
    const { accounts, owner } = await opened(open)
    const other = await join(accounts, 'owner', 'other')
    const authenticator = createAuthenticator(ORIGIN)
    const { options, flow } = await accounts.beginPasskey(owner, ORIGIN)
    const response = authenticator.register(options)
    await expect(accounts.finishPasskey(other, { flow, response, name: 'Mine' })).rejects.toMatchObject({
      kind: 'forbidden',
    })
    for (const odd of [
      { challenge: 'AAAA' },
      { origin: 'https://elsewhere.example' },
      { rpId: 'elsewhere.example' },
      { isUnverified: true },
    ])
      await expect(add(accounts, owner, createAuthenticator(ORIGIN), odd)).rejects.toMatchObject({
        kind: 'invalid-request',
      })
    await expect(accounts.finishPasskey(owner, { flow, response: {} as never, name: 'Mine' })).rejects.toMatchObject({
      param: 'response',
    })
    await accounts.finishPasskey(owner, { flow, response, name: 'Mine' })
    await expect(accounts.finishPasskey(owner, { flow, response, name: 'Mine' })).rejects.toMatchObject({
      kind: 'not-found',
    })
    await expect(add(accounts, other, authenticator)).rejects.toMatchObject({ kind: 'conflict' })
    const { flow: used } = await accounts.askForPasskey(ORIGIN)
    await expect(accounts.finishPasskey(owner, { flow: used, response, name: 'Mine' })).rejects.toMatchObject({
      kind: 'not-found',
    })
  })

  it('shows once more who asks, and nobody else', async () => {
    const { accounts, owner, authenticator } = await opened(open)
    const other = await join(accounts, 'member', 'other')
    accounts.later(900_000)
    await expect(accounts.confirmByPasskey(other, await use(accounts, authenticator))).rejects.toMatchObject({
      kind: 'bad-key',
    })
    const confirmed = await accounts.confirmByPasskey(owner, await use(accounts, authenticator))
    expect(confirmed.session).toMatchObject({ id: owner.session, strongAt: accounts.parts.now() })
    await accounts.changeOrganization(callerFrom(confirmed), 'org_default', { name: 'Acme' })
  })

  it('is renamed and removed by its owner alone, but for the last way to sign in', async () => {
    const { accounts, owner, authenticator } = await opened(open)
    const other = await join(accounts, 'owner', 'other')
    await expect(accounts.removePasskey(other, authenticator.id)).rejects.toMatchObject({ kind: 'not-found' })
    await expect(accounts.renamePasskey(other, authenticator.id, 'Mine')).rejects.toMatchObject({ kind: 'not-found' })
    await accounts.renamePasskey(owner, authenticator.id, 'Phone')
    expect(await accounts.listPasskeys(owner)).toMatchObject([{ name: 'Phone' }])
    await accounts.parts.connection.db
      .updateTable('people')
      .set({ password: null })
      .where('id', '=', owner.id)
      .execute()
    await expect(accounts.removePasskey(owner, authenticator.id)).rejects.toMatchObject({ kind: 'conflict' })
    await accounts.changePassword(owner, { password: PASSWORD })
    await accounts.removePasskey(owner, authenticator.id)
    await expect(accounts.signInByPasskey(await use(accounts, authenticator), HERE)).rejects.toMatchObject({
      kind: 'bad-key',
    })
  })

  it('of somebody who is disabled opens nothing', async () => {
    const { accounts, owner, authenticator } = await opened(open)
    await accounts.disablePerson(SYSTEM, owner.id, true)
    await expect(accounts.signInByPasskey(await use(accounts, authenticator), HERE)).rejects.toMatchObject({
      kind: 'bad-key',
    })
  })

  it('belongs to a name: a number has none', async () => {
    const accounts = await open({ parts: { origins: ['http://127.0.0.1:8787', 'http://[::1]:8787', ORIGIN] } })
    for (const origin of ['http://127.0.0.1:8787', 'http://[::1]:8787'])
      await expect(accounts.askForPasskey(origin)).rejects.toMatchObject({
        message: expect.stringContaining('http://localhost'),
      })
    await expect(accounts.askForPasskey('https://elsewhere.example')).rejects.toMatchObject({ param: 'origin' })
  })
})
