import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { startInProcess } from './in-process.ts'
import { command, type Started, start } from './program.ts'
import { type Called, startReceiver } from './receiver.ts'
import { itAlsoWithWorkers } from './signed-in.ts'
import { temporaryFolder } from './temporary.ts'
import { startUpstream } from './upstream.ts'

/** An answer of the upstream has three tokens: at this price they cost 30 cents, and so much can they cost at most. */
const PRICE = { input: 0, output: 100_000 }

async function configuration(changes: object = {}): Promise<Record<string, unknown>> {
  const { baseUrl } = await startUpstream()
  return {
    keys: [{ key: 'sk-local-a', name: 'a', scopes: ['metrics'], models: ['*'] }],
    providers: { mine: { adapter: 'openai-compatible', baseUrl, models: ['model-1'] } },
    prices: { 'mine/model-1': PRICE },
    ...changes,
  }
}

function post({ url }: Started, key: string, body: object): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body: JSON.stringify(body) })
}

function ask(gateway: Started, key: string): Promise<Response> {
  return post(gateway, key, { model: 'model-1', max_tokens: 3, messages: [{ role: 'user', content: 'Hello' }] })
}

async function statuses(gateway: Started, key: string, count: number): Promise<number[]> {
  const found: number[] = []
  for (let index = 0; index < count; index += 1) {
    const answer = await ask(gateway, key)
    await answer.text()
    found.push(answer.status)
  }
  return found
}

/** Spent and left of each budget, by its id. */
async function sums(folder: string): Promise<Record<string, [spent: string, left: string]>> {
  const { stdout } = await command(['budgets'], { folder })
  const rows = stdout.trim().split('\n').slice(1)
  return Object.fromEntries(
    rows.map((row) => row.split(/ {2,}/)).map(([id, , , , , , spent = '', , left = '']) => [id, [spent, left]]),
  )
}

async function reloaded(gateway: Started, folder: string, config: object): Promise<void> {
  const before = gateway.output().length
  writeFileSync(join(folder, 'headgate.config.json'), JSON.stringify(config))
  gateway.reload()
  await vi.waitUntil(() => gateway.output().slice(before).includes('reloaded the configuration'), {
    timeout: 60_000,
  })
}

describe('A gateway with budgets in its configuration', () => {
  it('keeps keys, projects and all together within them, also when the configuration is read anew', async () => {
    const keys = [
      { key: 'sk-local-own', budgets: ['0.65/day'] },
      { key: 'sk-local-one', project: 'web' },
      { key: 'sk-local-two', project: 'web' },
      { key: 'sk-local-free', scopes: ['metrics'], models: ['*'] },
    ]
    const budgets = { projects: { web: [{ limit: 0.9, period: 'week' }] }, organization: ['2/month'] }
    const config = await configuration({ keys, budgets })
    const folder = temporaryFolder({ 'headgate.config.json': config })
    const gateway = await startInProcess({ folder })
    expect(await statuses(gateway, 'sk-local-own', 3)).toEqual([200, 200, 429])
    expect(await statuses(gateway, 'sk-local-one', 2)).toEqual([200, 200])
    expect(await statuses(gateway, 'sk-local-two', 2)).toEqual([200, 429])
    expect(await statuses(gateway, 'sk-local-free', 2)).toEqual([200, 429])
    const spent = await sums(folder)
    const [own = ''] = Object.keys(spent).filter((id) => id.startsWith('config:key:'))
    expect(spent).toMatchObject({
      [own]: ['0.60', '0.05'],
      'config:project:web:week': ['0.90', '0.00'],
      'config:organization:org_default:month': ['1.80', '0.20'],
    })

    await reloaded(gateway, folder, {
      ...config,
      keys: [{ key: 'sk-local-own', budgets: ['1.25/day'] }, keys[1]],
      budgets: {},
    })
    expect(await statuses(gateway, 'sk-local-own', 3)).toEqual([200, 200, 429])
    expect(await statuses(gateway, 'sk-local-one', 1)).toEqual([200])
    expect(await sums(folder)).toEqual({ [own]: ['1.20', '0.05'] })
    await gateway.stop()
  })

  it('serves what nobody knows a price of where the configuration says so', async () => {
    const keys = [{ key: 'sk-local-a', budgets: ['0.65/day'] }]
    const open = (changes: object) => ({ ...changes, messages: [{ role: 'user', content: 'Hello' }] })
    const config = { ...(await configuration({ keys })), prices: {} }
    const folder = temporaryFolder({ 'headgate.config.json': config })
    const gateway = await startInProcess({ folder })
    expect((await post(gateway, 'sk-local-a', open({ model: 'model-1' }))).status).toBe(429)
    await reloaded(gateway, folder, { ...config, budgets: { unknownPrice: 'allow' } })
    expect((await post(gateway, 'sk-local-a', open({ model: 'model-1' }))).status).toBe(200)
    await gateway.stop()
  })

  it('counts what it refuses, by scope', async () => {
    const rated = { key: 'sk-local-b', limits: { requestsPerMinute: 1 } }
    const keys = [{ key: 'sk-local-a', models: ['*'], scopes: ['metrics'], budgets: ['0/day'] }, rated]
    const folder = temporaryFolder({ 'headgate.config.json': await configuration({ keys }) })
    const gateway = await startInProcess({ folder })
    const answer = await ask(gateway, 'sk-local-a')
    expect([answer.status, await answer.json()]).toEqual([
      429,
      { error: expect.objectContaining({ code: 'insufficient_quota' }) },
    ])
    expect(await statuses(gateway, 'sk-local-b', 3)).toEqual([200, 429, 429])
    const metrics = await (
      await fetch(`${gateway.url}/metrics`, { headers: { authorization: 'Bearer sk-local-a' } })
    ).text()
    expect(metrics).toContain('headgate_budget_refusals_total{scope="key",why="limit"} 1\n')
    expect(metrics).toContain('headgate_rate_refusals_total{scope="key",unit="requests"} 2\n')
    expect(metrics).toContain('headgate_budget_bounds_missed_total 0\n')
    await gateway.stop()
  })
})

