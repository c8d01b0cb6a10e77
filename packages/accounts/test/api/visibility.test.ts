import { ATTEMPT_FIELDS, USAGE_FIELDS } from '@headgate/store/sql'
import { z } from '@hono/zod-openapi'
import { describe, expect, it } from 'vitest'
import { ROUTES } from '../../src/api/routes.ts'
import { shapeOf } from '../../src/api/usage-row.ts'
import { ORG, openWorld, type Signed, usageRow, type World } from '../support/api.ts'
import { PASSWORD, SYSTEM } from '../support/opened.ts'

interface Listed {
  readonly items: readonly { readonly id: string; readonly owner?: string }[]
}

async function idsOf(who: Signed, path: string): Promise<readonly string[]> {
  return ((await who.ask('GET', path)).body as unknown as Listed).items.map(({ id }) => id)
}

async function keyOf(world: World, who: Signed): Promise<string> {
  return (await world.accounts.createKey(who.caller, ORG, { name: 'a key' })).stored.id
}

describe('A member', () => {
  it('sees and manages keys of their own, and no others', async () => {
    const world = await openWorld()
    const [member, other] = [await world.person('member'), await world.person('member')]
    const [own, others, owners] = [
      await keyOf(world, member),
      await keyOf(world, other),
      await keyOf(world, world.owner),
    ]
    expect(await idsOf(member, '/keys')).toEqual([own])
    expect(await idsOf(world.owner, '/keys')).toHaveLength(3)
    for (const key of [others, owners, 'key_nobodys'])
      for (const [method, path, body] of [
        ['GET', `/keys/${key}`],
        ['PATCH', `/keys/${key}`, { name: 'mine' }],
        ['POST', `/keys/${key}/rotate`, { overlapMs: 0 }],
        ['POST', `/keys/${key}/revoke`],
      ] as const) {
        const { status, body: problem } = await member.ask(method, path, { body })
        expect([status, problem['detail']]).toEqual([404, 'There is no such key.'])
      }
    expect((await member.ask('POST', `/keys/${own}/revoke`)).status).toBe(200)
  })

  it('gives a key nothing that is more than they may themselves', async () => {
    const world = await openWorld()
    const member = await world.person('member')
    const own = await keyOf(world, member)
    const terms = { limit: '1', period: 'day' }
    for (const body of [
      { scopes: ['admin'] },
      { scopes: ['metrics'] },
      { limits: { concurrent: 1 } },
      { budgets: [terms] },
    ]) {
      const { status, body: problem } = await member.ask('POST', '/keys', { body })
      expect([status, problem['errors']]).toEqual([403, [expect.objectContaining({ field: Object.keys(body)[0] })]])
      if (!('budgets' in body)) expect((await member.ask('PATCH', `/keys/${own}`, { body })).status).toBe(403)
    }
    expect((await member.ask('PATCH', `/keys/${own}`, { body: { limits: null } })).status).toBe(403)
    expect((await member.ask('PUT', `/limits/keys/${own}`, { body: {} })).status).toBe(403)
  })

  it('sees usage, budgets and limits of their own', async () => {
    const world = await openWorld()
    const member = await world.person('member')
    const own = await keyOf(world, member)
    const limit = { limit: 1n, period: 'day' } as const
    const set = (scope: 'key' | 'member' | 'organization', owner: string) =>
      world.accounts.setBudget(world.owner.caller, ORG, { ...limit, scope, owner })
    const [keys, members] = [await set('key', own), await set('member', member.id)]
    await set('organization', ORG)
    await set('key', await keyOf(world, world.owner))
    expect(new Set(await idsOf(member, '/budgets'))).toEqual(new Set([keys.id, members.id]))
    expect(await idsOf(world.owner, '/budgets')).toHaveLength(4)
    await world.owner.ask('PUT', `/limits/keys/${own}`, { body: { concurrent: 2 } })
    expect((await member.ask('GET', '/limits')).body['keys']).toMatchObject([{ id: own, limits: { concurrent: 2 } }])
    await member.ask('GET', '/usage?model=m')
    world.rows.push(usageRow({ requestId: 'req_1', principal: 'key_1' }))
    // Of what is somebody else's there is nothing.
    expect(await idsOf(member, `/usage?member=${world.owner.id}`)).toEqual([])
    expect((await member.ask('GET', `/usage/export?format=ndjson&member=${world.owner.id}`)).text).toBe('')
    await world.owner.ask('GET', '/usage?tag=team%3Da&status=200')
    expect(world.asked.map(({ filters }) => filters)).toEqual([
      { model: 'm', onlyMember: member.id },
      { status: 200, tag: { name: 'team', value: 'a' } },
    ])
  })

  it('sees how long the first bytes of their own keys took', async () => {
    const asked: unknown[] = []
    const world = await openWorld()
    world.parts.usage.latency = async (query) => {
      asked.push(query)
      return { p50: 1, p95: 2, requests: 3 }
    }
    const member = await world.person('member')
    const ask = (who: Signed, query: string) => who.ask('GET', `/usage/latency?${query}`)
    const known = { p50: 1, p95: 2, requests: 3 }
    expect((await ask(member, 'from=1000&to=2000')).body).toEqual({ firstByteMs: known })
    expect((await ask(world.owner, 'from=1000&to=2000&before=0&environment=staging')).body).toEqual({
      firstByteMs: known,
      firstByteMsBefore: known,
    })
    expect((await ask(member, `from=1000&to=2000&member=${world.owner.id}`)).body).toEqual({ firstByteMs: null })
    expect(asked).toEqual([
      { from: 1_000, to: 2_000, filters: { member: member.id } },
      { from: 1_000, to: 2_000, filters: { environment: 'staging' } },
      { from: 0, to: 1_000, filters: { environment: 'staging' } },
    ])
    for (const query of ['from=2&to=1', 'from=1&to=2&before=1', 'from=1&to=2&model=m'])
      expect((await ask(world.owner, query)).status).toBe(400)
  })

  it('sees no sums by tag, which are of everybody', async () => {
    const world = await openWorld()
    const ask = (who: Signed, more: string) =>
      who.ask('GET', `/usage/series?from=0&to=86400000&step=day&by=tag:team${more}`)
    expect((await ask(await world.person('member'), '')).status).toBe(403)
    expect((await ask(world.owner, '')).status).toBe(200)
    expect((await ask(world.owner, '&project=prj_default')).status).toBe(200)
    for (const more of ['&model=m', '&tag=a', '&failure=timeout', '&endpoint=eu'])
      expect((await ask(world.owner, more)).status).toBe(400)
  })

  it('sees one request of their own keys, as does the key that made it', async () => {
    const world = await openWorld()
    const member = await world.person('member')
    const { key, stored } = await world.accounts.createKey(world.owner.caller, ORG, {})
    world.rows.push(usageRow({ requestId: 'req_a', principal: stored.id, member: world.owner.id }))
    world.rows.push(usageRow({ requestId: 'req_b', principal: 'key_other', member: member.id }))
    const asked = async (who: Pick<Signed, 'ask'>) =>
      Promise.all(['req_a', 'req_b', 'req_c'].map(async (id) => (await who.ask('GET', `/usage/${id}`)).status))
    expect(await asked(member)).toEqual([404, 200, 404])
    expect(await asked(world.owner)).toEqual([200, 200, 404])
    expect(await asked(world.withKey(key))).toEqual([200, 404, 404])
    expect(await asked(world.nobody)).toEqual([401, 401, 401])
  })
})

