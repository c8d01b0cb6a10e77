import { compareBill } from '@headgate/store'
import { describe, expect, it } from 'vitest'
import { usageExplanation } from '../../../store/src/usage/explanation.ts'
import { usageGroups } from '../../../store/src/usage/groups.ts'
import { namesOf } from '../../../store/src/usage/names.ts'
import type { LedgerRow } from '../../../store/src/usage/row.ts'
import { usageSeries } from '../../../store/src/usage/series.ts'
import { daysByModel } from '../../../store/src/usage/upstream-days.ts'
import { upstreamTotals } from '../../../store/src/usage/upstream-totals.ts'
import { writeRows } from '../../../store/src/usage/write.ts'
import { ledgerRow } from '../../../store/test/support/rows.ts'
import type { SpendGroup, SpendSums } from '../../src/api/spend.ts'
import type { Statement } from '../../src/api/statement.ts'
import { ORG, openWorld, type Signed, type World } from '../support/api.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const NOVEMBER = Date.UTC(2025, 10, 1)

interface Spend {
  readonly items: readonly SpendGroup[]
  readonly cursor?: string
  readonly count: number
  readonly total: { readonly sums: SpendSums; readonly before: SpendSums }
  readonly from: number
  readonly before: number
}

interface Seeded {
  readonly world: World
  readonly keys: readonly string[]
  readonly member: Signed
}

/** Keys "web" of the owner and "jobs" of a member, and 400 requests of two months, every 3 hours and 40 minutes. */
async function seeded(): Promise<Seeded> {
  const world = await openWorld()
  const { connection } = world.accounts.parts
  const member = await world.person('member')
  const keys = [
    (await world.accounts.createKey(world.owner.caller, ORG, { name: 'web' })).stored.id,
    (await world.accounts.createKey(member.caller, ORG, { name: 'jobs' })).stored.id,
  ]
  const rows = Array.from({ length: 400 }, (_, number): LedgerRow => {
    const provider = number % 5 === 0 ? 'second' : 'first'
    const model = `m${number % 3}`
    const startedAt = NOVEMBER - 30 * DAY + number * 220 * 60_000
    const call = { provider, model, startedAt, durationMs: 1, status: 200, cost: number * 1_000, priceId: 'p' }
    return ledgerRow(number, {
      startedAt,
      provider,
      providerModel: model,
      model,
      principal: keys[number % 2] ?? '',
      attempts: [call],
      cost: number * 1_000,
      charged: number * 2_000,
      usage: { input: 10, output: 1, cacheRead: 4 },
      losses: number % 10 === 0 ? [{ path: 'seed', kind: 'dropped', reason: 'no such field' }] : [],
    })
  })
  await writeRows(connection, { rows, zone: 'UTC' })
  Object.assign(world.parts.usage, {
    groups: (query: Parameters<typeof usageGroups>[1]) => usageGroups(connection, { zone: 'UTC', ...query }),
    series: (query: Parameters<typeof usageSeries>[1]) => usageSeries(connection, { zone: 'UTC', ...query }),
    namesOf: (of: 'key', ids: readonly string[]) => namesOf(connection, { of, ids }),
    upstreamTotals: (query: Parameters<typeof upstreamTotals>[1]) => upstreamTotals(connection, query),
    explain: (query: Parameters<typeof usageExplanation>[1]) => usageExplanation(connection, query),
  })
  return { world, keys, member }
}

async function spend(who: Signed, query: string): Promise<Spend> {
  const { status, text } = await who.ask('GET', `/spend?${query}`)
  expect([status, status === 200 ? '' : text]).toEqual([200, ''])
  return JSON.parse(text)
}

