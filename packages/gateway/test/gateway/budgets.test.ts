import { describe, expect, it } from 'vitest'
import { CHAT, chatChunk, MESSAGES, messagesRequest } from '../../../core/test/support/wire.ts'
import type { ProviderInstance } from '../../src/index.ts'
import {
  DIME,
  dime,
  expectAgreed,
  PRICE,
  SMALL,
  SPENT,
  spending,
  startBounded,
  TIED_UP,
  verdict,
} from '../support/budgets.ts'
import { foreign, MODEL, server, vendor } from '../support/embeddings.ts'
import { chatProvider } from '../support/gateway.ts'
import { GENERATE } from '../support/linked-media.ts'
import { startUpstream, type UpstreamCall } from '../support/upstream.ts'

const chat = (url: string, changes: Partial<ProviderInstance> = {}): ProviderInstance =>
  chatProvider(url, { known: [SMALL], ...changes })
const cheap = { ...SMALL, price: { ...PRICE, output: PRICE.output / 10 } }

/** An upstream that answers once all requests have arrived or been refused. */
async function startGate(requests: number, answer: (call: UpstreamCall) => unknown) {
  const held: UpstreamCall[] = []
  let refused = 0
  const open = (): void => {
    if (held.length + refused === requests) for (const call of held) answer(call)
  }
  const { url } = await startUpstream((call) => {
    held.push(call)
    open()
  })
  return {
    url,
    held,
    refuse() {
      refused += 1
      open()
    },
  }
}

