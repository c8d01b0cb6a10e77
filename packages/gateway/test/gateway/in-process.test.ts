import { describe, expect, it } from 'vitest'
import type { ChatRequest, Part } from '../../../core/src/codec.ts'
import type { ChatInProcess } from '../../../core/src/provider.ts'
import {
  CHAT,
  chatAnswer,
  chatRequest,
  chatText,
  DONE,
  dataOf,
  MESSAGES,
  messagesRequest,
} from '../../../core/test/support/wire.ts'
import { HeadgateError, type ProviderInstance } from '../../src/index.ts'
import { chatProvider, startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

type Run = ChatInProcess['run']

const local = (run: Run): ProviderInstance => ({
  name: 'local',
  claims: [],
  credential: { kind: 'none' },
  chat: [{ run }],
  known: [{ id: 'small', price: { id: 'free', input: 0, output: 0 } }],
})

const start: Part = { type: 'start', model: 'small-1' }
const open: Part = { type: 'block-start', index: 0, block: { type: 'text', text: '' } }
const say = (text: string): Part => ({ type: 'block-delta', index: 0, delta: { text } })
const close: Part = { type: 'block-end', index: 0 }
const usage: Part = { type: 'usage', usage: { input: 3, output: 2 } }
const finish: Part = { type: 'finish', finish: { reason: 'stop' } }

const saying = (...parts: Part[]): Run =>
  async function* () {
    yield* parts
  }
const throwing =
  (error: Error): Run =>
  () => ({ [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }) })
const whole = [start, open, say('Hi'), say(' there'), close, usage, finish]

