import { describe, expect, it } from 'vitest'
import { CHAT } from '../../../core/test/support/wire.ts'
import { PRICE, SMALL, startBounded } from '../support/budgets.ts'
import { chatProvider } from '../support/gateway.ts'
import { startLenientVendor, WIRES, type Wire } from '../support/lenient-vendor.ts'
import { image, say, serve } from '../support/linked-media.ts'
import { startUpstream } from '../support/upstream.ts'

const wires = Object.entries(WIRES)
const directions = wires.flatMap(([from, caller]) => wires.map(([to, provider]) => ({ from, to, caller, provider })))
/** A dollar pays for a thousand tokens. */
const BUDGET = 5

/**
 * Attacks a budget with ten requests at once, and then until one is refused. Returns the tokens that the vendor charges
 * for.
 */
async function attack(caller: Wire, provider: Wire, limits: Record<string, unknown>) {
  const vendor = await startLenientVendor(4_000)
  const gateway = await startBounded('node', BUDGET, { providers: [provider.provider(vendor.url, { known: [SMALL] })] })
  const post = () => gateway.post(caller.path, caller.request(limits))
  const answers = await Promise.all(Array.from({ length: 10 }, post))
  const statuses = new Set(answers.map(({ status }) => status))
  for (let last = 200; last === 200; ) last = (await post()).status
  return { vendor, gateway, statuses }
}

describe('A vendor that reads limits in every spelling', () => {
  it.each(wires)('produces no more than the budget pays for: %s', async (_, wire) => {
    for (const other of wire.others) {
      const { vendor, gateway, statuses } = await attack(wire, wire, { [wire.limit]: 100, [other]: 900 })
      expect([statuses.has(200), vendor.produced() <= BUDGET * 1_000, gateway.cents().held], other).toEqual([
        true,
        true,
        0,
      ])
    }
  })

  it.each(directions)(
    'produces no more in any direction: $from to $to',
    { tags: ['full'] },
    async ({ caller, provider }) => {
      const limits = Object.fromEntries(caller.others.map((other) => [other, 900]))
      const { vendor, gateway, statuses } = await attack(caller, provider, { [caller.limit]: 100, ...limits })
      expect([statuses.has(200), vendor.produced() <= BUDGET * 1_000, gateway.cents().held]).toEqual([true, true, 0])
    },
  )

  it.each(directions)(
    'gets the limit that the money pays for in every spelling: $from to $to',
    async ({ caller, provider }) => {
      for (const known of [SMALL, { id: 'small', price: PRICE }]) {
        const vendor = await startLenientVendor(20_000)
        const gateway = await startBounded('node', 2, {
          providers: [provider.provider(vendor.url, { known: [known] })],
        })
        const limits = Object.fromEntries(caller.others.map((other) => [other, 9_000]))
        const answer = await gateway.post(caller.path, caller.request(limits))
        expect([answer.status, answer.headers.get('headgate-lost')?.includes(`${caller.lost};changed`)]).toEqual([
          200,
          true,
        ])
        expect([vendor.produced(), gateway.cents()]).toEqual([2_000, { spent: 200, held: 0 }])
      }
    },
  )

  it.each(wires)(
    'gets limits that are invalid or null in another spelling as the limit that the money pays for: %s',
    async (_, wire) => {
      const [other = ''] = wire.others
      for (const value of [null, -1, '9000', {}]) {
        const vendor = await startLenientVendor(20_000)
        const gateway = await startBounded('node', 2, {
          providers: [wire.provider(vendor.url, { known: [{ id: 'small', price: PRICE }] })],
        })
        expect((await gateway.post(wire.path, wire.request({ [other]: value }))).status, String(value)).toBe(200)
        expect([vendor.produced(), gateway.cents().spent], String(value)).toEqual([2_000, 200])
        expect(
          (await gateway.post(wire.path, wire.request({ [wire.limit]: 10, [other]: value }))).status,
          String(value),
        ).toBe(429)
      }
    },
  )

  it('keeps a limit in another spelling that is lower than what the money pays for', async () => {
    const vendor = await startLenientVendor(20_000)
    const wire = WIRES['chat completions'] as Wire
    const gateway = await startBounded('node', 2, { providers: [wire.provider(vendor.url, { known: [SMALL] })] })
    await gateway.post(wire.path, wire.request({ Max_Tokens: 70, 'max-tokens': 3_000 }))
    expect(vendor.calls[0]?.json()).toMatchObject({ max_tokens: 2_000, Max_Tokens: 70, 'max-tokens': 2_000 })
  })

  it.each([
    ['a nested limit', 'chat completions', { max_tokens: 100, extra_body: { max_tokens: 900 } }],
    ['a number of answers in another spelling', 'chat completions', { max_tokens: 100, N: 9 }],
    ['another number of answers', 'chat completions', { max_tokens: 100, n: 1, candidateCount: 9 }],
    ['a number of answers in generateContent', 'generateContent', { maxOutputTokens: 100, CandidateCount: 9 }],
  ])('produces no more than the budget pays for with %s', async (_, name, limits) => {
    const wire = WIRES[name] as Wire
    const { vendor, statuses } = await attack(wire, wire, limits)
    expect([statuses.has(200), vendor.produced() <= BUDGET * 1_000]).toEqual([true, true])
  })

  it('gets the limit that the money pays for in a request that is written again, for an image that is fetched', async () => {
    const images = await startUpstream(serve)
    const vendor = await startLenientVendor(20_000)
    const support = {
      format: 'chat-completions' as const,
      path: () => '/chat/completions',
      facts: { imageUrls: false },
    }
    const providers = [chatProvider(vendor.url, { known: [SMALL], chat: [support] })]
    const gateway = await startBounded('node', 3, { providers, allowPrivateMedia: ['127.0.0.1'] })
    const answer = await gateway.post(CHAT, { ...say(image(`${images.origin}/a.png`)), Max_Tokens: 9_000 })
    expect([answer.status, vendor.calls[0]?.json()]).toMatchObject([200, { max_tokens: 3_000, Max_Tokens: 3_000 }])
    expect(vendor.calls[0]?.body.toString()).toContain('data:image/png')
  })

  it('gets a limit in each configuration of generateContent', async () => {
    const vendor = await startLenientVendor(20_000)
    const { path, request, provider } = WIRES['generateContent'] as Wire
    const gateway = await startBounded('node', 2, { providers: [provider(vendor.url, { known: [SMALL] })] })
    const configs = { generation_config: { maxOutputTokens: null }, GenerationConfig: { MAX_OUTPUT_TOKENS: 9_000 } }
    await gateway.post(path, { ...request(), ...configs })
    expect(vendor.calls[0]?.json()).toMatchObject({
      generation_config: { maxOutputTokens: 2_000 },
      GenerationConfig: { MAX_OUTPUT_TOKENS: 2_000, maxOutputTokens: 2_000 },
    })
    expect(vendor.produced()).toBe(2_000)
  })
})