describe('Spend', () => {
  it('has all groups with their names, and what they had in the range before', async () => {
    const { world, keys } = await seeded()
    const found = await spend(world.owner, 'from=2025-11-01&to=2025-11-08&by=key,model')
    expect(found.items.map(({ names }) => names).toSorted()).toEqual(
      ['jobs', 'web'].flatMap((key) => ['m0', 'm1', 'm2'].map((model) => [key, model])),
    )
    expect(found.items.every(({ ids: [key = ''] }) => keys.includes(key ?? ''))).toBe(true)
    const weeks = [found.total.sums, found.total.before].map(({ requests }) => requests)
    expect(weeks).toEqual([46, 46])
    expect(found.before).toBe(NOVEMBER - 7 * DAY)
    const sum = found.items.reduce((total, { sums }) => total + BigInt(sums.charged), 0n)
    expect(found.total.sums.charged).toBe(String(sum))
    const charged = found.items.map(({ sums }) => Number(sums.charged))
    expect(charged).toEqual(charged.toSorted((one, other) => other - one))
  })

  it('is searched by name, sorted by the change in either direction, and paged', async () => {
    const { world } = await seeded()
    const range = 'from=2025-11-01&to=2025-11-08'
    const search = await spend(world.owner, `${range}&by=key&search=WE`)
    expect([search.count, search.items.map(({ names }) => names)]).toEqual([1, [['web']]])
    expect(search.total.sums.requests).toBe(46)
    const pages: string[] = []
    for (let cursor: string | undefined = '0'; cursor !== undefined; ) {
      const page = await spend(world.owner, `${range}&by=key,model&sort=change&limit=4&cursor=${cursor}`)
      pages.push(
        ...page.items.map(({ sums, before }) => String(Math.abs(Number(sums.charged) - Number(before.charged)))),
      )
      cursor = page.cursor
    }
    expect(pages.map(Number)).toEqual(pages.map(Number).toSorted((one, other) => other - one))
    expect(pages).toHaveLength(6)
    const names = await spend(world.owner, `${range}&by=model&sort=name&order=reversed`)
    expect(names.items.map(({ names: [name] }) => name)).toEqual(['m2', 'm1', 'm0'])
  })

  it('of dates is that of the days of the time zone', async () => {
    const { world } = await seeded()
    const los = await spend(world.owner, 'from=2025-11-01&to=2025-11-02&zone=America/Los_Angeles&by=model')
    expect(los.from).toBe(NOVEMBER + 7 * HOUR)
    const utc = await spend(world.owner, `from=${NOVEMBER + 7 * HOUR}&to=${NOVEMBER + 31 * HOUR}&by=model`)
    expect(los.items).toEqual(utc.items)
    const { body } = await world.owner.ask(
      'GET',
      `/usage/series?from=${NOVEMBER + 7 * HOUR}&to=${NOVEMBER + 31 * HOUR}&step=day&by=model&zone=America/Los_Angeles`,
    )
    const points = body['points'] as unknown as readonly { day: string; counts: { requests: number } }[]
    expect([body['zone'], new Set(points.map(({ day }) => day))]).toEqual([
      'America/Los_Angeles',
      new Set(['2025-11-01']),
    ])
    expect(points.reduce((sum, { counts }) => sum + counts.requests, 0)).toBe(los.total.sums.requests)
    expect((await world.owner.ask('GET', '/spend?from=2025-11-01&to=2025-11-02&zone=Mars/Olympus')).status).toBe(400)
    expect((await world.owner.ask('GET', '/spend?from=2025-11-02&to=2025-11-01')).status).toBe(400)
  })

  it('of a member is that of their keys, and has no sums by tag, end user or session', async () => {
    const { world, member, keys } = await seeded()
    const range = 'from=2025-11-01&to=2025-11-08'
    const own = await spend(member, `${range}&by=key`)
    expect(own.items.map(({ ids }) => ids)).toEqual([[keys[1]]])
    expect((await spend(member, `${range}&by=key&key=${keys[0]}`)).items).toEqual([])
    expect((await spend(member, `${range}&by=key&member=${world.owner.id}`)).items).toEqual([])
    for (const by of ['user', 'session', 'tag:team'])
      expect((await member.ask('GET', `/spend?${range}&by=${by}`)).status).toBe(403)
    expect((await world.owner.ask('GET', `/spend?${range}&by=user`)).status).toBe(200)
    expect((await world.owner.ask('GET', `/spend?${range}&by=user&model=m0`)).status).toBe(400)
    expect((await world.nobody.ask('GET', `/spend?${range}`)).status).toBe(401)
  })
})

