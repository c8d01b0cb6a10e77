import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { BudgetAlert, Store } from '@headgate/store'
import { createSecret } from '@headgate/store'
import { alertSecret, alertTarget, createAlerts, sampleAlert } from '@headgate/store/alerts'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { fileOf, snippetsIn } from '../../../tools/docs/snippets.ts'
import { command } from './program.ts'
import { startReceiver } from './receiver.ts'
import { temporaryFolder } from './temporary.ts'

const PAGE = join(import.meta.dirname, '../../../docs/budgets.md')
const SECRET = createSecret('0123456789abcdef0123456789abcdef0123456789ab')

type Verify = (headers: Headers, body: string, secret: string) => boolean

/** What the page of budgets says that verifies an alert. */
async function documentedCheck(): Promise<Verify> {
  const snippet = snippetsIn('docs/budgets.md', readFileSync(PAGE, 'utf8')).find((one) => fileOf(one) === 'alert.ts')
  const file = join(temporaryFolder(), 'alert.ts')
  writeFileSync(file, snippet?.code ?? '')
  const { isHeadgates }: { isHeadgates: Verify } = await import(/* @vite-ignore */ pathToFileURL(file).href)
  return isHeadgates
}

/** Keeps alerts as a store does, and says what was done with them. */
function keeping(...alerts: readonly BudgetAlert[]) {
  const due = [...alerts]
  const done: string[] = []
  const dropped: string[] = []
  const put: { id: string; at: number }[] = []
  const store: Pick<Store['alerts'], 'take' | 'done' | 'drop' | 'later'> = {
    take: async (limit) => due.splice(0, limit),
    done: async (id) => void done.push(id),
    drop: async (id) => void dropped.push(id),
    later: async (id, at = 0) => put.push({ id, at }) > 0 && id !== 'given up',
  }
  return { store, due, done, dropped, put }
}

const alert = (changes: Partial<BudgetAlert> = {}): BudgetAlert => ({ ...sampleAlert(1_763_683_200_000), ...changes })

function deliverer(kept: ReturnType<typeof keeping>, config: Parameters<typeof alertTarget>[0] | undefined) {
  const said: string[] = []
  const problems: string[] = []
  const alerts = createAlerts({
    store: kept.store,
    target: config && alertTarget(config, () => SECRET),
    onAlert: (_, sentence) => said.push(sentence),
    onProblem: (problem) => problems.push(problem),
  })
  onTestFinished(() => alerts.end())
  return { alerts, said, problems }
}

