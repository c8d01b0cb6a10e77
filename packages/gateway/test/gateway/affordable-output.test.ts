import { describe, expect, it } from 'vitest'
import { CHAT, chatRequest, MESSAGES, messagesAnswer } from '../../../core/test/support/wire.ts'
import type { ProviderInstance } from '../../src/index.ts'
import { dryRunSchema } from '../../src/serve/dry-run-schema.ts'
import { PRICE, SMALL, SPENT, spending, startBounded, TIED_UP, verdict } from '../support/budgets.ts'
import { chatProvider, messagesProvider } from '../support/gateway.ts'
import { GENERATE, generateProvider } from '../support/linked-media.ts'
import { startUpstream, type UpstreamCall } from '../support/upstream.ts'

/** A dollar for a thousand tokens: what the model may write costs $4, what is of use $1.024. */
const chat = (url: string, changes: Partial<ProviderInstance> = {}): ProviderInstance =>
  chatProvider(url, { known: [SMALL], ...changes })
const gemini = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] }
const { max_tokens: _, ...inMessages } = {
  max_tokens: 0,
  model: 'small',
  messages: [{ role: 'user', content: 'Hello' }],
}
const LOST = 'max_tokens;changed'

describe('A request without an output limit, whose model writes more than a budget pays for,', () => {
  it('goes up with the limit that the money pays for, and says so', async () => {
    const upstream = await startUpstream(spending())
    const gateway = await startBounded('node', 2.5, { providers: [chat(upstream.url)] })
    const answer = await gateway.post(CHAT, chatRequest)
    expect([answer.status, answer.headers.get('headgate-lost')]).toEqual([200, LOST])
    // The caller's bytes, with the limit before them.
    expect(upstream.calls[0]?.body.toString()).toBe(`{"max_tokens":2500,${JSON.stringify(chatRequest).slice(1)}`)
    expect(gateway.rows[0]?.losses).toEqual([{ path: 'max_tokens', kind: 'changed', reason: expect.any(String) }])
    expect(gateway.cents()).toEqual({ spent: 10, held: 0 })
  })

  it('goes up as it is where the whole is paid for', async () => {
    const upstream = await startUpstream(spending())
    const gateway = await startBounded('node', 4, { providers: [chat(upstream.url)] })
    const answer = await gateway.post(CHAT, chatRequest)
    expect([answer.headers.get('headgate-lost'), upstream.calls[0]?.json()]).toEqual([null, chatRequest])
  })

  it.each<[string, (url: string) => ProviderInstance, string, object, (call: UpstreamCall) => unknown, object, string]>(
    [
      ...([
        [
          'that is null',
          chat,
          CHAT,
          { ...chatRequest, max_tokens: null, max_completion_tokens: null },
          spending(),
          { max_tokens: 2_000 },
          LOST,
        ],
        [
          'at a model that calls it otherwise',
          (url) => chat(url, { known: [{ ...SMALL, id: 'gpt-5-mini' }], name: 'alpha' }),
          CHAT,
          { ...chatRequest, model: 'gpt-5-mini' },
          spending(),
          { max_completion_tokens: 2_000 },
          LOST,
        ],
        [
          'at a provider that calls it otherwise',
          (url) =>
            chat(url, {
              chat: [{ format: 'chat-completions', path: () => '/chat/completions', rename: { max_tokens: 'most' } }],
            }),
          CHAT,
          chatRequest,
          spending(),
          { most: 2_000 },
          LOST,
        ],
        ['for two answers', chat, CHAT, { ...chatRequest, n: 2 }, spending(), { max_tokens: 1_000, n: 2 }, LOST],
        [
          'in messages',
          (url) => messagesProvider(url, { known: [SMALL] }),
          MESSAGES,
          inMessages,
          whole,
          { max_tokens: 2_000 },
          LOST,
        ],
        [
          'translated to messages',
          (url) => messagesProvider(url, { known: [SMALL] }),
          CHAT,
          chatRequest,
          whole,
          { max_tokens: 2_000 },
          LOST,
        ],
        ['translated from messages', chat, MESSAGES, inMessages, spending(), { max_tokens: 2_000 }, LOST],
        [
          'in generateContent',
          (url) => ({ ...generateProvider(url), known: [SMALL] }),
          GENERATE,
          { ...gemini, generation_config: { temperature: 0 } },
          inGemini,
          { generation_config: { temperature: 0, maxOutputTokens: 2_000 } },
          'generationConfig.maxOutputTokens;changed',
        ],
        [
          'in generateContent without a configuration',
          (url) => ({ ...generateProvider(url), known: [SMALL] }),
          GENERATE,
          gemini,
          inGemini,
          { generationConfig: { maxOutputTokens: 2_000 } },
          'generationConfig.maxOutputTokens;changed',
        ],
        [
          'translated from generateContent',
          chat,
          GENERATE,
          gemini,
          spending(),
          { max_tokens: 2_000 },
          'generationConfig.maxOutputTokens;changed',
        ],
      ] satisfies [
        string,
        (url: string) => ProviderInstance,
        string,
        object,
        (call: UpstreamCall) => unknown,
        object,
        string,
      ][]),
    ],
  )('has the limit by the name that is taken: %s', async (_, provider, path, body, answer, sent, lost) => {
    const upstream = await startUpstream(answer)
    const options = { providers: [provider(upstream.url)], spending: { leastOutput: 500 } }
    const gateway = await startBounded('node', 2, options)
    const answered = await gateway.post(path, body)
    expect([answered.status, answered.headers.get('headgate-lost')]).toEqual([200, lost])
    expect(upstream.calls[0]?.json()).toMatchObject(sent)
    expect(gateway.cents().held).toBe(0)
  })

  it('is served by what runs in this process with that limit', async () => {
    const heard: (number | undefined)[] = []
    const local: ProviderInstance = {
      ...chat('http://127.0.0.1:9', { chat: [] }),
      chat: [
        {
          async *run({ maxTokens }) {
            heard.push(maxTokens)
            yield { type: 'text', text: 'Hi' } as never
            yield { type: 'finish', finish: { reason: 'stop' } } as never
          },
        },
      ],
    }
    const gateway = await startBounded('node', 2, { providers: [local] })
    await gateway.post(CHAT, chatRequest)
    expect(heard).toEqual([2_000])
  })

  it('is refused where even the least answer that is of use is not paid for', async () => {
    const upstream = await startUpstream()
    const gateway = await startBounded('node', 1.5, { providers: [chat(upstream.url)] })
    const first = gateway.post(CHAT, chatRequest)
    const call = await upstream.next()
    expect(call.json()).toMatchObject({ max_tokens: 1_500 })
    const tiedUp = await gateway.post(CHAT, chatRequest)
    expect(verdict(tiedUp)).toEqual(TIED_UP)
    expect(await tiedUp.text()).toContain('This request may cost up to 1.024 dollars')
    spending(600)(call)
    await first
    expect(verdict(await gateway.post(CHAT, chatRequest))).toEqual(SPENT)
    expect([upstream.calls.length, gateway.cents()]).toEqual([1, { spent: 60, held: 0 }])
  })

  it('is refused where the caller forbids that anything is changed', async () => {
    const upstream = await startUpstream(spending())
    const gateway = await startBounded('node', 2, { providers: [chat(upstream.url)] })
    const strict = await gateway.post(CHAT, chatRequest, { headers: { 'headgate-strict': 'true' } })
    expect(verdict(strict)).toEqual(SPENT)
    expect([await strict.text(), upstream.calls]).toEqual([expect.stringContaining('may cost up to 4 dollars'), []])
  })

  it('is refused where the provider takes no limit', async () => {
    const upstream = await startUpstream(spending())
    const drop = { drop: ['max_tokens', 'max_completion_tokens'] }
    const providers = [
      chat(upstream.url, { chat: [{ format: 'chat-completions', path: () => '/chat/completions', ...drop }] }),
    ]
    const gateway = await startBounded('node', 2, { providers })
    expect(verdict(await gateway.post(CHAT, chatRequest))).toEqual(SPENT)
    expect([upstream.calls, gateway.cents()]).toEqual([[], { spent: 0, held: 0 }])
  })

  it('keeps a limit of its own, be it wrong', async () => {
    const upstream = await startUpstream(spending())
    const gateway = await startBounded('node', 2, { providers: [chat(upstream.url)] })
    for (const max_tokens of [3_000, 0, -1, '12'])
      expect(verdict(await gateway.post(CHAT, { ...chatRequest, max_tokens })), String(max_tokens)).toEqual(SPENT)
    expect(upstream.calls).toEqual([])
  })

  it('has room for its thoughts and the least answer', async () => {
    const upstream = await startUpstream(whole)
    const gateway = await startBounded('node', 2, { providers: [messagesProvider(upstream.url, { known: [SMALL] })] })
    const thinking = { ...inMessages, thinking: { type: 'enabled', budget_tokens: 1_024 } }
    expect(verdict(await gateway.post(MESSAGES, thinking))).toEqual(SPENT)
    expect(
      (await gateway.post(MESSAGES, { ...thinking, thinking: { type: 'enabled', budget_tokens: 976 } })).status,
    ).toBe(200)
    expect(upstream.calls[0]?.json()).toMatchObject({ max_tokens: 2_000 })
  })

  it('spends what there is, one after the other', async () => {
    const upstream = await startUpstream(spending())
    const gateway = await startBounded('node', 5, { providers: [chat(upstream.url)], spending: { leastOutput: 300 } })
    let last: Response
    do last = await gateway.post(CHAT, chatRequest)
    while (last.status === 200)
    expect([verdict(last), gateway.cents()]).toEqual([SPENT, { spent: 480, held: 0 }])
  })

  it('is told so by a dry run, which reserves nothing', async () => {
    const known = [{ ...SMALL, price: { ...PRICE, output: PRICE.output * 2 } }]
    const providers = [chat('http://127.0.0.1:9'), chat('http://127.0.0.1:9', { name: 'beta', known })]
    const gateway = await startBounded('node', 2, { providers })
    const answer = await gateway.post(CHAT, chatRequest, { headers: { 'headgate-dry-run': 'true' } })
    const { candidates } = dryRunSchema.parse(await answer.json())
    expect(candidates).toMatchObject([
      {
        provider: 'alpha',
        budget: null,
        losses: [{ path: 'max_tokens', kind: 'changed' }],
        most: { output: 2_000 },
        bound: '2',
      },
      {
        provider: 'beta',
        budget: expect.stringContaining('may cost up to 2.048 dollars'),
        losses: [],
        most: { output: 4_000 },
        bound: '8',
      },
    ])
    expect([gateway.cents(), gateway.rows]).toEqual([{ spent: 0, held: 0 }, []])
  })
})

function whole(call: UpstreamCall): void {
  call.answer(200, messagesAnswer())
}

function inGemini(call: UpstreamCall): void {
  const candidates = [{ content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP', index: 0 }]
  call.answer(200, {
    candidates,
    usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 7, totalTokenCount: 18 },
    modelVersion: 'small',
  })
}
