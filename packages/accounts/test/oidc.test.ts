import { describe, expect, it } from 'vitest'
import { createClients } from '../src/oidc/clients.ts'
import type { OidcProvider } from '../src/oidc/provider.ts'
import type { Caller } from '../src/roles/caller.ts'
import {
  audited,
  callerFrom,
  claim,
  describeStores,
  everything,
  HERE,
  join,
  NOBODY,
  type Opened,
  ORIGIN,
  openOver,
  PASSWORD,
  SYSTEM,
  stores,
} from './support/opened.ts'
import { CLIENT, type Lies, startProvider, type TestProvider } from './support/provider.ts'

const REDIRECT = `${ORIGIN}/api/v1/oidc/callback`
const ORG = 'org_default'

/** Accounts with a first person, and a provider whose people become members. */
async function opened(open: () => Promise<Opened>, settings: Partial<OidcProvider> = { defaultRole: 'member' }) {
  const provider = await startProvider()
  const { parts } = await open()
  const known: OidcProvider = { id: 'acme', name: 'Acme', issuer: provider.issuer, ...CLIENT, ...settings }
  const accounts = openOver(parts.connection, { oidc: [known] })
  return { accounts, provider, owner: await claim(accounts) }
}

function begin(accounts: Opened, caller: Caller = NOBODY, more: object = {}) {
  return accounts.beginOidc(caller, { provider: 'acme', redirectUri: REDIRECT, ...more })
}

/** The whole way, as a browser goes it. */
async function come(accounts: Opened, provider: TestProvider, caller: Caller = NOBODY) {
  const { url, flow } = await begin(accounts, caller)
  return accounts.finishOidc(caller, { flow, query: provider.visit(url) })
}

