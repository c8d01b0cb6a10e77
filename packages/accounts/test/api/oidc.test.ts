import { describe, expect, it } from 'vitest'
import type { OidcProvider } from '../../src/oidc/provider.ts'
import { openWorld } from '../support/api.ts'
import { SYSTEM } from '../support/opened.ts'
import { CLIENT, type Lies, startProvider } from '../support/provider.ts'

const DISCOVERY = '/.well-known/openid-configuration'

async function opened(settings: Partial<OidcProvider> = {}) {
  const provider = await startProvider()
  const acme: OidcProvider = { id: 'acme', name: 'Acme', issuer: provider.issuer, ...CLIENT, ...settings }
  return { provider, world: await openWorld({ oidc: [acme] }) }
}

describe('OIDC providers that are configured', () => {
  it('are told to owners, and never their secrets', async () => {
    const { world, provider } = await opened({ roles: { platform: 'admin' }, defaultRole: 'viewer' })
    const { body, text } = await world.owner.ask('GET', '/oidc')
    expect(body['items']).toEqual([
      {
        id: 'acme',
        name: 'Acme',
        issuer: provider.issuer,
        clientId: CLIENT.clientId,
        hasSecret: true,
        groupsClaim: 'groups',
        roles: { platform: 'admin' },
        defaultRole: 'viewer',
      },
    ])
    expect(text).not.toContain(CLIENT.clientSecret)
    for (const role of ['admin', 'member', 'viewer'] as const)
      expect((await (await world.person(role)).ask('GET', '/oidc')).status).toBe(403)
  })

  it('are those of the organization alone', async () => {
    const { world } = await opened()
    const other = await world.accounts.createOrganization(SYSTEM, 'Other')
    const stranger = await world.person('owner', other.id)
    expect((await stranger.ask('GET', '/oidc')).body['items']).toEqual([])
    expect((await stranger.ask('POST', '/oidc/acme/test')).status).toBe(404)
  })
})

describe('A test of an OIDC provider', () => {
  it('reads anew what it publishes', async () => {
    const { world, provider } = await opened()
    for (let time = 0; time < 2; time += 1)
      expect((await world.owner.ask('POST', '/oidc/acme/test')).body).toMatchObject({
        isUsable: true,
        authorization: `${provider.issuer}/authorize`,
        token: `${provider.issuer}/token`,
      })
    expect(provider.asked).toEqual([DISCOVERY, DISCOVERY])
  })

  it.each<[string, Lies, RegExp]>([
    ['another name', { issuer: 'https://elsewhere.example' }, /differs from `issuer`/],
    ['more than it can have to say', { flood: DISCOVERY }, /not an OIDC provider/],
    ['a way to elsewhere', { redirects: DISCOVERY }, /without a valid `\/.well-known/],
  ])('says why it is of no use: %s', async (_, lies, detail) => {
    const { world, provider } = await opened()
    provider.lies = lies
    const { status, body, text } = await world.owner.ask('POST', '/oidc/acme/test')
    expect([status, body['isUsable']]).toEqual([200, false])
    expect(body['detail'], text).toMatch(detail)
  })

  it('says that nothing answers', async () => {
    const { world } = await opened({ issuer: 'http://127.0.0.1:1' })
    const { body } = await world.owner.ask('POST', '/oidc/acme/test')
    expect(body).toMatchObject({
      isUsable: false,
      detail: expect.stringMatching(/No server responds at `issuer`|cannot be reached/),
    })
  })
})