/** Answers every call with this status. */
async function startRefusing(status: number, headers = {}): Promise<{ url: string; calls: () => number }> {
  let calls = 0
  const server = createServer((_, response) => {
    calls += 1
    response.writeHead(status, headers).end()
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, calls: () => calls }
}

describe('Alerts', () => {
  it('are posted, signed as the documentation checks it, and done', async () => {
    const { url, called } = await startReceiver()
    const budget = { id: 'b1', name: '$5 a day', scope: 'key' as const, owner: 'key_1', soft: false }
    const kept = keeping(
      alert({
        id: 'a1',
        budget,
        percent: 80,
        spent: 4_000_000_001n,
        window: '2025-11-21@UTC',
        resetAt: 1_763_769_600_000,
      }),
    )
    const { alerts, said } = deliverer(kept, { url, private: true })
    alerts.wake()
    await vi.waitUntil(() => kept.done.length > 0)
    const [first] = called
    if (!first) throw new Error('Nobody was called.')
    expect(JSON.parse(first.body)).toEqual({
      type: 'budget.threshold',
      timestamp: '2025-11-21T00:00:00.000Z',
      data: {
        budget: { id: 'b1', name: '$5 a day', scope: 'key', owner: 'key_1' },
        share: 0.8,
        spent: '4.000000001',
        limit: '5',
        window: '2025-11-21@UTC',
        reset_at: '2025-11-22T00:00:00.000Z',
      },
    })
    expect([first.headers.get('webhook-id'), kept.done]).toEqual(['a1', ['a1']])
    const isHeadgates = await documentedCheck()
    const secret = alertSecret(SECRET)
    expect([
      isHeadgates(first.headers, first.body, secret),
      isHeadgates(first.headers, `${first.body} `, secret),
    ]).toEqual([true, false])
    expect(said).toEqual(['80 % of the budget "$5 a day" of key key_1 is spent: $4.000000001 of $5'])
  })

  it('are signed with the secret of the configuration where it has one', async () => {
    const { url, called } = await startReceiver()
    const secret = `whsec_${'a'.repeat(44)}`
    const kept = keeping(alert())
    deliverer(kept, { url, secret, private: true }).alerts.wake()
    await vi.waitUntil(() => kept.done.length > 0)
    const isHeadgates = await documentedCheck()
    expect(called.map(({ headers, body }) => isHeadgates(headers, body, secret))).toEqual([true])
  })

  it('are logged, and not marked as delivered, without a destination', async () => {
    const kept = keeping(alert({ id: 'a1' }))
    const { alerts, said } = deliverer(kept, undefined)
    alerts.wake()
    await vi.waitUntil(() => kept.dropped.length > 0)
    expect([said.length, kept.dropped, kept.done]).toEqual([1, ['a1'], []])
  })

  it('are tried again after waits that grow, without a second line in the log, and given up in the end', async () => {
    const { url } = await startRefusing(500)
    const waits: number[] = []
    for (const tries of [0, 1, 2, 5, 8]) {
      const kept = keeping(alert({ tries }))
      const { alerts, said } = deliverer(kept, { url, private: true })
      const before = Date.now()
      alerts.wake()
      await vi.waitUntil(() => kept.put.length > 0)
      waits.push(Math.floor(((kept.put[0]?.at ?? 0) - before) / 5_000) * 5_000)
      expect(said).toHaveLength(tries === 0 ? 1 : 0)
    }
    expect(waits).toEqual([5_000, 15_000, 60_000, 3_600_000, 28_800_000])
    const kept = keeping(alert({ id: 'given up', tries: 11 }))
    const { alerts, problems } = deliverer(kept, { url, private: true })
    alerts.wake()
    await vi.waitUntil(() => problems.length > 0)
    expect(problems).toEqual([
      'Alert given up could not be delivered and will not be tried again: the server responded with status 500.',
    ])
    expect(kept.done).toEqual([])
  })

  it('go to public addresses only, unless the configuration says otherwise, and follow no redirect', async () => {
    const { url, called } = await startReceiver()
    const elsewhere = await startRefusing(307, { location: url })
    const [private_, redirected] = [keeping(alert()), keeping(alert())]
    deliverer(private_, { url }).alerts.wake()
    deliverer(redirected, { url: elsewhere.url, private: true }).alerts.wake()
    await vi.waitUntil(() => private_.put.length > 0 && redirected.put.length > 0)
    expect([called, elsewhere.calls()]).toEqual([[], 1])
  })

  it('go on where the store was away, and are all told of', async () => {
    const { url, called } = await startReceiver()
    const kept = keeping(...Array.from({ length: 25 }, (_, index) => alert({ id: `a${index}` })))
    const take = vi.spyOn(kept.store, 'take').mockRejectedValueOnce(new Error('away'))
    const { alerts } = deliverer(kept, { url, private: true })
    alerts.wake()
    await vi.waitUntil(() => take.mock.calls.length === 1)
    await vi.waitUntil(() => {
      alerts.wake()
      return kept.done.length === 25
    })
    expect(called).toHaveLength(25)
  })
})

describe('headgate budgets', () => {
  const folderOf = (alerts: object | undefined): string =>
    temporaryFolder({ 'headgate.config.json': { budgets: alerts ? { alerts } : {} } })

  it('alert-secret prints what verifies what test-alert sends', async () => {
    const { url, called } = await startReceiver()
    const folder = folderOf({ url, private: true })
    expect(await command(['budgets', 'test-alert'], { folder })).toEqual({
      code: 0,
      stdout: '',
      stderr: 'Sent a test alert. The server answered with 2xx.\n',
    })
    const { stdout } = await command(['budgets', 'alert-secret'], { folder })
    const isHeadgates = await documentedCheck()
    expect(called.map(({ headers, body }) => isHeadgates(headers, body, stdout.trim()))).toEqual([true])
    expect(JSON.parse(called[0]?.body ?? '')).toMatchObject({
      type: 'budget.threshold',
      data: { budget: { name: 'test without a budget' } },
    })
  })

  it('test-alert says what is wrong', async () => {
    const { url } = await startReceiver()
    expect(await command(['budgets', 'test-alert'], { folder: folderOf(undefined) })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('set budgets.alerts.url'),
    })
    expect((await command(['budgets', 'test-alert'], { folder: folderOf({ url }) })).stderr).toBe(
      'headgate: The test alert did not reach budgets.alerts.url: the host 127.0.0.1 has no public address.\n',
    )
  })
})
