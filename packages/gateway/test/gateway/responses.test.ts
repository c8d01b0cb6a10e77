import { describe, expect, it } from 'vitest'
import {
  CHAT,
  chatAnswer,
  chatFrames,
  chatRequest,
  dataOf,
  MESSAGES,
  messagesFrames,
  messagesRequest,
} from '../../../core/test/support/wire.ts'
import { type GatewayOptions, memoryRateLimits, type ProviderInstance } from '../../src/index.ts'
import { SMALL, startBounded } from '../support/budgets.ts'
import { chatProvider, messagesProvider, startGateway } from '../support/gateway.ts'
import {
  RESPONSES,
  responsesAnswer,
  responsesFrames,
  responsesProvider,
  responsesRequest,
  typesOf,
} from '../support/responses.ts'
import { startUpstream, type UpstreamCall } from '../support/upstream.ts'

/** The events of an answer that is one text of two pieces, in the vendor's order. */
const ORDER = [
  ...['response.created', 'response.in_progress', 'response.output_item.added', 'response.content_part.added'],
  ...['response.output_text.delta', 'response.output_text.delta', 'response.output_text.done'],
  ...['response.content_part.done', 'response.output_item.done', 'response.completed'],
]

type Make = (url: string) => ProviderInstance

const patched: Make = (url) =>
  responsesProvider(url, {
    chat: [{ format: 'responses', path: () => '/responses', signer: 'gpt', patchFrame: ({ json }) => json }],
  })