describe('A key that manages', () => {
  it('does what admins do in its organization, where it may be used from', async () => {
    const world = await openWorld()
    const { accounts, owner } = world
    const make = async (addresses: readonly string[]) =>
      (await accounts.createKey(owner.caller, ORG, { scopes: ['admin'], addresses })).key
    expect((await world.withKey(await make(['10.0.0.0/8'])).ask('GET', '/members')).status).toBe(200)
    expect((await world.withKey(await make(['192.0.2.0/24'])).ask('GET', '/members')).status).toBe(403)
    const other = await accounts.createOrganization(SYSTEM, 'Other')
    expect(
      (await world.withKey(await make(['10.0.0.0/8'])).ask('GET', `/members?organization=${other.id}`)).status,
    ).toBe(404)
  })

  it('makes no other one, and no owner, and rotates itself alone', async () => {
    const world = await openWorld()
    const make = () => world.accounts.createKey(world.owner.caller, ORG, { scopes: ['admin'] })
    const [own, other] = [await make(), await make()]
    const script = world.withKey(own.key)
    const rotate = (id: string) => script.ask('POST', `/keys/${id}/rotate`, { body: { overlapMs: 60_000 } })
    expect((await script.ask('POST', '/keys', { body: { scopes: ['admin'] } })).status).toBe(403)
    expect((await script.ask('POST', '/invites', { body: { role: 'owner' } })).status).toBe(403)
    expect((await rotate(other.stored.id)).status).toBe(403)
    expect((await rotate(own.stored.id)).status).toBe(200)
    expect((await script.ask('POST', `/keys/${own.stored.id}/revoke`)).status).toBe(200)
    expect((await script.ask('GET', '/members')).status).toBe(401)
  })

  it('is made by somebody who has just shown who they are', async () => {
    const { owner, accounts } = await openWorld()
    accounts.later(15 * 60_000)
    const make = () => owner.ask('POST', '/keys', { body: { scopes: ['admin'] } })
    const { status, body } = await make()
    expect([status, body['errors']]).toEqual([403, [expect.objectContaining({ field: 'session' })]])
    expect((await owner.ask('GET', '/organization/export')).status).toBe(403)
    await accounts.confirmByPassword(owner.caller, PASSWORD)
  })
})

