import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ApiRoute } from '../../src/api/route.ts'
import { ROUTES } from '../../src/api/routes.ts'
import { may, ROLES } from '../../src/roles/roles.ts'
import { type Asker, ORG, openWorldFor, type Signed, type World } from '../support/api.ts'
import { SYSTEM } from '../support/opened.ts'
import { addressOf, SAMPLES, type Sample } from '../support/samples.ts'

let world: World
let stranger: Signed
let [adminKey, plainKey] = ['', '']
/** Keys with the scope `admin` of somebody who has become a member, a viewer, nobody, or who is disabled. */
const former = new Map<string, string>()

const named = ROUTES.map((route) => ({ name: `${route.method.toUpperCase()} ${route.path}`, route }))
const managed = named.filter(({ route }) => route.action !== undefined)
const closed = named.filter(({ route }) => !route.by.includes('nothing'))
const writing = named.filter(({ route }) => route.method !== 'get')

async function sampleOf({ id }: ApiRoute, who?: Signed): Promise<Sample> {
  const make = SAMPLES[id]
  if (!make) throw new TypeError(`The route ${id} has no sample: add one to test/support/samples.ts.`)
  return make(world, who)
}

async function ask(who: Asker, route: ApiRoute, sample: Sample, headers?: Record<string, string>, isBare = false) {
  const { body } = sample
  return who.ask(route.method.toUpperCase(), addressOf(route.path, sample), {
    body,
    headers: headers ?? sample.headers ?? {},
    isBare,
  })
}

/** What a route answers to whoever may ask. */
function wellOf({ status, answer, streams }: ApiRoute, sample: Sample): number {
  return sample.status ?? status ?? (answer || streams ? 200 : 204)
}

