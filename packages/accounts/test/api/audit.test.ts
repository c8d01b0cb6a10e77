import { describe, expect, it } from 'vitest'
import { ORG, openWorld, type World } from '../support/api.ts'
import { SYSTEM } from '../support/opened.ts'

type Items = readonly { readonly id: string; readonly action: string; readonly target?: string; readonly at: number }[]

const DAY = 86_400_000

/** An organization in which something was done on two days, by a person, a key and the operator. */
async function opened() {
  const world = await openWorld()
  const { accounts, owner } = world
  const project = await accounts.createProject(owner.caller, ORG, 'Web, "beta"')
  const made = await accounts.createKey(owner.caller, ORG, { name: '=1+1', scopes: ['admin'] })
  accounts.later(DAY)
  await world.withKey(made.key).ask('PATCH', `/projects/${project.id}`, { body: { name: 'Website' } })
  await accounts.addByOperator(SYSTEM, { email: 'op@example.com', name: 'Op', role: 'viewer' })
  return { world, project: project.id, key: made.stored.id }
}

async function found({ owner }: World, query: string): Promise<Items> {
  const { status, body, text } = await owner.ask('GET', `/audit?${query}`)
  expect(status, text).toBe(200)
  return body['items'] as unknown as Items
}

describe('The audit log', () => {
  it('is found by who did what to which thing, and when', async () => {
    const { world, project, key } = await opened()
    const actions = async (query: string) =>
      [...new Set((await found(world, query)).map(({ action }) => action))].toSorted()
    expect(await actions(`target=${project}`)).toEqual(['project.change', 'project.create'])
    expect(await actions(`actor=${key}`)).toEqual(['project.change'])
    expect(await actions('actor=key')).toEqual(['project.change'])
    expect(await actions(`actor=${world.owner.id}`)).toContain('key.create')
    expect(await actions('action=project')).toEqual(['project.change', 'project.create'])
    expect(await actions('action=project.create')).toEqual(['project.create'])
    // What only begins alike is something else.
    expect(await actions('action=proj')).toEqual([])
    expect(await actions('action=project.')).toEqual([])
    const now = world.parts.now?.() ?? 0
    expect(await actions(`from=${now}&action=project`)).toEqual(['project.change'])
    expect(await actions(`to=${now}&action=project`)).toEqual(['project.create'])
    expect(await actions(`actor=${key}&target=${key}`)).toEqual([])
  })

  it('has what somebody does for themself, in the organization that they joined first', async () => {
    const world = await openWorld()
    const who = await world.person('member')
    await who.ask('PATCH', '/me', { body: { name: 'Another Name' } })
    await who.ask('DELETE', '/sessions')
    await who.ask('DELETE', `/sessions/${who.caller.session}`)
    const own = (await found(world, `actor=${who.id}`)).map(({ action }) => action)
    expect(own).toEqual(expect.arrayContaining(['person.rename', 'session.end-others', 'session.end']))
  })

  it('goes on with the same filters by its cursor', async () => {
    const { world, project } = await opened()
    const first = await world.owner.ask('GET', `/audit?target=${project}&limit=1`)
    const next = await world.owner.ask('GET', `/audit?target=${project}&limit=1&cursor=${first.body['cursor']}`)
    const pages = [first, next].map(({ body }) => (body['items'] as unknown as Items).map(({ action }) => action))
    expect(pages).toEqual([['project.change'], ['project.create']])
    expect(next.body['cursor']).toBeUndefined()
  })

  it('is a file of what is asked for, in which no cell is a formula', async () => {
    const { world, project, key } = await opened()
    const csv = await world.owner.ask('GET', `/audit/export?action=project&target=${project}`)
    expect(csv.headers.get('content-disposition')).toBe('attachment; filename="audit.csv"')
    const lines = csv.text.split('\r\n')
    expect(lines[0]).toBe(
      'time,actor_kind,actor,action,target,result,before,after,address,agent,session,request_id,id,number,previous_hash,hash',
    )
    expect(lines).toHaveLength(4)
    expect(lines[1]).toContain(`,key,${key},project.change,${project},done,"{""name"":""Web, \\""beta\\""""`)
    const json = await world.owner.ask('GET', '/audit/export?format=ndjson&action=key.create')
    const entries = json.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(entries.map(({ target }) => target)).toContain(key)
  })

  it('is of the organization alone, and read by owners and admins', async () => {
    const { world } = await opened()
    const other = await world.accounts.createOrganization(SYSTEM, 'Other')
    const stranger = await world.person('owner', other.id)
    const { text } = await stranger.ask('GET', '/audit/export?format=ndjson&action=project')
    expect(text).toBe('')
    for (const [role, status] of [
      ['admin', 200],
      ['member', 403],
      ['viewer', 403],
    ] as const)
      expect((await (await world.person(role)).ask('GET', '/audit/export')).status).toBe(status)
  })
})

describe('What is refused', () => {
  const refused = async (world: World) => {
    const { body } = await world.owner.ask('GET', '/audit?action=access.refuse&limit=400')
    const items = body['items'] as unknown as {
      target: string
      actor: { kind: string; id?: string }
      result: string
      after: object
    }[]
    const said = items.map(({ target, actor, result, after }) => [target, actor.id ?? actor.kind, result, after])
    // Of one instant they are in no order.
    return said.toSorted((one, other) => (String(one) < String(other) ? -1 : 1))
  }

  it('is in the log: by role, by scope, and of keys that nobody knows', async () => {
    const world = await openWorld()
    const viewer = await world.person('viewer')
    const made = await world.accounts.createKey(world.owner.caller, ORG, { name: 'models', models: ['*'] })
    expect((await viewer.ask('POST', '/projects', { body: { name: 'Mine' } })).status).toBe(403)
    expect((await world.withKey(made.key).ask('GET', '/members')).status).toBe(403)
    expect((await world.withKey('sk-hg-unknown').ask('GET', '/members')).status).toBe(401)
    expect(await refused(world)).toEqual([
      ['GET /api/v1/members', 'anonymous', 'refused', { status: 401 }],
      ['GET /api/v1/members', made.stored.id, 'refused', { status: 403 }],
      ['POST /api/v1/projects', viewer.id, 'refused', { status: 403 }],
    ])
    expect((await world.nobody.ask('GET', '/members')).status).toBe(401)
    expect(await refused(world)).toHaveLength(3)
  })

  it('does not fill the log, however often it is tried', async () => {
    const world = await openWorld()
    const viewer = await world.person('viewer')
    const stranger = world.withKey('sk-hg-unknown')
    for (let turn = 0; turn < 40; turn += 1) {
      await stranger.ask('GET', `/members?limit=${turn}`)
      await viewer.ask('DELETE', `/members/per_${turn}`)
    }
    expect(await refused(world)).toHaveLength(21)
    world.accounts.later(60_000)
    await stranger.ask('GET', '/members')
    expect(await refused(world)).toHaveLength(22)
  })
})

it('Exports of usage and of the audit log are in the log', async () => {
  const world = await openWorld()
  await world.owner.ask('GET', '/usage/export?format=ndjson')
  await world.owner.ask('GET', '/audit/export?action=key')
  for (const [action, after] of [
    ['audit.export', { format: 'csv', action: 'key' }],
    ['usage.export', { format: 'ndjson', from: null, to: null }],
  ] as const)
    expect((await world.owner.ask('GET', `/audit?action=${action}`)).body['items']).toMatchObject([{ action, after }])
})
