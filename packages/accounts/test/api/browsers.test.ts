import { z } from '@hono/zod-openapi'
import { describe, expect, it, vi } from 'vitest'
import { ROUTES } from '../../src/api/routes.ts'
import { type Answered, cookieOf, ORG, openWorld, type World } from '../support/api.ts'
import { createAuthenticator } from '../support/authenticator.ts'
import { HERE, ORIGIN, PASSWORD, SYSTEM } from '../support/opened.ts'
import { CLIENT, startProvider } from '../support/provider.ts'

const EMAIL = 'ada@example.com'

async function addAda({ accounts }: World): Promise<void> {
  const { token } = await accounts.addByOperator(SYSTEM, { email: EMAIL, name: 'Ada', role: 'admin' })
  await accounts.resetPassword(token, PASSWORD, HERE)
}

/** The session that a browser has by a cookie. */
async function whoIs(world: World, cookie: string): Promise<Answered> {
  return world.nobody.ask('GET', '/me', { headers: { cookie } })
}

type WayIn = (world: World) => Promise<(cookie: string) => Promise<Answered>>

let count = 0
const fresh = (): string => `new${++count}@example.com`

async function providerOf(name: string) {
  const provider = await startProvider()
  provider.claims = { sub: name, name }
  visit = provider.visit
  return { id: 'idp', name: 'IdP', issuer: provider.issuer, ...CLIENT, defaultRole: 'member' as const }
}

/** What a browser does at the provider that was started last. */
let visit = (_: string): string => ''

const asked = (world: World, path: string, body: object, cookie: string): Promise<Answered> =>
  world.nobody.ask('POST', path, { body, headers: { cookie } })

/** How people come in who hold nothing, by the ids of the routes. */
const WAYS_IN: Readonly<Record<string, WayIn>> = {
  signIn: async (world) => {
    await addAda(world)
    return (cookie) => asked(world, '/sign-in', { email: EMAIL, password: PASSWORD }, cookie)
  },
  reset: async (world) => {
    await addAda(world)
    return async (cookie) => {
      const { token } = await world.accounts.resetByOperator(SYSTEM, EMAIL)
      return asked(world, '/reset', { token, password: PASSWORD }, cookie)
    }
  },
  finishSignUp: async (world) => {
    await world.accounts.changeOrganization(SYSTEM, ORG, { signUp: 'open' })
    return async (cookie) => {
      const { link } = await world.accounts.requestSignUp(fresh(), {})
      return asked(world, '/sign-up/finish', { token: link?.token, name: 'Eve', password: PASSWORD }, cookie)
    }
  },
  acceptInvite: async (world) => async (cookie) => {
    const { token } = await world.accounts.invite(SYSTEM, ORG, { role: 'member' })
    return asked(world, '/invites/accept', { token, email: fresh(), name: 'Eve', password: PASSWORD }, cookie)
  },
  signInByPasskey: async (world) => {
    const who = await world.person('member')
    const authenticator = createAuthenticator(ORIGIN)
    const begun = await who.ask('POST', '/passkeys/begin')
    const response = authenticator.register(begun.body['options'] as never)
    const held = `headgate=${who.token}; headgate-flow=${cookieOf(begun, 'headgate-flow')}`
    expect((await asked(world, '/passkeys', { name: 'Mine', response }, held)).status).toBe(201)
    return async (cookie) => {
      const ask = await world.nobody.ask('POST', '/passkeys/ask')
      const proof = authenticator.answer(ask.body['options'] as never)
      return asked(
        world,
        '/passkeys/sign-in',
        { response: proof },
        `${cookie}; headgate-flow=${cookieOf(ask, 'headgate-flow')}`,
      )
    }
  },
  finishOidc: async (world) => async (cookie) => {
    const begun = await world.nobody.ask('POST', '/oidc/begin', { body: { provider: 'idp' } })
    const query = visit(String(begun.body['url']))
    return asked(world, '/oidc/finish', { query }, `${cookie}; headgate-flow=${cookieOf(begun, 'headgate-flow')}`)
  },
}

