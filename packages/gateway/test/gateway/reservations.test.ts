import { describe, expect, it } from 'vitest'
import { signed } from '../../../core/src/provider.ts'
import { createInbox } from '../../../core/test/support/inbox.ts'
import { CHAT, chatChunk } from '../../../core/test/support/wire.ts'
import type {
  BudgetRefusal,
  BudgetRequest,
  Budgets,
  GatewayOptions,
  ProviderInstance,
  UsageRow,
} from '../../src/index.ts'
import { dime, SMALL, spending, startBounded, TIED_UP, verdict } from '../support/budgets.ts'
import { chatProvider, startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

const chat = (url: string, changes: Partial<ProviderInstance> = {}): ProviderInstance =>
  chatProvider(url, { known: [SMALL], ...changes })
const streamed = { ...dime, stream: true }

const REFUSAL: BudgetRefusal = {
  why: 'limit',
  budget: { name: 'team', scope: 'key', limit: 5n, period: 'day' },
  spent: 0n,
  held: 5n,
  room: 0n,
  retryAfterMs: 1_000,
}

/** Budgets that answer when the test says so, and note what they are told. */
function slowBudgets() {
  const asks = createInbox<{
    readonly ask: BudgetRequest
    answer(refusal?: BudgetRefusal): void
    fail(error: Error): void
  }>()
  const told = createInbox<{ readonly released: string } | { readonly settled: UsageRow }>()
  const budgets: Budgets = {
    bounds: () => true,
    reserve: (ask) => new Promise((answer, fail) => asks.push({ ask, answer, fail })),
    release: (released) => void told.push({ released }),
    settle: (settled) => void told.push({ settled }),
  }
  return { budgets, asks, told }
}

describe('What is reserved', () => {
  it('is what one call may cost, for the row that the request will have', async () => {
    const upstream = await startUpstream(spending())
    const { budgets, asks, told } = slowBudgets()
    const { post } = await startGateway('node', { providers: [chat(upstream.url)], budgets })
    const answer = post(CHAT, dime)
    const { ask, answer: grant } = await asks.next()
    expect(ask).toEqual({
      id: expect.any(String),
      principal: expect.objectContaining({ id: 'key-1' }),
      bound: 100_000_000,
      at: expect.any(Number),
      family: 'chat',
      format: 'chat-completions',
      model: 'small',
      provider: 'alpha',
      providerModel: 'small',
      priceId: 'list@today',
    })
    expect(upstream.calls).toEqual([])
    grant()
    expect((await answer).status).toBe(200)
    expect(told.all).toMatchObject([{ settled: { id: ask.id, startedAt: ask.at, cost: 100_000_000 } }])
  })

  it.each(['whole', 'streamed'])('goes back where the caller leaves before it is there: %s', async (how) => {
    const upstream = await startUpstream()
    const { budgets, asks, told } = slowBudgets()
    const { post, access, rows } = await startGateway('node', { providers: [chat(upstream.url)], budgets })
    const leaving = new AbortController()
    const answer = post(CHAT, how === 'whole' ? dime : streamed, { signal: leaving.signal })
    const { ask, answer: grant } = await asks.next()
    leaving.abort()
    await expect(answer).rejects.toThrow('aborted')
    expect(await access.next()).toMatchObject({ status: 499, error: { kind: 'canceled' } })
    expect(told.all).toEqual([{ released: ask.id }])
    grant()
    await told.next()
    expect(await told.next()).toEqual({ released: ask.id })
    expect([upstream.calls, rows]).toEqual([[], []])
  })

  it('goes back where the deadline passes before it is there', async () => {
    const upstream = await startUpstream()
    const { budgets, asks, told } = slowBudgets()
    const { post, rows } = await startGateway('node', { providers: [chat(upstream.url)], budgets })
    const answer = await post(CHAT, dime, { headers: { 'headgate-timeout-ms': '20' } })
    expect([answer.status, await answer.text()]).toEqual([500, expect.stringContaining('exceeded its time limit')])
    const { ask, answer: grant } = await asks.next()
    grant()
    expect([await told.next(), await told.next()]).toEqual([{ released: ask.id }, { released: ask.id }])
    expect([upstream.calls, rows]).toEqual([[], []])
  })

  it('of a later call goes back without what the earlier one may cost', async () => {
    const upstream = await startUpstream((call) => call.reset())
    const { budgets, asks, told } = slowBudgets()
    const { post, access } = await startGateway('node', { providers: [chat(upstream.url)], budgets })
    const leaving = new AbortController()
    const answer = post(CHAT, dime, { signal: leaving.signal })
    const first = await asks.next()
    first.answer()
    const second = await asks.next()
    expect(second.ask.id).toBe(first.ask.id)
    leaving.abort()
    await expect(answer).rejects.toThrow('aborted')
    await access.next()
    // The row settles what was reserved by then, so that what comes after it is all that there is to be released.
    expect(told.all).toMatchObject([{ settled: { id: first.ask.id, attempts: [{ cost: null }] } }])
    second.answer()
    await told.next()
    expect(await told.next()).toEqual({ released: first.ask.id })
  })

  it('is not sent for where the budgets refuse', async () => {
    const upstream = await startUpstream()
    const { budgets, asks, told } = slowBudgets()
    const { post, rows } = await startGateway('node', { providers: [chat(upstream.url)], budgets })
    const answer = post(CHAT, dime)
    ;(await asks.next()).answer(REFUSAL)
    expect(verdict(await answer)).toEqual(TIED_UP)
    expect([upstream.calls, rows, told.all.some((one) => 'settled' in one)]).toEqual([[], [], false])
  })

  it('is answered with 503 and a wait, never with a quota, while the store is unreachable', async () => {
    const { budgets, asks } = slowBudgets()
    const { post } = await startGateway('node', { providers: [chat('http://127.0.0.1:9')], budgets })
    for (const [path, body, error] of [
      [CHAT, dime, { error: { type: 'server_error', code: 'unavailable' } }],
      [
        '/v1/responses',
        { model: 'small', input: 'x', max_output_tokens: 1 },
        { error: { type: 'server_error', code: 'unavailable' } },
      ],
      ['/v1/messages', { ...dime, max_tokens: 1 }, { type: 'error', error: { type: 'api_error' } }],
      [
        '/v1beta/models/small:generateContent',
        { contents: [{ role: 'user', parts: [{ text: 'x' }] }] },
        { error: { code: 503, status: 'UNAVAILABLE' } },
      ],
    ] as const) {
      const answer = post(path, body)
      ;(await asks.next()).answer({ ...REFUSAL, why: 'away', retryAfterMs: 7_000 })
      const answered = await answer
      expect(verdict(answered)).toEqual([503, null, '7'])
      expect(await answered.json()).toMatchObject(error)
    }
  })

  it('is not believed to be there where the budgets fail', async () => {
    const upstream = await startUpstream()
    const { budgets, asks, told } = slowBudgets()
    const gateway = await startGateway('node', { providers: [chat(upstream.url)], budgets })
    const answer = gateway.post(CHAT, dime)
    const { ask, fail } = await asks.next()
    fail(new Error('The disk is gone.'))
    const answered = await answer
    expect([verdict(answered), (await answered.text()).includes('disk')]).toEqual([[503, null, '1'], false])
    await gateway.access.next()
    expect([told.all, gateway.warnings, upstream.calls]).toEqual([
      [{ released: ask.id }],
      ['Budgets could not be checked: The disk is gone.'],
      [],
    ])
  })

  const thrower = (): never => {
    throw new Error('It is broken.')
  }
  const support = (changes: object) => ({
    chat: [{ format: 'chat-completions' as const, path: () => '/chat/completions', ...changes }],
  })
  /** The nth time that a price is asked for. */
  const failingPrices = (nth: number): Partial<GatewayOptions> => {
    let asked = 0
    return { prices: { priceOf: () => (++asked === nth ? thrower() : SMALL.price) } }
  }
  const faults: readonly (readonly [string, Partial<ProviderInstance>, Partial<GatewayOptions>])[] = [
    ['a price, before', {}, failingPrices(1)],
    ['a price, at the end', {}, failingPrices(2)],
    ['a signature', { credential: signed({ sign: thrower }) }, {}],
    [
      'a credential that is leased',
      { credential: signed({ lease: { hosts: [], obtain: thrower, secrets: () => [] } as never, sign: () => ({}) }) },
      {},
    ],
    ['a patch of the request', support({ patchRequest: thrower }), {}],
    ['a patch of the answer', support({ patchResponse: thrower }), {}],
    ['a patch of a frame', support({ patchFrame: thrower }), {}],
    ['the path', support({ path: thrower }), {}],
    ['the ledger', {}, { ledger: { settle: thrower } }],
    ['the estimator', {}, { estimateTokens: thrower }],
    ['what hears of the end', {}, { onAccess: thrower }],
  ]

  it.each(
    faults.flatMap(([what, ...rest]) => [
      [what, 'whole', dime, ...rest] as const,
      [what, 'streamed', streamed, ...rest] as const,
    ]),
  )('is not held any longer where something throws: %s, %s', async (_, __, body, changes, options) => {
    const upstream = await startUpstream(spending())
    const gateway = await startBounded('node', 5, { providers: [chat(upstream.url, changes)], ...options })
    await gateway.post(CHAT, body).then(
      (answer) => answer.text().catch(() => {}),
      () => {},
    )
    await expect.poll(() => [gateway.gateway.inFlight(), gateway.cents().held]).toEqual([0, 0])
  })

  it.each([
    ['closes before it answers', (call) => call.cut()],
    ['breaks off', (call) => call.raw('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{"id"') ?? call.cut()],
    ['refuses', (call) => call.answer(400, { error: { message: 'no' } })],
    ['says nothing', (call) => call.answer(200, '')],
    ['breaks off in a stream', (call) => call.stream([chatChunk({ content: 'Hi' })])],
    ['fails in a stream', (call) => call.stream(['data: {"error":{"message":"no"}}\n\n'])],
  ] satisfies [string, Parameters<typeof startUpstream>[0]][])(
    'is not held any longer where the upstream %s',
    async (_, handler) => {
      const upstream = await startUpstream(handler)
      const gateway = await startBounded('node', 5, { providers: [chat(upstream.url)], budget: { counts: 'cost' } })
      for (const body of [dime, streamed])
        await gateway.post(CHAT, body).then((answer) => answer.text().catch(() => {}))
      await expect.poll(() => [gateway.gateway.inFlight(), gateway.cents().held]).toEqual([0, 0])
      const cost = gateway.rows.reduce((sum, row) => sum + (row.cost ?? 0), 0)
      expect(gateway.cents().spent).toBeGreaterThanOrEqual(cost / 10_000_000)
    },
  )
})