describe('A budget', () => {
  it.each([
    ['whole', dime],
    ['streamed', { ...dime, stream: true }],
  ])('lets as many of 500 at once through as it pays for: %s', async (_, body) => {
    const gate = await startGate(500, spending())
    const gateway = await startBounded('node', 5, { providers: [chat(gate.url)] })
    const statuses = await Promise.all(
      Array.from({ length: 500 }, async () => {
        const answer = await gateway.post(CHAT, body)
        if (answer.status === 429) gate.refuse()
        await answer.text()
        return answer.status
      }),
    )
    expect([
      statuses.filter((status) => status === 200).length,
      statuses.filter((status) => status === 429).length,
    ]).toEqual([50, 450])
    expect(gate.held.length).toBe(50)
    expectAgreed(gateway, 500)
  })

  it('refuses what it has no room for until others end, and what it has no money for', async () => {
    const upstream = await startUpstream()
    const gateway = await startBounded('node', 0.15, { providers: [chat(upstream.url)] })
    const first = gateway.post(CHAT, dime)
    const call = await upstream.next()
    const tiedUp = await gateway.post(CHAT, dime)
    expect(verdict(tiedUp)).toEqual(TIED_UP)
    expect(await tiedUp.json()).toEqual({
      error: {
        message:
          'This request may cost up to 0.1 dollars, which is more than the budget "team" of this key has left now: 0 of 0.15 dollars are spent, and 0.1 are reserved for requests in progress. Try again in 1s.',
        type: 'insufficient_quota',
        code: 'insufficient_quota',
        param: null,
      },
    })
    spending()(call)
    expect((await first).status).toBe(200)
    const spent = await gateway.post(CHAT, dime)
    expect(verdict(spent)).toEqual(SPENT)
    expect(await spent.json()).toMatchObject({
      error: {
        message:
          'This request may cost up to 0.1 dollars, which is more than the budget "team" of this key has left: 0.1 of 0.15 dollars are spent. Reduce the request, or ask for a higher limit.',
      },
    })
    const smaller = gateway.post(CHAT, { ...dime, max_tokens: DIME / 2 })
    spending(DIME / 2)(await upstream.next())
    expect((await smaller).status).toBe(200)
    expectAgreed(gateway, 15)
  })

  it('says so in the format of the caller, with when it begins anew', async () => {
    const budget = { period: 'month', zone: 'Europe/Berlin' } as const
    const gateway = await startBounded('node', 0, { providers: [chat('http://127.0.0.1:9')], budget })
    const message = expect.stringMatching(
      /"team" of this key .* 0 of 0 dollars a month are spent\. It resets at 20\d\d-\d\d-\d\dT2[23]:00:00\.000Z\./,
    )
    const inMessages = await gateway.post(MESSAGES, messagesRequest)
    expect(verdict(inMessages)).toEqual(SPENT)
    expect(await inMessages.json()).toMatchObject({ type: 'error', error: { type: 'rate_limit_error', message } })
    const inGemini = await gateway.post(GENERATE, {
      contents: [{ parts: [{ text: 'Hello' }] }],
      generationConfig: { maxOutputTokens: 5 },
    })
    expect(verdict(inGemini)).toEqual(SPENT)
    expect(await inGemini.json()).toMatchObject({ error: { code: 429, status: 'RESOURCE_EXHAUSTED', message } })
    const record = await gateway.access.next()
    expect([record.error?.kind, record.usage, gateway.rows]).toEqual(['over-budget', undefined, []])
  })

  it('names whose it is: that of a project bounds all of its keys', async () => {
    const gateway = await startBounded('node', 0, {
      providers: [chat('http://127.0.0.1:9')],
      budget: { scope: 'project', owner: 'shop', name: 'Shop' },
      authenticate: (id) => ({ id, owners: { project: id === 'sk-shop' ? 'shop' : 'other' } }),
    })
    const refused = await gateway.post(CHAT, dime, { headers: { authorization: 'Bearer sk-shop' } })
    expect([refused.status, await refused.text()]).toEqual([
      429,
      expect.stringContaining('the budget \\"Shop\\" of its project'),
    ])
    expect((await gateway.post(CHAT, dime)).status).toBe(500)
  })

  it('lets a cheaper candidate serve, and says nothing of the health of the dear one', async () => {
    const [dear, other] = [await startUpstream(spending(1)), await startUpstream(spending())]
    const gateway = await startBounded('node', 0.05, {
      providers: [chat(dear.url), chat(other.url, { name: 'beta', known: [cheap] })],
    })
    expect((await gateway.post(CHAT, dime)).headers.get('headgate-vendor')).toBe('beta')
    expect([dear.calls.length, gateway.cents()]).toEqual([0, { spent: 1, held: 0 }])
    expect((await gateway.post(CHAT, { ...dime, max_tokens: 1 })).headers.get('headgate-vendor')).toBe('alpha')
  })

  it('reserves for a second call beside the first, which may be charged', async () => {
    const first = await startUpstream((call) => call.reset())
    const second = await startUpstream()
    const providers = [chat(first.url), chat(second.url, { name: 'beta' })]
    const gateway = await startBounded('node', 0.25, { providers, budget: { counts: 'cost' } })
    const answer = gateway.post(CHAT, dime)
    const call = await second.next()
    expect(gateway.cents()).toEqual({ spent: 0, held: 20 })
    spending(DIME / 2)(call)
    expect((await answer).status).toBe(200)
    // What nobody knows of the first counts as much as it may have cost.
    expect(gateway.cents()).toEqual({ spent: 15, held: 0 })
    expect(gateway.rows[0]).toMatchObject({ cost: null, charged: 50_000_000 })
  })

  it('lets no second call be made that has no room beside the first', async () => {
    const [first, second] = [await startUpstream((call) => call.reset()), await startUpstream(spending())]
    const gateway = await startBounded('node', 0.15, {
      providers: [chat(first.url), chat(second.url, { name: 'beta' })],
    })
    expect((await gateway.post(CHAT, dime)).status).toBe(429)
    expect([first.calls.length, second.calls.length, gateway.cents()]).toEqual([1, 0, { spent: 10, held: 0 }])
    expect(gateway.rows[0]).toMatchObject({
      failure: 'over-budget',
      status: 429,
      charged: 0,
      attempts: [{ cost: null }],
    })
  })

  it('counts a call that was refused as nothing', async () => {
    const first = await startUpstream((call) => call.answer(503, { error: { message: 'busy' } }))
    const second = await startUpstream(spending())
    const providers = [chat(first.url), chat(second.url, { name: 'beta' })]
    const gateway = await startBounded('node', 0.3, { providers, budget: { counts: 'cost' } })
    expect((await gateway.post(CHAT, dime)).status).toBe(200)
    expectAgreed(gateway, 10)
  })

  it('counts what an abandoned stream had said until then', async () => {
    const upstream = await startUpstream()
    const gateway = await startBounded('node', 5, { providers: [chat(upstream.url)] })
    const leaving = new AbortController()
    const answering = gateway.post(CHAT, { ...dime, stream: true }, { signal: leaving.signal })
    const call = await upstream.next()
    call.head(200, { 'content-type': 'text/event-stream' })
    await call.write(chatChunk({ content: 'twelve words' }))
    await (await answering).body?.getReader().read()
    expect(gateway.cents()).toEqual({ spent: 0, held: 10 })
    leaving.abort()
    await call.left
    const { usage } = await gateway.access.next()
    expect(usage).toMatchObject({ why: 'canceled', estimated: true, charged: 3_000_000 })
    // The caller is billed for the estimate; the rest of the worst-case cost stays held.
    expect(gateway.cents()).toEqual({ spent: 10, held: 0 })
  })

  it('counts the bound of what was abandoned before anything of it was heard', async () => {
    const upstream = await startUpstream()
    const gateway = await startBounded('node', 5, { providers: [chat(upstream.url)] })
    const leaving = new AbortController()
    const answering = gateway.post(CHAT, dime, { signal: leaving.signal })
    const call = await upstream.next()
    leaving.abort()
    await expect(answering).rejects.toThrow('aborted')
    await call.left
    expect((await gateway.access.next()).usage).toMatchObject({ why: 'canceled', charged: null })
    expect(gateway.cents()).toEqual({ spent: 10, held: 0 })
  })

  it('books what costs more than was known, in full', async () => {
    const upstream = await startUpstream(spending(3 * DIME))
    const gateway = await startBounded('node', 0.2, { providers: [chat(upstream.url)] })
    expect((await gateway.post(CHAT, dime)).status).toBe(200)
    expectAgreed(gateway, 30)
    expect(verdict(await gateway.post(CHAT, dime))).toEqual(SPENT)
  })

  it.each([false, true])('counts nothing where the upstream says that it was nothing, streamed: %s', async (stream) => {
    const upstream = await startUpstream(spending(0))
    const gateway = await startBounded('node', 0.2, { providers: [chat(upstream.url)] })
    await gateway.post(CHAT, { ...dime, stream }).then((answer) => answer.text())
    expect(gateway.rows[0]).toMatchObject({ usage: { output: 0 }, estimated: undefined, charged: 0 })
    expectAgreed(gateway, 0)
  })

  it('holds and counts what a request costs at least', async () => {
    const upstream = await startUpstream()
    const known = [{ ...SMALL, price: { ...PRICE, minimum: 50_000_000 } }]
    const gateway = await startBounded('node', 0.05, { providers: [chat(upstream.url, { known })] })
    const answer = gateway.post(CHAT, { ...dime, max_tokens: 1 })
    const call = await upstream.next()
    expect(gateway.cents()).toEqual({ spent: 0, held: 5 })
    spending(1)(call)
    await answer
    expectAgreed(gateway, 5)
  })

  it('holds the output of each answer that is asked for', async () => {
    const upstream = await startUpstream()
    const gateway = await startBounded('node', 0.3, { providers: [chat(upstream.url)] })
    expect(verdict(await gateway.post(CHAT, { ...dime, n: 4 }))).toEqual(SPENT)
    const answer = gateway.post(CHAT, { ...dime, n: 3 })
    spending(3 * DIME)(await upstream.next())
    expect((await answer).status).toBe(200)
    expectAgreed(gateway, 30)
  })

  it('only counts where it is soft', async () => {
    const upstream = await startUpstream(spending())
    const gateway = await startBounded('node', 0.05, { providers: [chat(upstream.url)], budget: { soft: true } })
    for (const _ of [1, 2]) expect((await gateway.post(CHAT, dime)).status).toBe(200)
    expectAgreed(gateway, 20)
  })

  describe('under which nobody knows what a request may cost', () => {
    const search = { tools: [{ type: 'web_search_preview' }] }
    const unknown: readonly (readonly [string, Partial<ProviderInstance>, object, RegExp])[] = [
      [
        'has no price',
        { known: [{ id: 'small', output: 10 }] },
        dime,
        /alpha\/small has no price\. The operator can add one to prices/,
      ],
      [
        'has a limit that is none',
        { known: [{ id: 'small', price: PRICE }] },
        { ...dime, max_tokens: '12' },
        /Send max_tokens/,
      ],
      [
        'has a number of answers that is none',
        { known: [SMALL] },
        { ...dime, n: '128' },
        /an integer as number of choices/,
      ],
      [
        'has more answers than can be counted',
        { known: [SMALL] },
        { ...dime, n: 2 ** 53 - 1 },
        /worst-case cost of this request is unknown/,
      ],
      ['has tools that nothing limits', { known: [SMALL] }, { ...dime, ...search }, /limit the provider.s tools/],
      [
        'can be led to another model',
        { known: [SMALL] },
        { ...dime, plugins: [{ id: 'web' }] },
        /The field plugins can select another model/,
      ],
    ]

    it.each(unknown)('refuses what %s', async (_, changes, body, words) => {
      const upstream = await startUpstream(spending())
      const gateway = await startBounded('node', 5, { providers: [chat(upstream.url, changes)] })
      const answer = await gateway.post(CHAT, body)
      expect(verdict(answer)).toEqual(SPENT)
      expect(await answer.text()).toMatch(words)
      expect([upstream.calls, gateway.cents()]).toEqual([[], { spent: 0, held: 0 }])
    })

    it.each(unknown)('lets through what %s where that is allowed, with nothing reserved', async (_, changes, body) => {
      const upstream = await startUpstream()
      const gateway = await startBounded('node', 5, {
        providers: [chat(upstream.url, changes)],
        spending: { unknownPrice: 'allow' },
      })
      const answer = gateway.post(CHAT, body)
      const call = await upstream.next()
      expect(gateway.cents()).toEqual({ spent: 0, held: 0 })
      spending()(call)
      expect((await answer).status).toBe(200)
    })
  })

  it('lets what costs nothing be asked for without end', async () => {
    const upstream = await startUpstream(spending())
    const known = [{ id: 'small', price: { id: 'free', input: 0, output: 0 } }]
    const gateway = await startBounded('node', 0, { providers: [chat(upstream.url, { known })] })
    expect((await gateway.post(CHAT, { ...dime, max_tokens: null })).status).toBe(200)
    expectAgreed(gateway, 0)
  })

  it('leaves those alone whom none bounds', async () => {
    const upstream = await startUpstream(spending())
    const gateway = await startBounded('node', 0, { providers: [chat(upstream.url)], budget: { owner: 'key-9' } })
    expect((await gateway.post(CHAT, dime)).status).toBe(200)
    expect(gateway.cents()).toEqual({ spent: 0, held: 0 })
  })
})