describe('A browser', () => {
  it('holds its session in a cookie that no page reads and no other site sends', async () => {
    const world = await openWorld()
    await addAda(world)
    const answered = await world.nobody.ask('POST', '/sign-in', { body: { email: EMAIL, password: PASSWORD } })
    expect([answered.status, answered.body]).toEqual([
      200,
      { session: { id: expect.any(String), person: expect.any(String), expiresAt: expect.any(Number) } },
    ])
    const [cookie] = answered.headers.getSetCookie()
    expect(cookie).toMatch(/^headgate=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/)
    expect(answered.text).not.toContain(cookieOf(answered, 'headgate'))
    const device = cookieOf(answered, 'headgate-device')
    expect(answered.headers.getSetCookie()[1]).toMatch(
      /^headgate-device=[\w.-]+; Path=\/; Max-Age=34[\d]{6}; HttpOnly; SameSite=Lax$/,
    )
    const signIn = (password: string, cookie = '') => asked(world, '/sign-in', { email: EMAIL, password }, cookie)
    for (let turn = 0; turn < 5; turn += 1) expect((await signIn('wrong password')).status).toBe(401)
    expect((await signIn(PASSWORD)).status).toBe(429)
    expect((await signIn(PASSWORD, `headgate-device=${device}`)).status).toBe(200)
    expect((await whoIs(world, `headgate=${cookieOf(answered, 'headgate')}`)).body).toMatchObject({ email: EMAIL })
  })

  it('holds it for this host alone behind TLS', async () => {
    const world = await openWorld({ origins: ['https://headgate.example'] })
    await addAda(world)
    const answered = await world.nobody.ask('POST', '/sign-in', { body: { email: EMAIL, password: PASSWORD } })
    expect(answered.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-headgate=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure$/),
      expect.stringMatching(
        /^__Host-headgate-device=[\w.-]+; Path=\/; Max-Age=34\d{6}; HttpOnly; SameSite=Lax; Secure$/,
      ),
    ])
    const token = cookieOf(answered, '__Host-headgate')
    expect((await whoIs(world, `headgate=${token}`)).status).toBe(401)
    expect((await whoIs(world, `a=b; __Host-headgate=${token}`)).status).toBe(200)
  })

  it('is given a session of its own at each sign-in, whatever it had before', async () => {
    const world = await openWorld()
    await addAda(world)
    const planted = await world.person('viewer')
    const cookie = `headgate=${planted.token}`
    const answered = await world.nobody.ask('POST', '/sign-in', {
      body: { email: EMAIL, password: PASSWORD },
      headers: { cookie },
    })
    const token = cookieOf(answered, 'headgate')
    expect(token).not.toBe(planted.token)
    // Whoever planted it has nothing.
    expect((await whoIs(world, cookie)).status).toBe(401)
    expect((await whoIs(world, `headgate=${token}`)).body).toMatchObject({ email: EMAIL })
    const made = 'x'.repeat(43)
    const other = await world.nobody.ask('POST', '/sign-in', {
      body: { email: EMAIL, password: PASSWORD },
      headers: { cookie: `headgate=${made}` },
    })
    expect(cookieOf(other, 'headgate')).not.toBe(made)
  })

  it.each(Object.entries(WAYS_IN))(
    'is given a session of its own by %s, and none that was planted',
    async (_, wayIn) => {
      const world = await openWorld({ oidc: [await providerOf('Ada')] })
      const planted = await world.person('viewer')
      const way = await wayIn(world)
      for (const held of ['x'.repeat(43), planted.token]) {
        const answered = await way(`headgate=${held}`)
        expect(answered.status, answered.text).toBeLessThan(300)
        const token = cookieOf(answered, 'headgate')
        expect(token).toMatch(/^[\w-]{43}$/)
        expect(token).not.toBe(held)
        const { person } = answered.body['session'] as unknown as { person: string }
        expect(person).not.toBe(planted.id)
        expect((await whoIs(world, `headgate=${token}`)).body).toMatchObject({ id: person })
        // Whoever planted it is at most who they were.
        const { status, body } = await whoIs(world, `headgate=${held}`)
        expect(status === 401 || body['id'] === planted.id).toBe(true)
      }
    },
  )

  it('has no other way in', () => {
    const opening = ROUTES.filter(
      ({ by, answer }) => by.includes('nothing') && answer instanceof z.ZodObject && 'session' in answer.shape,
    )
    // Before the first account there is no session to be planted.
    expect(opening.map(({ id }) => id).sort()).toEqual([...Object.keys(WAYS_IN), 'claimFirst'].sort())
  })

  it('gets another cookie whenever its session has another token', async () => {
    const world = await openWorld()
    let who = await world.person('member')
    const { token: invite } = await world.accounts.invite(
      SYSTEM,
      (await world.accounts.createOrganization(SYSTEM, 'Other')).id,
      {
        role: 'viewer',
      },
    )
    for (const [path, body] of [
      ['/confirm', { password: PASSWORD }],
      ['/password', { current: PASSWORD, password: `${PASSWORD}!` }],
      ['/invites/join', { token: invite }],
    ] as const) {
      const answered = await who.ask('POST', path, { body })
      expect(answered.status, answered.text).toBe(200)
      const token = cookieOf(answered, 'headgate') ?? ''
      expect(token).not.toBe(who.token)
      expect((await who.ask('GET', '/me')).status).toBe(401)
      who = world.by({ token, session: { ...who.caller, id: who.caller.session, person: who.id } as never })
      expect((await who.ask('GET', '/me')).status).toBe(200)
    }
    const out = await who.ask('POST', '/sign-out')
    expect([out.status, cookieOf(out, 'headgate')]).toEqual([204, ''])
    expect((await who.ask('GET', '/me')).status).toBe(401)
  })

  it('keeps its session where a password is wrong', async () => {
    const world = await openWorld()
    const who = await world.person('member')
    for (const [path, body] of [
      ['/confirm', { password: 'wrong' }],
      ['/password', { current: 'wrong', password: `${PASSWORD}!` }],
      ['/sign-in', { email: 'nobody@example.com', password: 'wrong' }],
    ] as const) {
      const { status, headers } = await who.ask('POST', path, { body })
      expect([path, status, headers.getSetCookie()]).toEqual([path, 401, []])
    }
  })

  it('is nobody by a cookie that was changed', async () => {
    const world = await openWorld()
    const { token } = world.owner
    const other = `${token.startsWith('A') ? 'B' : 'A'}${token.slice(1)}`
    for (const held of [
      other,
      `${token}A`,
      token.slice(0, 42),
      '',
      `${token}%00`,
      `"${token}"`,
      "' OR 1=1 --",
      token.toLowerCase(),
    ])
      expect((await whoIs(world, `headgate=${held}`)).status, held).toBe(401)
    // Another site of the domain can set one before ours; then it is nobody's.
    expect((await whoIs(world, `headgate=${other}; headgate=${token}`)).status).toBe(401)
    expect((await whoIs(world, `headgate=${token}; x=${'y'.repeat(20_000)}`)).status).toBe(401)
  })

  it('is not looked at where a key is sent', async () => {
    const world = await openWorld()
    const cookie = `headgate=${world.owner.token}`
    for (const authorization of ['Bearer sk-hg-nobodys', 'Basic dTpw', 'Bearer', ''])
      expect(
        (await world.nobody.ask('GET', '/organization', { headers: { cookie, authorization } })).status,
        authorization,
      ).toBe(401)
    const { key } = await world.accounts.createKey(world.owner.caller, ORG, { scopes: ['admin'] })
    const asked = await world.nobody.ask('GET', '/me', { headers: { cookie, authorization: `Bearer ${key}` } })
    expect(asked.status).toBe(403)
    const project = await world.nobody.ask('POST', '/projects', {
      body: { name: 'By a key' },
      headers: { cookie, authorization: `Bearer ${key}` },
    })
    expect(project.status, project.text).toBe(201)
    expect(await world.accounts.auditPage(SYSTEM, ORG)).toContainEqual(
      expect.objectContaining({ action: 'project.create', actor: { kind: 'key', id: expect.any(String) } }),
    )
  })

  it('is asked by a passkey, with what it holds in between in a cookie', async () => {
    const world = await openWorld()
    const who = await world.person('member')
    const authenticator = createAuthenticator(ORIGIN)
    const begun = await who.ask('POST', '/passkeys/begin')
    const flow = `headgate-flow=${cookieOf(begun, 'headgate-flow')}`
    expect(begun.text).not.toContain(cookieOf(begun, 'headgate-flow'))
    const response = authenticator.register(begun.body['options'] as never)
    const cookie = `headgate=${who.token}; ${flow}`
    const added = await world.nobody.ask('POST', '/passkeys', { body: { name: 'Mine', response }, headers: { cookie } })
    expect([added.status, cookieOf(added, 'headgate-flow')], added.text).toEqual([201, ''])
    const asked = await world.nobody.ask('POST', '/passkeys/ask')
    const held = `headgate-flow=${cookieOf(asked, 'headgate-flow')}`
    const proof = authenticator.answer(asked.body['options'] as never)
    const stolen = await world.nobody.ask('POST', '/passkeys/sign-in', { body: { response: proof } })
    expect(stolen.status).toBe(404)
    const signedIn = await world.nobody.ask('POST', '/passkeys/sign-in', {
      body: { response: proof },
      headers: { cookie: held },
    })
    expect(signedIn.status, signedIn.text).toBe(200)
    expect((await whoIs(world, `headgate=${cookieOf(signedIn, 'headgate')}`)).body).toMatchObject({ id: who.id })
    const again = await world.nobody.ask('POST', '/passkeys/sign-in', {
      body: { response: proof },
      headers: { cookie: held },
    })
    expect(again.status).toBe(404)
  })

  it('is signed in by a provider, in the browser that began it', async () => {
    const provider = await startProvider()
    provider.claims = { sub: 'ada', name: 'Ada' }
    const oidc = [{ id: 'idp', name: 'IdP', issuer: provider.issuer, ...CLIENT, defaultRole: 'member' as const }]
    const world = await openWorld({ oidc })
    const begun = await world.nobody.ask('POST', '/oidc/begin', { body: { provider: 'idp', returnTo: '/keys' } })
    expect(begun.status, begun.text).toBe(200)
    const url = String(begun.body['url'])
    expect(new URL(url).searchParams.get('redirect_uri')).toBe(`${ORIGIN}/sign-in/oidc`)
    const query = provider.visit(url)
    expect((await world.nobody.ask('POST', '/oidc/finish', { body: { query } })).status).toBe(404)
    const cookie = `headgate-flow=${cookieOf(begun, 'headgate-flow')}`
    const done = await world.nobody.ask('POST', '/oidc/finish', { body: { query }, headers: { cookie } })
    expect([done.status, done.body['returnTo']], done.text).toEqual([200, '/keys'])
    expect((await whoIs(world, `headgate=${cookieOf(done, 'headgate')}`)).body).toMatchObject({ name: 'Ada' })
  })
})

