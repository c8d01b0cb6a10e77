import { describe, expect, it } from 'vitest'
import { dryRunSchema } from '../../src/serve/dry-run-schema.ts'
import { PRICE, SPENT, startBounded, verdict } from '../support/budgets.ts'
import { startLenientVendor, WIRES, type Wire } from '../support/lenient-vendor.ts'

const wires = Object.entries(WIRES)
const directions = wires.flatMap(([from, caller]) => wires.map(([to, provider]) => ({ from, to, caller, provider })))
const UNKNOWN = { id: 'small', price: PRICE }
const chat = WIRES['chat completions'] as Wire

describe('A priced model whose output limit is unknown, under a budget,', () => {
  it.each(directions)('gets a limit that the budget pays for: $from to $to', async ({ caller, provider }) => {
    const vendor = await startLenientVendor(100_000)
    const gateway = await startBounded('node', 10, { providers: [provider.provider(vendor.url, { known: [UNKNOWN] })] })
    const lost: (string | null)[] = []
    let last: Response
    do {
      last = await gateway.post(caller.path, caller.request())
      if (last.status === 200) lost.push(last.headers.get('headgate-lost'))
    } while (last.status === 200)
    // 8,192 tokens at most, then what is left, then less than a useful answer.
    expect([lost, vendor.produced(), gateway.cents()]).toEqual([
      [`${caller.lost};changed`, `${caller.lost};changed`],
      10_000,
      { spent: 1_000, held: 0 },
    ])
    expect(verdict(last)).toEqual(SPENT)
  })

  it('gets no limit that its context has no space for', async () => {
    const vendor = await startLenientVendor(100_000)
    const request = { ...chat.request(), user: 'x'.repeat(1_000) }
    const size = Buffer.byteLength(JSON.stringify(request))
    for (const facts of [{ context: 4_096 }, { context: 4_096, output: 4_096 }]) {
      const gateway = await startBounded('node', 4, {
        providers: [chat.provider(vendor.url, { known: [{ ...UNKNOWN, ...facts }] })],
      })
      await gateway.post(chat.path, request)
      expect(vendor.calls.at(-1)?.json()).toMatchObject({ max_tokens: 4_096 - size })
    }
  })

  it('is refused where the caller forbids changes, and says what to do', async () => {
    const vendor = await startLenientVendor(100_000)
    const gateway = await startBounded('node', 10, { providers: [chat.provider(vendor.url, { known: [UNKNOWN] })] })
    const answer = await gateway.post(chat.path, chat.request(), { headers: { 'headgate-strict': 'true' } })
    expect([verdict(answer), vendor.calls]).toEqual([SPENT, []])
    expect(await answer.text()).toContain("declare the model's output limit")
  })

  it('is refused where the limit does not reach it, or it can be led to another model', async () => {
    const vendor = await startLenientVendor(100_000)
    const drop = ['max_tokens', 'max_completion_tokens']
    const known = [UNKNOWN]
    const dropping = chat.provider(vendor.url, {
      known,
      chat: [{ format: 'chat-completions', path: () => '/chat/completions', drop }],
    })
    const gateway = await startBounded('node', 10, { providers: [dropping] })
    expect(verdict(await gateway.post(chat.path, chat.request()))).toEqual(SPENT)
    const routing = await startBounded('node', 10, { providers: [chat.provider(vendor.url, { known })] })
    expect(verdict(await routing.post(chat.path, { ...chat.request(), plugins: [{ id: 'web' }] }))).toEqual(SPENT)
    expect([vendor.calls, gateway.cents(), routing.cents()]).toEqual([[], { spent: 0, held: 0 }, { spent: 0, held: 0 }])
  })

  it('gets requests unchanged if its configuration declares the limit and the budget pays for it', async () => {
    const vendor = await startLenientVendor(3_000)
    const models = { small: { output: 3_000 } }
    const gateway = await startBounded('node', 4, {
      providers: [{ provider: chat.provider(vendor.url, { known: [UNKNOWN] }), models }],
    })
    const answer = await gateway.post(chat.path, chat.request())
    expect([answer.status, answer.headers.get('headgate-lost'), vendor.calls[0]?.json()]).toEqual([
      200,
      null,
      chat.request(),
    ])
    expect(gateway.cents()).toEqual({ spent: 300, held: 0 })
  })

  it('shows the limit in a dry run', async () => {
    const gateway = await startBounded('node', 10, {
      providers: [chat.provider('http://127.0.0.1:9', { known: [UNKNOWN] })],
    })
    const answer = await gateway.post(chat.path, chat.request(), { headers: { 'headgate-dry-run': 'true' } })
    expect(dryRunSchema.parse(await answer.json()).candidates).toMatchObject([
      { budget: null, most: { output: 8_192 }, bound: '8.192' },
    ])
  })
})