describe('A provider in this process', () => {
  const streamed = { ...chatRequest, stream: true, stream_options: { include_usage: true } }

  it('answers whole and as a stream, in the format of the caller', async () => {
    const requests: ChatRequest[] = []
    const run: Run = async function* (request) {
      requests.push(request)
      yield* whole
    }
    const { post, rows } = await startGateway('node', { providers: [local(run)], models: { mine: ['small'] } })
    const answer = await post(CHAT, { ...chatRequest, model: 'mine' })
    expect([answer.headers.get('headgate-vendor'), await answer.json()]).toMatchObject([
      'local',
      {
        model: 'small-1',
        choices: [{ message: { content: 'Hi there' }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 3, completion_tokens: 2 },
      },
    ])
    const stream = await post(CHAT, streamed)
    const text = await stream.text()
    expect([stream.headers.get('content-type'), chatText(text), text.endsWith(DONE)]).toEqual([
      'text/event-stream; charset=utf-8',
      'Hi there',
      true,
    ])
    expect(await (await post(MESSAGES, messagesRequest)).json()).toMatchObject({
      content: [{ type: 'text', text: 'Hi there' }],
      stop_reason: 'end_turn',
    })
    expect(requests.map(({ model, stream: asked }) => [model, asked])).toEqual([
      ['small', false],
      ['small', true],
      ['small', false],
    ])
    const row = {
      provider: 'local',
      providerModel: 'small-1',
      usage: { input: 3, output: 2 },
      cost: 0,
      priceId: 'free',
      billed: true,
      why: 'served',
      translated: true,
    }
    expect(rows).toMatchObject([
      { ...row, model: 'mine' },
      { ...row, stream: true },
      { ...row, format: 'messages' },
    ])
  })

  it('streams what it says when it says it', async () => {
    const more = Promise.withResolvers<void>()
    const run: Run = async function* () {
      yield* [start, open, say('Hi')]
      await more.promise
      yield* [say(' there'), close, usage, finish]
    }
    const { post } = await startGateway('node', { providers: [local(run)] })
    const reader = (await post(CHAT, streamed)).body?.getReader()
    let text = ''
    const read = async (): Promise<boolean> => {
      const { value, done } = (await reader?.read()) ?? { done: true }
      text += new TextDecoder().decode(value)
      return !done
    }
    while (!chatText(text).includes('Hi')) await read()
    more.resolve()
    while (await read());
    expect(chatText(text)).toBe('Hi there')
  })

  it.each<[string, Run, string, number]>([
    ['throws', throwing(new Error('secret path /opt/models')), 'local: the in-process provider failed.', 500],
    [
      'throws an error of ours',
      throwing(new HeadgateError('invalid-request', 'messages[0] is too odd.', { param: 'messages[0]' })),
      'local: messages[0] is too odd.',
      400,
    ],
    [
      'says an error',
      saying({ type: 'error', error: { kind: 'rate-limited', message: 'busy', retryAfterMs: 3_600_000 } }),
      'local: busy',
      429,
    ],
    ['says nothing', saying(), 'local: it ended without output.', 500],
  ])('that %s is told of', async (_, run, message, status) => {
    for (const body of [chatRequest, streamed]) {
      const { post, rows } = await startGateway('node', { providers: [local(run)] })
      const response = await post(CHAT, body)
      expect([response.status, await response.json()]).toMatchObject([status, { error: { message } }])
      expect(rows).toMatchObject([{ billed: false, why: 'failed', status }])
    }
  })

  it('that throws is replaced by the next, until its answer has begun', async () => {
    const upstream = await startUpstream((call) => call.answer(200, chatAnswer()))
    const { post } = await startGateway('node', {
      providers: [local(throwing(new Error('no'))), chatProvider(upstream.url)],
    })
    expect((await post(CHAT, chatRequest)).headers.get('headgate-vendor')).toBe('alpha')
  })

  it.each<[string, Part[]]>([
    ['throws', [start, open, say('Hi')]],
    ['ends too early', [start, open, say('Hi'), close]],
    ['says an error', [start, open, say('Hi'), { type: 'error', error: { kind: 'upstream', message: 'broke' } }]],
  ])('that %s after its answer has begun is told of in band', async (how, parts) => {
    const run: Run = async function* () {
      yield* parts
      if (how === 'throws') throw new Error('no')
    }
    const { post, rows } = await startGateway('node', { providers: [local(run)] })
    const text = await (await post(CHAT, streamed)).text()
    expect(dataOf(text).at(-1)).toMatchObject({
      error: { type: 'server_error', message: expect.stringMatching(/^local: /) },
    })
    expect([text.startsWith('data: '), text.includes('Hi'), text.includes(DONE)]).toEqual([true, true, false])
    expect(rows).toMatchObject([{ status: 200, why: 'cut', failure: 'upstream' }])
  })

  it('that has had enough after its answer has begun says so in band, with how long to wait', async () => {
    const error: Part = { type: 'error', error: { kind: 'rate-limited', message: 'busy', retryAfterMs: 3_000 } }
    const { post, rows } = await startGateway('node', { providers: [local(saying(start, open, say('Hi'), error))] })
    expect(dataOf(await (await post(CHAT, streamed)).text()).at(-1)).toEqual({
      error: {
        message: 'local: busy. Try again in 3s.',
        type: 'rate_limit_error',
        param: null,
        code: 'rate_limit_exceeded',
      },
    })
    expect(rows).toMatchObject([{ why: 'cut', failure: 'rate-limited' }])
  })

  it('that leaves something out says so, before and after its answer has begun, and the strict refuse it', async () => {
    const run: Run = async function* ({ temperature }, _, { lose }) {
      if (temperature !== undefined) lose('temperature', 'it has none')
      yield* [start, open, say('Hi')]
      if (temperature !== undefined) lose('temperature', 'it has none')
      lose('stop', 'it goes on', 'changed')
      yield* [close, usage, finish]
    }
    const { post, rows } = await startGateway('node', { providers: [local(run)] })
    const body = { ...chatRequest, temperature: 0.5 }
    expect((await post(CHAT, body)).headers.get('headgate-lost')).toBe('temperature, stop;changed')
    const stream = await post(CHAT, { ...body, stream: true })
    expect([stream.headers.get('headgate-lost'), chatText(await stream.text())]).toEqual(['temperature', 'Hi'])
    const lost = [
      { path: 'temperature', kind: 'dropped', reason: 'it has none' },
      { path: 'stop', kind: 'changed', reason: 'it goes on' },
    ]
    expect(rows.map(({ losses }) => losses)).toEqual([lost, lost])
    for (const asked of [body, { ...body, stream: true }]) {
      const refused = await post(CHAT, asked, { headers: { 'headgate-strict': 'true' } })
      expect([refused.status, await refused.json()]).toMatchObject([400, { error: { param: 'temperature' } }])
    }
  })

  it('that takes longer than it may is stopped', async () => {
    const signals: AbortSignal[] = []
    const run: Run = async function* (_, signal) {
      signals.push(signal)
      yield* signals.length === 1 ? [] : [start, open, say('Hi')]
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
    }
    const { post } = await startGateway('node', { providers: [local(run)] })
    const headers = { 'headgate-timeout-ms': '30' }
    expect((await post(CHAT, chatRequest, { headers })).status).toBe(500)
    expect(dataOf(await (await post(CHAT, streamed, { headers })).text()).at(-1)).toMatchObject({
      error: { message: 'local: The request exceeded its time limit.' },
    })
    expect(signals.map((signal) => signal.aborted)).toEqual([true, true])
  })
})