describe('The statement of a month', () => {
  it('agrees with what `headgate reconcile` compares with bills, and with the rows', async () => {
    const { world } = await seeded()
    const statement = JSON.parse((await world.owner.ask('GET', '/spend/statement?month=2025-11')).text) as Statement
    const { lines, total, providers = [] } = statement
    expect([statement.zone, lines.length]).toEqual(['UTC', 3])
    const { connection } = world.accounts.parts
    const range = { from: NOVEMBER, to: Date.UTC(2025, 11, 1) }
    for (const provider of ['first', 'second']) {
      const { total: compared } = compareBill({ lines: [] }, await daysByModel(connection, { ...range, provider }))
      const own = providers.filter((one) => one.provider === provider)
      expect(own.reduce((sum, { cost }) => sum + BigInt(cost), 0n)).toBe(compared.ledger?.cost)
    }
    expect(providers.reduce((sum, { cost }) => sum + BigInt(cost), 0n)).toBe(BigInt(total.cost))
    const rows = await connection.db.selectFrom('usage').select(['at', 'charged']).execute()
    const charged = rows.filter(({ at }) => Number(at) >= range.from && Number(at) < range.to)
    expect(total.charged).toBe(String(charged.reduce((sum, row) => sum + BigInt(row.charged ?? 0), 0n)))
    expect(lines.map(({ projectName, model }) => [projectName, model])).toEqual(
      ['m0', 'm1', 'm2'].map((model) => [lines[0]?.projectName, model]),
    )
  })

  it('is a file with its month in the name, whose lines add up to its total', async () => {
    const { world } = await seeded()
    const { headers, text } = await world.owner.ask('GET', '/spend/statement?month=2025-11&format=csv')
    expect(headers.get('content-disposition')).toContain('headgate-statement-2025-11.csv')
    const [head = '', ...lines] = text.trimEnd().split('\r\n')
    const place = head.split(',').indexOf('charged_usd')
    const amounts = (kind: string) =>
      lines.filter((line) => line.startsWith(`${kind},`)).map((line) => Number(line.split(',')[place]))
    expect(amounts('usage').reduce((sum, amount) => sum + amount, 0)).toBeCloseTo(amounts('total')[0] ?? 0, 9)
    expect(lines.filter((line) => line.startsWith('provider,'))).toHaveLength(6)
  })

  it('of a member has no costs of providers, which are of everybody', async () => {
    const { world, member } = await seeded()
    const all = JSON.parse((await world.owner.ask('GET', '/spend/statement?month=2025-11')).text) as Statement
    const own = JSON.parse((await member.ask('GET', '/spend/statement?month=2025-11')).text) as Statement
    expect([own.providers, all.providers?.length]).toEqual([undefined, 6])
    expect(own.total.requests).toBe(all.total.requests / 2)
  })
})

describe('The explanation', () => {
  it('has lost fields with the names of keys, and what caches saved at the price that was applied', async () => {
    const { world, member } = await seeded()
    const price = { id: 'p', input: 2_000_000, output: 1, cacheRead: 500_000 }
    Object.assign(world.parts, { prices: { priceOf: () => price } })
    const path = `/explanation?from=${NOVEMBER}&to=${NOVEMBER + 7 * DAY}`
    const { losses, caches, requests } = JSON.parse((await world.owner.ask('GET', path)).text)
    expect(requests).toBe(46)
    expect(losses).toEqual([expect.objectContaining({ path: 'seed', keyName: 'web', requests: 5 })])
    const saved = caches.reduce((sum: number, one: { saved: string }) => sum + Number(one.saved), 0)
    // 4 tokens a request, at 1.5 instead of 2 nano-dollars each: every group is rounded down.
    expect(saved).toBeGreaterThan(46 * 6 - caches.length)
    expect(saved).toBeLessThanOrEqual(46 * 6)
    expect(JSON.parse((await member.ask('GET', path)).text)).toMatchObject({ requests: 23, losses: [] })
  })
})
