import { describe, expect, it } from 'vitest'
import { ORG, openWorld, type Signed } from '../support/api.ts'
import { SYSTEM } from '../support/opened.ts'

interface Listed {
  readonly items: readonly { readonly id: string; readonly name: string; readonly isTeams: boolean }[]
}

const view = (name: string, more: object = {}) => ({
  body: { page: 'requests', name, search: 'outcome=failed&sort=cost', ...more },
})

async function namesFor(who: Signed): Promise<readonly string[]> {
  const { body } = await who.ask('GET', '/views?page=requests')
  return (body as unknown as Listed).items.map(({ name, isTeams }) => (isTeams ? `${name} (team)` : name))
}

describe('Saved views', () => {
  it('are of the person who saved them, or of the team', async () => {
    const world = await openWorld()
    const [member, other] = [await world.person('member'), await world.person('viewer')]
    const saved = await member.ask('PUT', '/views', view('Failures'))
    expect([saved.status, saved.body]).toMatchObject([200, { name: 'Failures', search: 'outcome=failed&sort=cost' }])
    expect((await world.owner.ask('PUT', '/views', view('Weekly', { isTeams: true }))).status).toBe(200)
    expect([await namesFor(member), await namesFor(other)]).toEqual([['Failures', 'Weekly (team)'], ['Weekly (team)']])
    // The view of another person does not exist for anyone else, not even for an owner.
    const path = `/views/${saved.body['id']}`
    for (const who of [other, world.owner]) expect((await who.ask('DELETE', path)).status).toBe(404)
    expect((await member.ask('DELETE', path)).status).toBe(204)
    expect(await namesFor(member)).toEqual(['Weekly (team)'])
  })

  it('of the team are changed by owners and admins, and are in the audit log', async () => {
    const world = await openWorld()
    const [member, admin] = [await world.person('member'), await world.person('admin')]
    expect((await member.ask('PUT', '/views', view('Weekly', { isTeams: true }))).status).toBe(403)
    const { body } = await admin.ask('PUT', '/views', view('Weekly', { isTeams: true }))
    const path = `/views/${body['id']}`
    expect((await member.ask('DELETE', path)).status).toBe(403)
    expect((await world.owner.ask('DELETE', path)).status).toBe(204)
    const audit = await world.owner.ask('GET', '/audit?action=view')
    const acts = (audit.body as unknown as { items: readonly { action: string }[] }).items.map(({ action }) => action)
    expect(acts.sort()).toEqual(['view.remove', 'view.save'])
  })

  it('replace a view of the same name, and are at most 100', async () => {
    const world = await openWorld()
    const member = await world.person('member')
    for (let index = 0; index < 100; index += 1) await member.ask('PUT', '/views', view(`View ${index}`))
    expect((await member.ask('PUT', '/views', view('View 7', { search: 'model=a' }))).body['search']).toBe('model=a')
    expect((await namesFor(member)).length).toBe(100)
    expect((await member.ask('PUT', '/views', view('One more'))).status).toBe(409)
  })

  it('are not seen in another organization, and end with the membership', async () => {
    const world = await openWorld()
    const member = await world.person('member')
    const { body } = await member.ask('PUT', '/views', view('Failures'))
    const elsewhere = await world.accounts.createOrganization(SYSTEM, 'Other')
    const stranger = await world.person('owner', elsewhere.id)
    expect((await stranger.ask('DELETE', `/views/${body['id']}`)).status).toBe(404)
    expect((await stranger.ask('GET', `/views?page=requests&organization=${ORG}`)).status).toBe(404)
    await world.accounts.removeMember(world.owner.caller, ORG, member.id)
    const { db } = world.accounts.parts.connection
    expect(await db.selectFrom('saved_views').select('id').execute()).toEqual([])
  })

  it('have no control characters, and a bounded length', async () => {
    const { owner } = await openWorld()
    for (const more of [{ search: 'a\nb' }, { search: 'x'.repeat(4_001) }, { name: '' }, { page: 'keys' }])
      expect((await owner.ask('PUT', '/views', view('x', more))).status).toBe(400)
  })
})