describeStores(stores(), 'sign-in at an OIDC provider in $name', ({ open }) => {
  it('sends no browser to anything but a web address', async () => {
    for (const authorization_endpoint of ['javascript:alert(1)', 'data:text/html,x', 'nonsense', 7, undefined]) {
      const { accounts, provider } = await opened(open)
      provider.lies = { metadata: { authorization_endpoint } }
      await expect(begin(accounts)).rejects.toMatchObject({ kind: 'upstream' })
    }
  })

  it('asks for a code, with PKCE, state and nonce, which the browser does not hold in clear', async () => {
    const { accounts, provider } = await opened(open)
    const { url, flow, expiresAt } = await begin(accounts)
    const { origin, searchParams } = new URL(url)
    expect(origin).toBe(provider.issuer)
    expect(Object.fromEntries(searchParams)).toMatchObject({
      response_type: 'code',
      client_id: 'headgate',
      redirect_uri: REDIRECT,
      scope: 'openid email profile',
      code_challenge_method: 'S256',
    })
    for (const name of ['state', 'nonce', 'code_challenge']) expect(flow).not.toContain(searchParams.get(name))
    expect(expiresAt).toBe(accounts.parts.now() + 600_000)
    expect(url).not.toContain(CLIENT.clientSecret)
  })

  it('makes an account for somebody new, and finds them by issuer and subject ever after', async () => {
    const { accounts, provider } = await opened(open)
    provider.claims = { sub: 'sub-1', name: 'Ada', email: 'ada@example.com', email_verified: true }
    const first = callerFrom(await come(accounts, provider))
    expect(await accounts.accountOf(first)).toMatchObject({
      name: 'Ada',
      email: 'ada@example.com',
      hasPassword: false,
      memberships: [{ organization: ORG, role: 'member' }],
    })
    provider.claims = { sub: 'sub-1', name: 'Ada Lovelace', email: 'elsewhere@example.com', email_verified: true }
    const again = callerFrom(await come(accounts, provider))
    expect(again.id).toBe(first.id)
    expect(await accounts.accountOf(again)).toMatchObject({ email: 'ada@example.com' })
    expect(await accounts.listIdentities(again)).toMatchObject([{ issuer: provider.issuer, subject: 'sub-1' }])
    expect(await audited(accounts)).toEqual(['person.create', 'person.create', 'session.create', 'session.create'])
    expect(await everything(accounts.parts)).not.toContain('access')
  })

  it('never takes over an account by its mail address', async () => {
    const { accounts, provider, owner } = await opened(open)
    provider.claims = { sub: 'sub-2', email: 'owner@example.com', email_verified: true }
    await expect(come(accounts, provider)).rejects.toMatchObject({ kind: 'conflict', param: 'email' })
    provider.claims = { sub: 'sub-2', name: 'Mallory', email: 'owner@example.com', email_verified: false }
    const mallory = callerFrom(await come(accounts, provider))
    expect(mallory.id).not.toBe(owner.id)
    expect(await accounts.accountOf(mallory)).not.toHaveProperty('email')
  })

  it('takes no mail address that is only nearly verified', async () => {
    const { accounts, provider } = await opened(open)
    for (const [index, verified] of ['true', 1, undefined].entries()) {
      provider.claims = { sub: `sub-${index}`, email: `new${index}@example.com`, email_verified: verified }
      expect(await accounts.accountOf(callerFrom(await come(accounts, provider)))).toMatchObject({
        name: 'Unnamed user',
      })
    }
    expect((await accounts.listPeople(SYSTEM)).filter(({ email }) => email !== undefined)).toHaveLength(1)
  })

  it('refuses a provider that lies', async () => {
    const { accounts, provider } = await opened(open)
    const past = Math.floor(Date.now() / 1_000) - 3_600
    const lies: Lies[] = [
      { claims: { nonce: 'another nonce' } },
      { claims: { nonce: undefined } },
      { claims: { aud: 'another client' } },
      { claims: { aud: ['headgate', 'another'], azp: 'another' } },
      { claims: { azp: 'another' } },
      { claims: { iss: 'https://elsewhere.example' } },
      { claims: { exp: past, iat: past - 60 } },
      { claims: { exp: undefined } },
      { claims: { sub: '' } },
      { claims: { sub: undefined } },
      { claims: { sub: 'x'.repeat(256) } },
      { claims: { sub: 'nul\0' } },
      { algorithm: 'none' },
      { algorithm: 'HS256' },
      { algorithm: 'HS256', secret: 'public key' },
      { keyId: 'another' },
      { keyId: 'another', otherKey: true },
      { keyId: null, otherKey: true },
      { claims: { iat: undefined } },
      { issuerOfAnswer: 'https://elsewhere.example' },
      { otherKey: true },
      { noIdToken: true },
      { userInfo: { sub: 'somebody else' } },
      { flood: '/token' },
      { flood: '/jwks' },
      { redirects: '/token' },
    ]
    for (const lie of lies) {
      // What keys there are is asked anew.
      const fresh = openOver(accounts.parts.connection, { oidc: accounts.parts.clients.providers })
      provider.lies = lie
      await expect(come(fresh, provider), JSON.stringify(lie)).rejects.toMatchObject({
        kind: 'bad-key',
        message: expect.stringMatching(/^Acme did not confirm your identity/),
      })
    }
    expect(provider.asked).not.toContain('/elsewhere')
    expect(await accounts.listPeople(SYSTEM)).toHaveLength(1)
    provider.lies = {}
    await come(accounts, provider)
  })

  it('says that a provider is away, or is another one than it says', async () => {
    const { accounts, provider } = await opened(open)
    for (const lie of [
      { issuer: 'https://elsewhere.example' },
      { flood: '/.well-known/openid-configuration' },
    ] as Lies[]) {
      provider.lies = lie
      const fresh = openOver(accounts.parts.connection, { oidc: accounts.parts.clients.providers })
      await expect(begin(fresh)).rejects.toMatchObject({ kind: 'upstream' })
    }
    provider.lies = {}
    await expect(accounts.beginOidc(NOBODY, { provider: 'other', redirectUri: REDIRECT })).rejects.toMatchObject({
      kind: 'not-found',
    })
  })

  it('waits for no provider that says nothing', { tags: ['full'] }, async () => {
    const { accounts, provider } = await opened(open)
    const { url, flow } = await begin(accounts)
    provider.lies = { silent: '/token' }
    await expect(accounts.finishOidc(NOBODY, { flow, query: provider.visit(url) })).rejects.toMatchObject({
      kind: 'bad-key',
    })
  })

  it('asks a provider for what it publishes once an hour', async () => {
    const { accounts, provider } = await opened(open)
    const count = () => provider.asked.filter((path) => path.startsWith('/.well-known')).length
    await Promise.all([begin(accounts), begin(accounts), begin(accounts)])
    expect(count()).toBe(1)
    accounts.later(3_600_000)
    await begin(accounts)
    expect(count()).toBe(2)
  })

  it('is finished in the browser in which it began, once, within ten minutes', async () => {
    const { accounts, provider } = await opened(open)
    const [mine, theirs] = [await begin(accounts), await begin(accounts)]
    const crossed = accounts.finishOidc(NOBODY, { flow: mine.flow, query: provider.visit(theirs.url) })
    await expect(crossed).rejects.toMatchObject({ kind: 'bad-key' })
    const query = provider.visit(theirs.url)
    const changed = `${theirs.flow.slice(0, -4)}AAAA`
    for (const flow of ['', 'v1.x.y', changed, undefined as never, 'x'.repeat(1e6)])
      await expect(accounts.finishOidc(NOBODY, { flow, query })).rejects.toMatchObject({ kind: 'not-found' })
    await accounts.finishOidc(NOBODY, { flow: theirs.flow, query })
    await expect(accounts.finishOidc(NOBODY, { flow: theirs.flow, query })).rejects.toMatchObject({ kind: 'not-found' })
    const late = await begin(accounts)
    accounts.later(600_000)
    await expect(
      accounts.finishOidc(NOBODY, { flow: late.flow, query: provider.visit(late.url) }),
    ).rejects.toMatchObject({
      kind: 'not-found',
    })
  })

  it('says what the provider refused, in no words of whoever made the address', async () => {
    const { accounts } = await opened(open)
    const { url, flow } = await begin(accounts)
    const state = new URL(url).searchParams.get('state')
    const query = `error=access_denied&error_description=${encodeURIComponent('<b>call 555</b>')}&state=${state}`
    const error: unknown = await accounts.finishOidc(NOBODY, { flow, query }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ kind: 'bad-key', message: expect.stringContaining('(access_denied)') })
    expect(String(error)).not.toContain('555')
  })

  it('comes back to the gateway and goes on to a path of it, and nowhere else', async () => {
    const { accounts, provider } = await opened(open)
    for (const redirectUri of [
      'https://elsewhere.example/',
      `${ORIGIN}.elsewhere.example/`,
      'nonsense',
      `${ORIGIN}@elsewhere.example`,
    ])
      await expect(begin(accounts, NOBODY, { redirectUri })).rejects.toMatchObject({ param: 'redirectUri' })
    for (const returnTo of [
      '//elsewhere.example',
      '/\\elsewhere.example',
      'https://elsewhere.example',
      'x',
      '/a\n',
      `/${'x'.repeat(500)}`,
    ])
      await expect(begin(accounts, NOBODY, { returnTo })).rejects.toMatchObject({ param: 'returnTo' })
    const { url, flow } = await begin(accounts, NOBODY, { returnTo: '/usage?by=model' })
    expect(await accounts.finishOidc(NOBODY, { flow, query: provider.visit(url) })).toMatchObject({
      returnTo: '/usage?by=model',
    })
  })

  it('gives the roles that groups say, anew each time, the highest of several', async () => {
    const roles = { staff: 'viewer', leads: 'admin' } as const
    const { accounts, provider } = await opened(open, { roles })
    const role = async () => (await accounts.accountOf(callerFrom(await come(accounts, provider)))).memberships[0]?.role
    provider.claims = { sub: 'a', groups: ['staff', 'leads', 'others', 7] }
    expect(await role()).toBe('admin')
    provider.claims = { sub: 'a', groups: 'staff' }
    expect(await role()).toBe('viewer')
    const [, member] = await accounts.listMembers(SYSTEM, ORG)
    await expect(accounts.changeRole(SYSTEM, ORG, member?.person ?? '', { role: 'admin' })).rejects.toMatchObject({
      kind: 'conflict',
    })
    provider.claims = { sub: 'a', groups: ['toString', '__proto__'] }
    await expect(come(accounts, provider)).rejects.toMatchObject({ kind: 'forbidden' })
    provider.claims = { sub: 'a', groups: ['leads'] }
    expect(await role()).toBe('admin')
    provider.claims = { sub: 'b' }
    await expect(come(accounts, provider)).rejects.toMatchObject({ kind: 'forbidden' })
  })

  it('makes no account where no role is configured, and lets nobody in who is disabled', async () => {
    const { accounts, provider, owner } = await opened(open, {})
    await expect(come(accounts, provider)).rejects.toMatchObject({ kind: 'forbidden' })
    await come(accounts, provider, owner)
    expect(callerFrom(await come(accounts, provider)).id).toBe(owner.id)
    await accounts.disablePerson(SYSTEM, owner.id, true)
    await expect(come(accounts, provider)).rejects.toMatchObject({ kind: 'forbidden' })
  })

  it('is added by somebody who is signed in and has shown who they are, in that session', async () => {
    const { accounts, provider } = await opened(open)
    const session = await accounts.signIn({ email: 'owner@example.com', password: PASSWORD }, HERE)
    const owner = callerFrom(session)
    const other = await join(accounts, 'member', 'other')
    const begun = await begin(accounts, owner)
    const query = provider.visit(begun.url)
    await expect(accounts.finishOidc(other, { flow: begun.flow, query })).rejects.toMatchObject({ kind: 'forbidden' })
    await expect(accounts.finishOidc(NOBODY, { flow: begun.flow, query })).rejects.toMatchObject({ kind: 'forbidden' })
    const renewed = await accounts.finishOidc(owner, { flow: begun.flow, query })
    expect(await accounts.useSession(session.token, HERE)).toBeUndefined()
    expect(await accounts.useSession(renewed.token, HERE)).toMatchObject({ id: owner.session })
    await expect(come(accounts, provider, other)).rejects.toMatchObject({ kind: 'conflict' })
    accounts.later(900_000)
    await expect(begin(accounts, owner)).rejects.toMatchObject({ param: 'session' })
  })

  it('is removed, but for the last way to sign in', async () => {
    const { accounts, provider, owner } = await opened(open)
    await come(accounts, provider, owner)
    const identity = { issuer: provider.issuer, subject: 'sub-1' }
    await accounts.removeIdentity(owner, identity)
    const alone = callerFrom(await come(accounts, provider))
    await expect(accounts.removeIdentity(owner, identity)).rejects.toMatchObject({ kind: 'not-found' })
    await expect(accounts.removeIdentity(alone, identity)).rejects.toMatchObject({ kind: 'conflict' })
    await accounts.changePassword(alone, { password: PASSWORD })
    await accounts.removeIdentity(alone, identity)
  })
})

describe('The configuration of an OIDC provider', () => {
  it('names an issuer that TLS protects, but for loopback', () => {
    const known = { id: 'acme', name: 'Acme', ...CLIENT }
    for (const issuer of [
      'http://elsewhere.example',
      'ftp://127.0.0.1',
      'nonsense',
      'http://127.0.0.1.elsewhere.example',
    ])
      expect(() => createClients([{ ...known, issuer }], Date.now)).toThrow('must be an https address')
    createClients([{ ...known, issuer: 'https://elsewhere.example/realms/a' }], Date.now)
  })
})