describe('Another organization', () => {
  it('has projects, keys, budgets and usage that nobody else sees', async () => {
    const world = await openWorld()
    const { id } = await world.accounts.createOrganization(SYSTEM, 'Other')
    const boss = await world.person('owner', id)
    const own = await boss.ask('POST', '/keys', { body: { name: 'theirs' } })
    expect(own.status, own.text).toBe(201)
    const { stored } = own.body as unknown as { stored: { id: string; project: string } }
    await keyOf(world, world.owner)
    expect(await idsOf(boss, '/keys')).toEqual([stored.id])
    expect(await idsOf(world.owner, '/keys')).not.toContain(stored.id)
    expect((await boss.ask('POST', '/keys', { body: { project: 'prj_default' } })).status).toBe(404)
    const budget = { scope: 'project', owner: 'prj_default', limit: '1', period: 'day' }
    expect((await boss.ask('POST', '/budgets', { body: budget })).status).toBe(404)
    const made = await boss.ask('POST', '/budgets', { body: { ...budget, owner: stored.project } })
    expect(made.status, made.text).toBe(201)
    expect(await idsOf(world.owner, '/budgets')).toEqual([])
    expect((await world.owner.ask('DELETE', `/budgets/${made.body['id']}`)).status).toBe(404)
    for (const path of ['/usage', '/usage?project=prj_default', `/usage?project=${stored.project}`])
      await boss.ask('GET', path)
    await world.owner.ask('GET', '/usage?project=prj_default')
    const theirs = { onlyProject: { values: [stored.project] } }
    expect(world.asked.map(({ filters }) => filters)).toMatchObject([
      theirs,
      { ...theirs, project: stored.project },
      { project: 'prj_default', onlyProject: { values: expect.not.arrayContaining([stored.project]) } },
    ])
    // Of several projects one is named where there are others' beside them.
    const { status, body } = await world.owner.ask('GET', '/usage/series?from=0&to=3600000&step=hour')
    expect([status, body['errors']]).toEqual([400, [expect.objectContaining({ field: 'project' })]])
    world.rows.push(usageRow({ requestId: 'req_1', principal: stored.id, project: stored.project }))
    expect((await world.owner.ask('GET', '/usage/req_1')).status).toBe(404)
    expect((await boss.ask('GET', '/usage/req_1')).status).toBe(200)
    const price = { provider: 'p', model: 'm', rates: { input: 1, output: 1 } }
    expect((await boss.ask('PUT', '/prices', { body: price })).status).toBe(403)
  })
})

