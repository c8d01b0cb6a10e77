import { describe, expect, it } from 'vitest'
import { chatAnswer, chatFrames, chatUsage, DONE, messagesAnswer } from '../../../core/test/support/wire.ts'
import { type GatewayOptions, memoryBudgets } from '../../src/index.ts'
import { chatProvider, messagesProvider, startGateway } from '../support/gateway.ts'
import { startUpstream, type UpstreamCall } from '../support/upstream.ts'

const PATH = '/v1/completions'
const request = { model: 'small', prompt: 'Once upon' }

/** Written from https://platform.openai.com/docs/api-reference/completions/object. */
const native = {
  id: 'cmpl-1',
  object: 'text_completion',
  created: 1_750_000_000,
  model: 'small-2026-01-01',
  choices: [{ text: ' a time', index: 0, logprobs: null, finish_reason: 'length' }],
  usage: chatUsage,
}

const frame = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`

function nativeFrames(): string[] {
  const { usage, ...head } = native
  const chunk = (text: string, finish: string | null = null) =>
    frame({ ...head, choices: [{ text, index: 0, logprobs: null, finish_reason: finish }] })
  return [chunk(' a'), chunk(' time'), chunk('', 'stop'), frame({ ...head, choices: [], usage }), DONE]
}

function answer(call: UpstreamCall): void {
  const isNative = call.path.endsWith('/completions') && !call.path.includes('chat')
  if (call.json()['stream'] === true) return void call.stream(isNative ? nativeFrames() : chatFrames([' a', ' time']))
  call.answer(
    200,
    isNative ? native : call.path.endsWith('/messages') ? messagesAnswer(' a time') : chatAnswer(' a time'),
  )
}

const eventsOf = (text: string): unknown[] =>
  text
    .split('\n\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)))

const PRICE = { id: 'test', input: 1_000_000_000, output: 1_000_000_000 }

describe('A legacy completion', () => {
  async function start(options: Partial<GatewayOptions> = {}) {
    const upstream = await startUpstream(answer)
    const chat = [
      { format: 'chat-completions', path: () => '/chat/completions' },
      { format: 'completions', path: () => '/completions' },
    ] as const
    const served = await startGateway('node', {
      providers: [
        chatProvider(upstream.url, { known: [{ id: 'small', price: PRICE, output: 1_000 }] }),
        messagesProvider(upstream.url, { name: 'beta', known: [{ id: 'wise' }] }),
        chatProvider(upstream.url, { name: 'gamma', chat, known: [{ id: 'raw', price: PRICE, output: 1_000 }] }),
      ],
      ...options,
    })
    return { ...served, upstream }
  }

  it('is one user message to a model that is served by chat', async () => {
    const { post, upstream, rows } = await start()
    const given = await post(PATH, {
      ...request,
      max_tokens: 5,
      stop: ['.'],
      logprobs: 2,
      echo: false,
      suffix: null,
      best_of: 1,
    })
    expect([given.status, await given.json()]).toEqual([
      200,
      {
        id: 'chatcmpl-1',
        object: 'text_completion',
        created: 1_750_000_000,
        model: 'small-2026-01-01',
        choices: [{ text: ' a time', index: 0, logprobs: null, finish_reason: 'stop' }],
        usage: chatUsage,
      },
    ])
    expect(upstream.calls.map((call) => [call.path, call.json()])).toEqual([
      [
        '/v1/chat/completions',
        {
          model: 'small',
          messages: [{ role: 'user', content: 'Once upon' }],
          max_tokens: 5,
          stop: ['.'],
          logprobs: true,
          top_logprobs: 2,
        },
      ],
    ])
    expect(rows).toMatchObject([
      { family: 'chat', format: 'completions', model: 'small', usage: { input: 11, output: 7 } },
    ])
  })

  it('is answered by a provider of another format, and says what it lost', async () => {
    const { post } = await start()
    const given = await post(PATH, { model: 'wise', prompt: ['Once upon'], logit_bias: { 5: 1 }, max_tokens: 9 })
    expect([given.status, given.headers.get('headgate-lost')]).toEqual([200, 'logit_bias'])
    expect(await given.json()).toMatchObject({
      object: 'text_completion',
      choices: [{ text: ' a time', finish_reason: 'stop' }],
      usage: { total_tokens: 18 },
    })
  })

  it('streams chunks of text, the reason to end, usage where it is asked for, and [DONE]', async () => {
    const { post, rows } = await start()
    const given = await post(PATH, { ...request, stream: true, stream_options: { include_usage: true } })
    const text = await given.text()
    const head = { object: 'text_completion', id: 'chatcmpl-1', model: 'small-2026-01-01' }
    expect(eventsOf(text)).toMatchObject([
      { ...head, choices: [{ text: ' a', index: 0, logprobs: null, finish_reason: null }] },
      { ...head, choices: [{ text: ' time', finish_reason: null }] },
      { ...head, choices: [{ text: '', finish_reason: 'stop' }] },
      { ...head, choices: [], usage: chatUsage },
    ])
    expect(text.endsWith(DONE)).toBe(true)
    expect(rows).toMatchObject([{ format: 'completions', stream: true, usage: { input: 11, output: 7 } }])
    expect(eventsOf(await (await post(PATH, { ...request, stream: true })).text())).toHaveLength(3)
  })

  it.each([
    ['suffix', { suffix: ' end' }],
    ['echo', { echo: true }],
    ['best_of', { best_of: 3 }],
    ['prompt', { prompt: [1, 2, 3] }],
    ['prompt', { prompt: [[1, 2], [3]] }],
    ['prompt', { prompt: ['one', 'two'] }],
    ['prompt', { prompt: undefined }],
    ['logprobs', { logprobs: 'many' }],
    ['temperature', { temperature: 'warm' }],
  ])('is refused where a chat model cannot do what %s asks: %j', async (param, change) => {
    const { post, upstream } = await start()
    const refused = await post(PATH, { ...request, ...change })
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { error: { type: 'invalid_request_error', param } },
    ])
    expect(upstream.calls).toHaveLength(0)
  })

  it('goes unchanged to a provider that has it, with all its fields', async () => {
    const { post, upstream, rows } = await start()
    const body = { model: 'raw', prompt: [[1, 2], [3]], suffix: ' end', echo: true, best_of: 2, min_p: 0.1 }
    expect(await (await post(PATH, body)).json()).toEqual(native)
    const stream = await (await post(PATH, { ...body, prompt: 'a', stream: true })).text()
    expect(eventsOf(stream)).toHaveLength(3)
    expect(upstream.calls.map((call) => [call.path, call.json()])).toEqual([
      ['/v1/completions', body],
      ['/v1/completions', { ...body, prompt: 'a', stream: true, stream_options: { include_usage: true } }],
    ])
    expect(rows).toMatchObject([
      { format: 'completions', usage: { input: 11, output: 7 }, finish: 'length' },
      { format: 'completions', usage: { input: 11, output: 7 }, finish: 'stop' },
    ])
  })

  it('is never what a caller of chat completions is translated to', async () => {
    const { post, upstream } = await start({
      providers: [
        chatProvider('http://127.0.0.1:9', { chat: [{ format: 'completions', path: () => '/completions' }] }),
      ],
    })
    const refused = await post('/v1/chat/completions', { model: 'small', messages: [{ role: 'user', content: 'Hi' }] })
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      {
        error: {
          param: 'model',
          message: expect.stringContaining('supports only legacy completions. Call POST /v1/completions.'),
        },
      },
    ])
    expect(upstream.calls).toHaveLength(0)
  })

  it('reserves all answers to all its prompts before it is sent', async () => {
    const budgets = memoryBudgets({ budgets: [{ owner: 'key-1', limit: 3_000_000n, period: 'forever' }] })
    const { post, upstream } = await start({ budgets })
    const asked = { model: 'raw', prompt: ['a', 'b', 'c'], max_tokens: 2_000, best_of: 2 }
    expect((await post(PATH, asked)).status).toBe(429)
    expect(upstream.calls).toHaveLength(0)
    expect((await post(PATH, { ...asked, prompt: 'a', best_of: 1 })).status).toBe(200)
  })
})
