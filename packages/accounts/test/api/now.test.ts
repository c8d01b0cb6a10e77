import type { UsageMinutesQuery } from '@headgate/store'
import { describe, expect, it } from 'vitest'
import { windowAt } from '../../../store/src/budgets/window.ts'
import { ORG, openWorld, type Signed, type World } from '../support/api.ts'

const MINUTE = 60_000

interface Shared {
  readonly items: readonly { readonly id: string }[]
}

async function sharedWith(who: Signed) {
  const { status, body } = await who.ask('GET', '/budgets/shared')
  return { status, items: (body as unknown as Shared).items }
}

async function budgetOf(world: World, scope: 'key' | 'project' | 'member' | 'organization', owner: string) {
  const terms = { limit: 5n, period: 'month', name: `${scope} budget` } as const
  return (await world.accounts.setBudget(world.owner.caller, ORG, { ...terms, scope, owner })).id
}

/** Counts spending of a monthly budget of this month. */
async function spend(world: World, budget: string, spent: bigint): Promise<void> {
  const { connection, now } = world.accounts.parts
  const { id: win, start, end = null } = windowAt('month', 'UTC', now())
  const row = { budget, win, starts_at: start, ends_at: end, spent, leased: 0, recall: 0 }
  await connection.db.insertInto('budget_windows').values(row).execute()
}

describe('GET /now', () => {
  it('asks for whole minutes up to now, of what the caller may see', async () => {
    const world = await openWorld()
    const asked: UsageMinutesQuery[] = []
    world.parts.usage.minutes = async (query) => {
      asked.push(query)
      const refusals = { 'over-budget': 4, 'over-limit': 3 }
      return { minutes: [], refusals, firstByteMs: { p50: 1, p95: 2, requests: 3 } }
    }
    const [member, viewer] = [await world.person('member'), await world.person('viewer')]
    const at = world.accounts.parts.now()
    const start = Math.floor(at / MINUTE) * MINUTE
    const { status, body } = await world.owner.ask('GET', '/now')
    expect([status, body['at'], body['firstByte']]).toEqual([200, at, { p50: 1, p95: 2, requests: 3 }])
    expect(body['refusals']).toEqual({ total: 7, byKind: { 'over-budget': 4, 'over-limit': 3 } })
    await viewer.ask('GET', '/now?minutes=5')
    await member.ask('GET', '/now?minutes=1')
    expect(asked).toEqual([
      { from: start - 59 * MINUTE, to: at, owners: {} },
      { from: start - 4 * MINUTE, to: at, owners: {} },
      { from: start, to: at, owners: { member: member.id } },
    ])
    for (const minutes of ['0', '361', 'x'])
      expect((await member.ask('GET', `/now?minutes=${minutes}`)).status).toBe(400)
    expect((await world.nobody.ask('GET', '/now')).status).toBe(401)
  })

  it('shows providers with their cooldowns, and ids of requests only to those who see all usage', async () => {
    const lastError = { at: 1, kind: 'overloaded', request: 'req_9' }
    const until = Date.now() + 10 * MINUTE
    const provider = {
      adapter: 'mine',
      kind: 'provider',
      families: ['chat'],
      why: 'named by the configuration',
      package: { name: 'mine', version: '1.0.0' },
    } as const
    const world = await openWorld({
      parts: {
        facts: {
          models: () => [],
          configuration: () => ({}),
          doctor: async () => [],
          limits: () => ({ projects: [], models: [] }),
          providers: () => [
            { ...provider, name: 'off', state: 'off' },
            {
              ...provider,
              name: 'acme',
              state: 'failing',
              lastError,
              endpoints: [{ name: 'eu', state: 'cooldown', restsUntil: until }],
              troubled: [{ model: 'm', restsUntil: 1, lastError }],
            },
          ],
        },
        now: Date.now,
      },
    })
    const ask = async (who: Signed, path: string) => JSON.parse((await who.ask('GET', path)).text)
    const now = await ask(world.owner, '/now')
    expect(now.providers.map(({ name }: { name: string }) => name)).toEqual(['acme'])
    expect(now.providers[0].lastError).toEqual(lastError)
    expect(now.cooldowns).toEqual([{ provider: 'acme', endpoint: 'eu', until }])
    const member = await world.person('member')
    for (const own of [(await ask(member, '/now')).providers[0], (await ask(member, '/providers')).items[1]])
      expect(own.lastError).toEqual({ at: 1, kind: 'overloaded' })
  })

  it('shows budgets near their limit, and changes to those who may read the audit log', async () => {
    const world = await openWorld()
    const member = await world.person('member')
    const { stored } = await world.accounts.createKey(member.caller, ORG, { name: 'mine' })
    const [own, all] = [await budgetOf(world, 'key', stored.id), await budgetOf(world, 'organization', ORG)]
    await world.accounts.setBudget(world.owner.caller, ORG, {
      scope: 'member',
      owner: member.id,
      limit: 5n,
      period: 'day',
    })
    await spend(world, own, 4n)
    await spend(world, all, 5n)
    const now = async (who: Signed) => JSON.parse((await who.ask('GET', '/now')).text)
    // A budget that is not used up refuses requests whose cost could exceed it.
    const small = await budgetOf(world, 'project', 'prj_default')
    world.parts.usage.refusalsByBudget = async ({ from }) => {
      expect(from).toBeGreaterThan(world.accounts.parts.now() - 60 * MINUTE)
      return [
        { budget: small, requests: 9, lastAt: 1 },
        { budget: all, requests: 2, lastAt: 1 },
      ]
    }
    expect((await now(world.owner)).budgets).toMatchObject([
      { id: small, percent: 0, left: '5', refused: 9 },
      { id: all, percent: 100, left: '0', refused: 2 },
      { id: own, percent: 80, left: '1' },
    ])
    const marks = (await now(world.owner)).marks.map(({ what }: { what: string }) => what)
    expect(marks.toSorted()).toEqual([
      ...['budget.create', 'budget.create', 'budget.create', 'budget.create'],
      'key.create',
    ])
    const ofMember = await now(member)
    expect(ofMember.marks).toEqual([])
    expect(ofMember.budgets.map(({ id, percent }: { id: string; percent?: number }) => [id, percent])).toEqual([
      [own, 80],
      [all, undefined],
    ])
  })
})