describe('An id of another organization', () => {
  it('is nobody’s in a body or a filter, as one that there is not', async () => {
    const world = await openWorld()
    const { id } = await world.accounts.createOrganization(SYSTEM, 'Other')
    const boss = await world.person('owner', id)
    const member = await world.person('member')
    const key = await keyOf(world, world.owner)
    const { token } = await world.accounts.invite(world.owner.caller, ORG, { role: 'viewer' })
    const terms = { limit: '1', period: 'day' }
    const owners = { key, project: 'prj_default', member: member.id, organization: ORG }
    for (const [scope, owner] of Object.entries(owners)) {
      const [theirs, none] = await Promise.all(
        [owner, `${owner}x`].map((asked) => boss.ask('POST', '/budgets', { body: { ...terms, scope, owner: asked } })),
      )
      expect([theirs?.status, theirs?.body['detail']], scope).toEqual([404, none?.body['detail']])
    }
    expect(await idsOf(world.owner, '/budgets')).toEqual([])
    const own = await boss.ask('POST', '/budgets', { body: { ...terms, scope: 'organization', owner: id } })
    expect(own.status, own.text).toBe(201)
    // What is somebody's own is not handed to others.
    const moved = await boss.ask('PUT', `/budgets/${own.body['id']}`, {
      body: { ...terms, scope: 'organization', owner: ORG },
    })
    expect(moved.status, moved.text).toBeGreaterThanOrEqual(400)
    for (const path of [`/keys?project=prj_default`, `/budgets?owner=${ORG}`, `/budgets?owner=${key}`])
      expect(await idsOf(boss, path)).toEqual([])
    await boss.ask('GET', `/usage?key=${key}&member=${member.id}`)
    for (const { filters } of world.asked)
      expect(filters?.onlyProject).toEqual({ values: expect.not.arrayContaining(['prj_default']) })
    // Whoever holds an invite joins, and is what it says.
    expect((await boss.ask('POST', '/invites/join', { body: { token } })).status).toBe(200)
  })
})

describe('The OpenAPI document', () => {
  it.each(ROUTES.filter(({ secrets }) => secrets))(
    'says of $id that what is shown once may be absent',
    ({ secrets = [], answer }) => {
      const { required = [] } = z.toJSONSchema(answer ?? z.never(), { io: 'output', unrepresentable: 'any' })
      expect(required.filter((name) => secrets.includes(name))).toEqual([])
      expect(Object.keys(answer instanceof z.ZodObject ? answer.shape : {})).toEqual(
        expect.arrayContaining([...secrets]),
      )
    },
  )

  it('has each field of a usage row and of a call, with the description of its declaration', async () => {
    const { api } = await openWorld()
    const schemas = api.openapi().components['schemas'] as Record<string, { properties: object; required: string[] }>
    const declared = { UsageRow: USAGE_FIELDS, UsageAttempt: ATTEMPT_FIELDS }
    for (const [name, fields] of Object.entries(declared))
      for (const [field, { description }] of Object.entries(fields))
        expect(schemas[name]?.properties, `${name}.${field}`).toHaveProperty(
          [field, 'description'],
          expect.stringContaining(description),
        )
  })

  it('gives a new field of a usage row a schema by its kind', () => {
    const { netCost } = shapeOf({ netCost: { kind: 'money', description: 'Cost without taxes.' } })
    expect(netCost.safeParse('1500').success).toBe(true)
    expect(netCost.safeParse(1500).success).toBe(false)
  })

  it('has every route, with who may ask', async () => {
    const { api } = await openWorld()
    const { paths, components } = api.openapi()
    expect(Object.keys(paths).filter((path) => !/^\/api\/v1\/(?!api\/)/.test(path))).toEqual([])
    const key = paths['/api/v1/keys'] as Record<
      string,
      { operationId: string; security: unknown; requestBody: unknown }
    >
    expect(key['post']).toMatchObject({
      operationId: 'createKey',
      security: [{ session: [] }, { bearer: [] }],
      requestBody: { required: true },
      // A server refuses these before it knows whose path it is.
      responses: {
        431: { content: { 'application/json': {} } },
        default: { content: { 'application/problem+json': {} } },
      },
    })
    expect(Object.keys(components['schemas'] as object)).toContain('Problem')
    for (const [, pattern = ''] of JSON.stringify([paths, components]).matchAll(/"pattern":"((?:[^"\\]|\\.)*)"/g))
      expect(pattern).toMatch(/^\^.*\$$/)
    const operations = Object.values(paths).flatMap((path) =>
      Object.values(path as Record<string, { operationId: string }>),
    )
    expect(operations.map(({ operationId }) => operationId).sort()).toEqual(ROUTES.map(({ id }) => id).sort())
    expect(components['securitySchemes']).toMatchObject({
      session: { in: 'cookie', name: 'headgate' },
      bearer: { scheme: 'bearer' },
    })
  })
})