describe('A budget of vectors', () => {
  const EMBEDDINGS = '/v1/embeddings'
  // A cent for each token.
  const known = [{ ...MODEL, price: { id: 'list@today', input: 10_000_000_000_000, output: 0 } }]

  it('holds a token a byte at most, and counts what was used', async () => {
    const upstream = await startUpstream()
    const gateway = await startBounded('node', 1, { providers: [server(upstream.url, { known })] })
    const body = { model: 'embed-1', input: 'Hello' }
    const answer = gateway.post(EMBEDDINGS, body)
    const call = await upstream.next()
    expect(gateway.cents()).toEqual({ spent: 0, held: Buffer.byteLength(JSON.stringify(body)) })
    expect(verdict(await gateway.post(EMBEDDINGS, { ...body, input: 'x'.repeat(80) }))).toEqual(SPENT)
    expect(verdict(await gateway.post(EMBEDDINGS, { ...body, input: 'x'.repeat(40) }))).toEqual(TIED_UP)
    vendor(call)
    expect((await answer).status).toBe(200)
    expectAgreed(gateway, 3)
  })

  it('holds each part of a batch by itself, and ends where the money does', async () => {
    const calls: UpstreamCall[] = []
    const upstream = await startUpstream((call) => {
      calls.push(call)
      if (calls.length === 3) for (const one of calls) one.answer(200, { vectors: [[1]], tokens: 2 })
    })
    const provider = foreign(upstream.url, { batch: 1 }, { known })
    const gateway = await startBounded('node', 0.4, { providers: [provider], budget: { counts: 'cost' } })
    const answer = await gateway.post(EMBEDDINGS, { model: 'embed-1', input: ['aaaaaaa', 'bbbbbbb', 'ccccccc'] })
    expect([answer.status, gateway.cents()]).toEqual([200, { spent: 6, held: 0 }])
    calls.length = 0
    const refused = await gateway.post(EMBEDDINGS, {
      model: 'embed-1',
      input: ['aaaaaaa', 'bbbbbbb', 'ccccccc', 'ddddddd'],
    })
    // The parts that were on their way are ended, and count as much as they may have cost.
    const { spent, held } = gateway.cents()
    expect([refused.status, calls.length <= 3, spent >= 6 && spent <= 36, held]).toEqual([429, true, true, 0])
  })
})