describe('Somebody who is not signed in', () => {
  it('learns not who has an account, by what is answered', async () => {
    const world = await openWorld()
    await addAda(world)
    await world.accounts.changeOrganization(world.owner.caller, ORG, { signUp: 'open' })
    const ask = async (path: string, body: object): Promise<unknown> => {
      const { status, text, headers } = await world.nobody.ask('POST', path, { body })
      const { date: _, 'x-request-id': __, ...kept } = Object.fromEntries(headers)
      return [status, text.replace(/req_[0-9a-f]{32}/, 'req'), kept]
    }
    const wrong = { password: 'not the right password' }
    expect(await ask('/sign-in', { email: EMAIL, ...wrong })).toEqual(
      await ask('/sign-in', { email: 'eve@example.com', ...wrong }),
    )
    expect(await ask('/sign-in', { email: EMAIL, ...wrong })).toEqual(
      await ask('/sign-in', { email: 'no address', ...wrong }),
    )
    world.accounts.later(86_400_000)
    expect(await ask('/forgot', { email: EMAIL })).toEqual(await ask('/forgot', { email: 'eve@example.com' }))
    world.accounts.later(86_400_000)
    expect(await ask('/sign-up', { email: EMAIL })).toEqual(await ask('/sign-up', { email: 'eve@example.com' }))
    await vi.waitUntil(() => world.mails.length === 3)
    expect(world.mails.map(({ to, kind }) => [to, kind])).toEqual(
      expect.arrayContaining([
        [EMAIL, 'reset'],
        [EMAIL, 'known'],
        ['eve@example.com', 'sign-up'],
      ]),
    )
    expect(world.mails.find(({ kind }) => kind === 'reset')?.link).toMatch(
      /^http:\/\/localhost:8787\/#\/reset\?token=[\w-]{43}$/,
    )
  })

  it('waits for nothing that takes another time where there is an account', async () => {
    const never = () => new Promise<never>(() => {})
    const { accounts } = await openWorld()
    const world = await openWorld({
      parts: { accounts: { ...accounts, providers: [], close: never, forgotten: never, requestSignUp: never } },
    })
    await accounts.changeOrganization(SYSTEM, ORG, { signUp: 'open' })
    for (const path of ['/forgot', '/sign-up'])
      expect((await world.nobody.ask('POST', path, { body: { email: EMAIL } })).status).toBe(202)
  })

  it('does not wait for a mail that is sent', async () => {
    const world = await openWorld({ parts: { mail: () => new Promise(() => {}) } })
    await addAda(world)
    expect((await world.nobody.ask('POST', '/forgot', { body: { email: EMAIL } })).status).toBe(202)
  })

  it.each(['/forgot', '/sign-up'])('is slowed down after asking five times for a mail: %s', async (path) => {
    const world = await openWorld()
    await world.accounts.changeOrganization(SYSTEM, ORG, { signUp: 'open' })
    const ask = (nth: number) => world.nobody.ask('POST', path, { body: { email: `n${nth}@example.com` } })
    for (let tries = 0; tries < 5; tries += 1) expect((await ask(tries)).status).toBe(202)
    const { status, headers } = await ask(6)
    expect([status, headers.get('retry-after')]).toEqual([429, '1'])
  })

  it('is slowed down after five failures, and told for how long', async () => {
    const world = await openWorld()
    const body = { email: EMAIL, password: 'wrong wrong wrong' }
    for (let tries = 0; tries < 5; tries += 1)
      expect((await world.nobody.ask('POST', '/sign-in', { body })).status).toBe(401)
    const { status, headers } = await world.nobody.ask('POST', '/sign-in', { body })
    expect([status, headers.get('retry-after')]).toEqual([429, '1'])
  })
})