describe('Each route of the management API', () => {
  beforeAll(async () => {
    world = await openWorldFor()
    const other = await world.accounts.createOrganization(SYSTEM, 'Other')
    stranger = await world.person('owner', other.id)
    const { accounts, owner } = world
    await accounts.changeOrganization(owner.caller, ORG, { signUp: 'open' })
    adminKey = (await accounts.createKey(owner.caller, ORG, { scopes: ['admin'] })).key
    plainKey = (await accounts.createKey(owner.caller, ORG, {})).key
    const become: Readonly<Record<string, (person: string) => Promise<void>>> = {
      member: (person) => accounts.changeRole(owner.caller, ORG, person, { role: 'member' }),
      viewer: (person) => accounts.changeRole(owner.caller, ORG, person, { role: 'viewer' }),
      left: (person) => accounts.removeMember(owner.caller, ORG, person),
      disabled: (person) => accounts.disablePerson(SYSTEM, person, true),
    }
    for (const [state, change] of Object.entries(become)) {
      const admin = await world.person('admin')
      const { stored } = await accounts.createKey(admin.caller, ORG, { scopes: ['admin'] })
      // A key that was rotated by somebody else is still of the person who created it.
      former.set(state, (await accounts.rotateKey(owner.caller, ORG, stored.id, { overlapMs: 0 })).key)
      await change(admin.id)
    }
  })

  afterAll(() => world.close())

  it('has an id, a path and a sample of its own', () => {
    expect(new Set(ROUTES.map(({ id }) => id)).size).toBe(ROUTES.length)
    expect(new Set(named.map(({ name }) => name)).size).toBe(ROUTES.length)
    expect(Object.keys(SAMPLES).sort()).toEqual(ROUTES.map(({ id }) => id).sort())
  })

  it.each(named)('$name by role', async ({ route }) => {
    for (const role of ROLES) {
      const who = await world.person(role)
      const sample = await sampleOf(route, who)
      const answered = await ask(who, route, sample)
      const isAllowed = route.action === undefined || may(role, route.action) !== undefined
      expect(answered.status, `${role}: ${answered.text}`).toBe(isAllowed ? wellOf(route, sample) : 403)
      if (!isAllowed) expect(answered.headers.get('content-type')).toBe('application/problem+json')
      // An answer has what its schema says, and nothing that it does not.
      if (answered.status < 300 && route.answer) expect(route.answer.parse(answered.body)).toEqual(answered.body)
    }
  })

  it.each(managed)('$name is of nobody who is a stranger to the organization', async ({ route }) => {
    const sample = await sampleOf(route)
    const elsewhere = { ...sample, query: { ...sample.query, organization: ORG } }
    const [asked, unknown] = [elsewhere, { ...elsewhere, query: { ...sample.query, organization: 'org_nowhere' } }]
    const answers = [await ask(stranger, route, asked), await ask(stranger, route, unknown)]
    for (const { status, body } of answers)
      expect([status, body['detail']]).toEqual([404, 'There is no such organization.'])
  })

  it.each(managed.filter(({ route }) => route.path.includes('{') && !route.passes))(
    '$name has nothing of another organization, by its id',
    async ({ route }) => {
      const sample = await sampleOf(route, world.owner)
      // Of what is the whole gateway's, other organizations are refused.
      const { status, text } = await ask(stranger, route, sample)
      if (route.id === 'readUsage') expect(status, text).toBe(404)
      else expect(status, text).toBe(route.isGateways ? 403 : 404)
    },
  )

  it.each(closed)('$name asks who it is', async ({ route }) => {
    const sample = await sampleOf(route)
    const { status, headers } = await ask(world.nobody, route, sample)
    expect([status, headers.get('content-type')]).toEqual([401, 'application/problem+json'])
  })

  it.each(closed)('$name knows no session that is over', async ({ route }) => {
    const who = await world.person('owner')
    const sample = await sampleOf(route, who)
    await world.accounts.endSession(who.caller)
    const { status, headers } = await ask(who, route, sample)
    expect([status, headers.getSetCookie()]).toEqual([
      401,
      [expect.stringMatching(/^headgate=; Path=\/; Max-Age=0; HttpOnly; SameSite=Lax$/)],
    ])
  })

  it.each(writing)('$name is not asked for by pages of others', async ({ route }) => {
    const who = await world.person('owner')
    const sample = await sampleOf(route, who)
    const json = { 'content-type': 'application/json' }
    const origin = { origin: 'http://localhost:8787' }
    for (const headers of [
      json,
      { ...json, origin: 'https://evil.example' },
      { ...json, origin: 'null' },
      { ...json, origin: 'http://localhost:8788' },
      { ...json, origin: 'http://localhost:8787.evil.example' },
      origin,
      { ...origin, 'content-type': 'text/plain' },
      { ...origin, 'content-type': 'application/x-www-form-urlencoded' },
      { ...origin, 'content-type': 'text/plain; a=application/json' },
    ] as Record<string, string>[])
      for (const asker of [who, world.nobody]) expect((await ask(asker, route, sample, headers, true)).status).toBe(403)
  })

  it.each(named)('$name by a key of an admin', async ({ route }) => {
    const sample = await sampleOf(route)
    const { status, text } = await ask(world.withKey(adminKey), route, sample)
    const { by, action, isSensitive } = route
    const isKeys =
      by.includes('admin key') && action !== undefined && may('admin', action) !== undefined && !isSensitive
    if (by.includes('nothing')) expect(status, text).not.toBe(401)
    else expect(status, text).toBe(isKeys ? wellOf(route, sample) : 403)
  })

  it.each(closed)('$name by a key that manages nothing', async ({ route }) => {
    const sample = await sampleOf(route)
    const { status, text } = await ask(world.withKey(plainKey), route, sample)
    // What one request cost is told to the key that made it.
    expect(status, text).toBe(route.by.includes('any key') ? 404 : 403)
  })

  it.each(closed)('$name by a key with the scope admin of somebody who is no admin any more', async ({ route }) => {
    const sample = await sampleOf(route)
    for (const [state, key] of former) {
      const { status, text } = await ask(world.withKey(key), route, sample)
      const isMember = state === 'member'
      expect(status, `${state}: ${text}`).toBe(isMember ? (route.by.includes('any key') ? 404 : 403) : 401)
    }
  })
})