describe('Marks of reloads', () => {
  it('are one, however many processes reload', async () => {
    const world = await openWorld()
    const { parts, recordAct } = world.accounts
    for (const node of ['a', 'b', 'c'])
      await recordAct({ kind: 'system' }, { action: 'config.reload', organization: ORG, after: { node } })
    expect(JSON.parse((await world.owner.ask('GET', '/now')).text).marks).toEqual([
      { at: parts.now(), what: 'config.reload' },
    ])
  })
})

describe('Limits and budgets', () => {
  it('say how much of a rate limit is used now, and how many requests a budget refused', async () => {
    const world = await openWorld()
    const member = await world.person('member')
    const { stored } = await world.accounts.createKey(member.caller, ORG, { name: 'mine' })
    await world.owner.ask('PUT', `/limits/keys/${stored.id}`, { body: { requestsPerMinute: 10 } })
    const at = world.accounts.parts.now()
    world.parts.usage.recentUse = async (query) => {
      expect(query).toEqual({ at })
      return [
        { key: stored.id, project: 'prj_default', requests: 4, tokens: 50 },
        { key: 'key_other', project: 'prj_default', requests: 5, tokens: 60 },
      ]
    }
    world.parts.facts.limits = () => ({
      projects: [{ id: 'prj_default', limits: { tokensPerMinute: 1_000 } }],
      models: [{ id: 'big*', limits: { concurrent: 3 } }],
    })
    const used = { requests: 4, tokens: 50 }
    const ask = async (who: Signed, path: string) => JSON.parse((await who.ask('GET', path)).text)
    expect(await ask(world.owner, '/limits')).toMatchObject({
      keys: [{ id: stored.id, used }],
      projects: [{ id: 'prj_default', used: { requests: 9, tokens: 110 } }],
      models: [{ id: 'big*' }],
    })
    // Members see what they use, and not what others do.
    const own = await ask(member, '/limits')
    expect([own.keys[0].used, own.projects[0].used]).toEqual([used, undefined])

    const [refusing, other] = [await budgetOf(world, 'key', stored.id), await budgetOf(world, 'organization', ORG)]
    world.parts.usage.refusalsByBudget = async ({ from }) => {
      expect(from).toBe(at - 86_400_000)
      return [{ budget: refusing, requests: 3, lastAt: at }]
    }
    const budgets = (await ask(world.owner, '/budgets')).items as { id: string; refused?: object }[]
    const refused = new Map(budgets.map((budget) => [budget.id, budget.refused]))
    expect([refused.get(refusing), refused.get(other)]).toEqual([{ requests: 3, lastAt: at }, undefined])
  })
})

describe('Budgets that restrict the keys of a member', () => {
  it('show their names, what is left and the reset, but not their limits and spending', async () => {
    const world = await openWorld()
    const [member, other] = [await world.person('member'), await world.person('member')]
    const project = await world.accounts.createProject(world.owner.caller, ORG, 'Research')
    await world.accounts.createKey(member.caller, ORG, { name: 'mine', project: 'prj_default' })
    const of = (scope: 'project' | 'organization', owner: string) => budgetOf(world, scope, owner)
    const [all, own] = [await of('organization', ORG), await of('project', 'prj_default')]
    await of('project', project.id)
    await budgetOf(world, 'member', other.id)
    await spend(world, own, 7n)
    expect((await sharedWith(member)).items).toEqual([
      {
        id: all,
        scope: 'organization',
        owner: ORG,
        name: 'organization budget',
        period: 'month',
        soft: false,
        left: '5',
        resetAt: expect.any(Number),
      },
      expect.objectContaining({ id: own, name: 'project budget', left: '0' }),
    ])
  })

  it('are none without a key, after its revocation, and for those who see all budgets anyway', async () => {
    const world = await openWorld()
    const [member, other] = [await world.person('member'), await world.person('member')]
    await budgetOf(world, 'organization', ORG)
    const { stored } = await world.accounts.createKey(member.caller, ORG, { name: 'mine' })
    expect((await sharedWith(member)).items).toHaveLength(1)
    await world.accounts.revokeKey(world.owner.caller, ORG, stored.id)
    for (const who of [member, other, world.owner]) expect(await sharedWith(who)).toEqual({ status: 200, items: [] })
    expect((await world.nobody.ask('GET', '/budgets/shared')).status).toBe(401)
  })
})
