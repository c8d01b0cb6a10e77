import { describe, expect, it, vi } from 'vitest'
import { CHAT, chatAnswer } from '../../../core/test/support/wire.ts'
import type { ProviderInstance } from '../../src/index.ts'
import { dime, SMALL, startBounded } from '../support/budgets.ts'
import { chatProvider } from '../support/gateway.ts'
import { startUpstream, type UpstreamCall } from '../support/upstream.ts'

const chat = (url: string, changes: Partial<ProviderInstance> = {}): ProviderInstance =>
  chatProvider(url, { known: [SMALL], ...changes })
const down = (call: UpstreamCall): void => call.answer(500, { error: { message: 'down' } })

interface Attack {
  readonly name: string
  /** Ends the call after the vendor has done the work. */
  fail(call: UpstreamCall): unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly stream?: boolean
}

/** Ways in which callers and upstreams make a request fail after the work is done. */
const ATTACKS: readonly Attack[] = [
  { name: 'times out', fail() {}, headers: { 'headgate-timeout-ms': '100' } },
  { name: 'gets a response over the limit', fail: (call) => call.answer(200, chatAnswer('x'.repeat(5_000))) },
  { name: 'gets a stream without content', fail: (call) => call.stream([]), stream: true },
  { name: 'is reset', fail: (call) => call.reset() },
  { name: 'gets no JSON', fail: (call) => call.answer(200, 'work done') },
  {
    name: 'gets an error with the status 200',
    fail: (call) => call.answer(200, { error: { message: 'done', type: 'server_error' } }),
  },
  { name: 'is redirected', fail: (call) => call.answer(307, '') },
]

describe('A budget of failing requests', () => {
  it.each(ATTACKS)('bounds what the vendor charges if each $name', async ({ fail, headers = {}, stream = false }) => {
    let worked = 0
    const upstream = await startUpstream((call) => {
      worked += 1
      return fail(call)
    })
    const providers = [chat(upstream.url), chat(upstream.url, { name: 'beta' })]
    const gateway = await startBounded('node', 0.5, { providers, limits: { answer: 4_000 } })
    for (let count = 0; count < 8; count += 1) await (await gateway.post(CHAT, { ...dime, stream }, { headers })).text()
    expect(worked).toBe(5)
    expect(gateway.cents()).toEqual({ spent: 50, held: 0 })
    for (const { charged, cost } of gateway.rows) expect([charged, cost]).toEqual([0, null])
  })

  it('bounds what the vendor charges if each caller leaves', async () => {
    const upstream = await startUpstream()
    const gateway = await startBounded('node', 0.5, { providers: [chat(upstream.url)] })
    for (let count = 0; count < 5; count += 1) {
      const leaving = new AbortController()
      const answer = gateway.post(CHAT, dime, { signal: leaving.signal }).catch(() => undefined)
      await upstream.next()
      leaving.abort()
      await answer
      await vi.waitUntil(() => gateway.cents().held === 0)
    }
    expect((await gateway.post(CHAT, dime)).status).toBe(429)
    expect([upstream.calls.length, gateway.cents()]).toEqual([5, { spent: 50, held: 0 }])
  })

  it('holds nothing for an outage that answers 500 to everything', async () => {
    const upstream = await startUpstream(down)
    const gateway = await startBounded('node', 0.5, { providers: [chat(upstream.url)] })
    for (let count = 0; count < 8; count += 1) expect((await gateway.post(CHAT, dime)).status).toBe(500)
    expect(gateway.cents()).toEqual({ spent: 0, held: 0 })
  })

  it('refuses only the key whose unknown costs hold 20 % of a budget that it shares', async () => {
    const upstream = await startUpstream((call) =>
      call.json()['user'] === 'bad' ? call.reset() : call.answer(200, chatAnswer()),
    )
    const authenticate = (credential: string) => ({
      id: credential === 'sk-bad' ? 'key-2' : 'key-1',
      owners: { project: 'site' },
    })
    const budget = { scope: 'project', owner: 'site' } as const
    const providers = [chat(upstream.url)]
    const gateway = await startBounded('node', 5, {
      budget,
      authenticate,
      providers,
      limits: {},
      retries: { share: 0, least: 0 },
    })
    const ask = async (key: string, user: string) => {
      const answer = await gateway.post(CHAT, { ...dime, user }, { headers: { authorization: `Bearer ${key}` } })
      return { status: answer.status, text: await answer.text() }
    }
    let refused = { status: 0, text: '' }
    for (let count = 0; count < 20 && refused.status !== 429; count += 1) refused = await ask('sk-bad', 'bad')
    expect(refused).toMatchObject({
      status: 429,
      text: expect.stringContaining('Unknown costs of this key hold 1 dollars of the budget'),
    })
    expect(gateway.cents()).toEqual({ spent: 100, held: 0 })
    expect((await ask('sk-good', 'good')).status).toBe(200)
  })

  it('follows what an adapter declares of errors and of aborted calls', async () => {
    const refusing = await startUpstream(down)
    const breaking = await startUpstream((call) => call.reset())
    const billed = await startBounded('node', 0.5, {
      providers: [chat(refusing.url, { billing: { errors: 'billed' } })],
    })
    const free = await startBounded('node', 0.5, { providers: [chat(breaking.url, { billing: { aborted: 'free' } })] })
    for (const { post } of [billed, free]) await (await post(CHAT, dime)).text()
    expect([billed.cents().spent > 0, free.cents()]).toEqual([true, { spent: 0, held: 0 }])
  })
})