describe('A request in the responses format', () => {
  async function start(
    handler: (call: UpstreamCall) => unknown,
    make: Make = responsesProvider,
    options: Partial<GatewayOptions> = {},
  ) {
    const upstream = await startUpstream(handler)
    return { ...(await startGateway('node', { providers: [make(upstream.url)], ...options })), upstream }
  }

  it.each([
    ['a text', '{ "input" : "H\\u00e9", "model": "alpha/small", "future":1.50 }'],
    [
      'items',
      '{"model":"alpha/small","input":[{"role":"user","content":"Hi","x":{"k":1,"k":2}},{"type":"later"}],"seed":12345678901234567890}',
    ],
  ])('with %s goes up to its own vendor as it was sent, and its answer comes back as it is', async (_, body) => {
    const answer = ` ${JSON.stringify(responsesAnswer())}\n`
    const { post, upstream, rows } = await start((call) =>
      call.answer(200, answer, { 'content-type': 'application/json' }),
    )
    const response = await post(RESPONSES, body)
    expect([response.status, await response.text()]).toEqual([200, answer])
    expect(upstream.calls.map(({ path, body }) => [path, body.toString('utf8')])).toEqual([
      ['/v1/responses', body.replace('alpha/small', 'small')],
    ])
    expect(rows).toMatchObject([
      {
        format: 'responses',
        providerModel: 'small-2026-01-01',
        translated: false,
        usage: { input: 11, output: 7 },
        finish: 'stop',
        losses: [],
      },
    ])
  })

  it('whose stream is its vendor’s comes back frame by frame, with its usage on the row', async () => {
    const frames = responsesFrames()
    const { post, rows } = await start((call) => call.stream(frames))
    const response = await post(RESPONSES, { ...responsesRequest, stream: true })
    expect(await response.text()).toBe(frames.join(''))
    expect(rows).toMatchObject([{ stream: true, translated: false, usage: { input: 11, output: 7 }, finish: 'stop' }])
  })

  it.each<[string, Make, readonly string[]]>([
    ['chat completions', chatProvider, chatFrames()],
    ['messages', messagesProvider, messagesFrames()],
  ])(
    'is streamed from a provider of %s in the order of its vendor, numbered, with the whole answer at the end',
    async (_, make, frames) => {
      const { post, rows } = await start((call) => call.stream(frames), make)
      const text = await (await post(RESPONSES, { ...responsesRequest, stream: true })).text()
      expect(typesOf(text)).toEqual(ORDER)
      const events = dataOf(text) as Record<string, unknown>[]
      expect(events.map((event) => event['sequence_number'])).toEqual(ORDER.map((_, index) => index))
      expect(events.at(-1)).toMatchObject({
        response: {
          object: 'response',
          status: 'completed',
          output: [{ type: 'message', content: [{ type: 'output_text', text: 'Hi there' }] }],
          usage: { input_tokens: 11, output_tokens: 7, total_tokens: 18 },
        },
      })
      expect(rows).toMatchObject([{ format: 'responses', translated: true, usage: { input: 11, output: 7 } }])
    },
  )

  it.each([
    ['a list or a text', { input: 7 }, 'input'],
    ['there, unless an earlier answer is named', {}, 'input'],
  ])('whose input is not %s is refused in its format', async (_, input, param) => {
    const { post, upstream } = await start((call) => call.answer(200, responsesAnswer()))
    const response = await post(RESPONSES, { model: 'small', ...input })
    expect([response.status, await response.json()]).toEqual([
      400,
      { error: { message: expect.stringContaining('input'), type: 'invalid_request_error', param, code: null } },
    ])
    expect(upstream.calls).toEqual([])
  })

  it('that no route, key or model is there for fails in its format', async () => {
    const { post, call } = await start((call) => call.answer(200, responsesAnswer()))
    const shape = {
      error: { message: expect.any(String), type: 'invalid_request_error', param: null, code: 'not_found' },
    }
    expect(await (await post(`${RESPONSES}/compact`, responsesRequest)).json()).toEqual(shape)
    expect((await call(RESPONSES)).status).toBe(405)
    const anonymous = await post(RESPONSES, responsesRequest, { headers: { authorization: 'Bearer none' } })
    expect([anonymous.status, await anonymous.json()]).toMatchObject([401, { error: { code: 'invalid_api_key' } }])
    expect(await (await post(RESPONSES, { ...responsesRequest, model: 'none' })).json()).toMatchObject({
      error: { param: 'model', code: 'model_not_found' },
    })
  })

  it.each<[string, Make, readonly string[]]>([
    ['responses', responsesProvider, responsesFrames().slice(0, 5)],
    ['responses, patched', patched, responsesFrames().slice(0, 5)],
    ['chat completions', chatProvider, chatFrames().slice(0, 2)],
    ['messages', messagesProvider, messagesFrames().slice(0, 4)],
  ])(
    'whose stream of %s breaks off ends with an error and a failed answer, numbered and named as it began',
    async (_, make, frames) => {
      const { post, rows } = await start((call) => call.stream([...frames]), make)
      const text = await (await post(RESPONSES, { ...responsesRequest, stream: true })).text()
      expect(typesOf(text).slice(-3)).toEqual(['response.output_text.delta', 'error', 'response.failed'])
      const events = dataOf(text) as { sequence_number: number; response?: { id: string } }[]
      expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index))
      const begun = events[0]?.response?.id
      expect(begun).toMatch(/./)
      expect(events.at(-1)).toMatchObject({
        response: { id: begun, status: 'failed', error: { code: 'server_error' }, output: [] },
      })
      expect(rows).toMatchObject([{ why: 'cut', estimated: true }])
    },
  )

  it('says how much is left of the limits of its key', async () => {
    const limits = { requestsPerMinute: 2, tokensPerMinute: 5_000 }
    const { post } = await start((call) => call.answer(200, responsesAnswer()), responsesProvider, {
      authenticate: () => ({ id: 'key-1', limits }),
      rateLimits: memoryRateLimits(),
    })
    const request = { ...responsesRequest, max_output_tokens: 100 }
    const { headers } = await post(RESPONSES, request)
    expect(headers.get('x-ratelimit-remaining-requests')).toBe('1')
    expect(headers.get('x-ratelimit-remaining-tokens')).toBe(
      String(5_000 - 100 - Math.ceil(JSON.stringify(request).length / 4)),
    )
  })

  it('is answered as long as a budget pays for, and no longer', async () => {
    const upstream = await startUpstream((call) => call.answer(200, responsesAnswer()))
    const gateway = await startBounded('node', 2.5, {
      providers: [responsesProvider(upstream.url, { known: [SMALL] })],
    })
    const answer = await gateway.post(RESPONSES, responsesRequest)
    expect(answer.headers.get('headgate-lost')).toBe('max_output_tokens;changed')
    expect(upstream.calls[0]?.body.toString()).toBe(
      `{"max_output_tokens":2500,${JSON.stringify(responsesRequest).slice(1)}`,
    )
    const more = await gateway.post(RESPONSES, { ...responsesRequest, max_output_tokens: 3_000 })
    expect([more.status, await more.json()]).toMatchObject([429, { error: { code: 'insufficient_quota' } }])
  })
})

describe('A model that speaks responses alone', () => {
  it.each<[string, string, object, (text: string) => unknown]>([
    ['chat completions', CHAT, chatRequest, (text) => JSON.parse(text).choices[0].message.content],
    ['messages', MESSAGES, messagesRequest, (text) => JSON.parse(text).content[0].text],
  ])('answers callers of %s as well; others of its provider have what they had', async (_, path, request, textOf) => {
    const upstream = await startUpstream((call) =>
      call.answer(200, call.path === '/v1/responses' ? responsesAnswer() : chatAnswer()),
    )
    const provider = chatProvider(upstream.url, {
      known: [{ id: 'small' }, { id: 'small-pro' }],
      chat: [
        { format: 'chat-completions', path: () => '/chat/completions', speaks: (model) => model === 'small' },
        { format: 'responses', path: () => '/responses', signer: 'gpt' },
      ],
    })
    const { post } = await startGateway('node', { providers: [provider] })
    expect(textOf(await (await post(path, { ...request, model: 'small-pro' })).text())).toBe('Hi there')
    await post(path, request)
    await post(RESPONSES, responsesRequest)
    expect(upstream.calls.map((call) => call.path)).toEqual(['/v1/responses', '/v1/chat/completions', '/v1/responses'])
    expect(upstream.calls[0]?.json()).toMatchObject({ model: 'small-pro', store: false })
  })
})