describe('headgate budgets, beside a gateway that runs', () => {
  it('is felt by it within a second', async () => {
    const folder = temporaryFolder({ 'headgate.config.json': await configuration() })
    const gateway = await startInProcess({ folder })
    const { stdout } = await command(['keys', 'create', '--name', 'ci', '--budget', '0.3/day'], { folder })
    const key = stdout.trim()
    const within = async (wanted: number): Promise<void> => {
      await vi.waitUntil(async () => (await statuses(gateway, key, 1))[0] === wanted, { timeout: 1_500, interval: 50 })
    }
    expect(await statuses(gateway, key, 2)).toEqual([200, 429])
    await command(['budgets', 'set', 'key:ci', '0.6/day'], { folder })
    await within(200)
    expect(await statuses(gateway, key, 1)).toEqual([429])
    const [id = ''] = Object.keys(await sums(folder))
    await command(['budgets', 'remove', id], { folder })
    await within(200)
    await command(['budgets', 'set', 'organization', '0'], { folder })
    await within(429)
    await gateway.stop()
  })
})

const told = (called: readonly Called[]): Record<string, Record<string, unknown>>[] =>
  called.map(({ body }) => JSON.parse(body))

describe('Alerts of budgets', () => {
  itAlsoWithWorkers('reach whom the configuration names at 50, 80 and 100 %, once, and the log', async (args) => {
    const { url, called } = await startReceiver()
    const budgets = { alerts: { url, private: true } }
    const keys = [{ key: 'sk-local-a', budgets: ['soft:1.2/day'] }]
    const folder = temporaryFolder({ 'headgate.config.json': await configuration({ keys, budgets }) })
    const gateway = await (args.length > 0 ? start : startInProcess)({ folder, args })
    expect(await statuses(gateway, 'sk-local-a', 6)).toEqual([200, 200, 200, 200, 200, 200])
    await vi.waitUntil(() => called.length >= 3, { timeout: 60_000 })
    await gateway.stop()
    const budget = {
      id: expect.stringMatching(/^config:key:/),
      name: '$1.20 a day',
      scope: 'key',
      owner: expect.any(String),
    }
    expect(
      told(called)
        .map(({ type, data }) => [type, data?.['share']])
        .sort(),
    ).toEqual([
      ['budget.threshold', 0.5],
      ['budget.threshold', 0.8],
      ['budget.threshold', 1],
    ])
    for (const { data } of told(called))
      expect(data).toMatchObject({ budget, limit: '1.2', spent: expect.stringMatching(/^\d\.\d$/) })
    const lines = gateway.log().filter(({ msg }) => String(msg).includes('of the soft budget "$1.20 a day"'))
    expect(lines.map(({ percent }) => percent).sort()).toEqual([100, 50, 80])
  })
})
