import { describe, expect, it, vi } from 'vitest'
import { CHAT, chatRequest, DONE, MESSAGES, messagesRequest } from '../../../core/test/support/wire.ts'
import { type BackendInstance, HeadgateError } from '../../src/index.ts'
import { failureOf } from '../../src/serve/intake.ts'
import { server } from '../support/embeddings.ts'
import { chatProvider, startGateway } from '../support/gateway.ts'
import { ranker } from '../support/rerank.ts'
import { startUpstream, type UpstreamCall } from '../support/upstream.ts'
import { TASKS, taskOptions, videoProvider } from '../video/support.ts'

/** A prompt that no log may contain. */
const CANARY = 'canary: my diagnosis is a secret'
const quoting = (code: string) => ({
  error: { message: `Cannot process "${CANARY}".`, code, type: CANARY, param: CANARY },
})
const sse = { 'content-type': 'text/event-stream' }
const chat = { ...chatRequest, messages: [{ role: 'user', content: CANARY }] }
const streamed = { ...chat, stream: true }
const messages = { ...messagesRequest, stream: true, messages: chat.messages }

type Handler = (call: UpstreamCall) => unknown
const answering =
  (status: number, body: unknown, headers: Record<string, string> = {}): Handler =>
  (call) =>
    call.answer(status, body, headers)
const streaming =
  (...frames: string[]): Handler =>
  (call) =>
    call.stream(frames, sse)
const frame = (data: unknown, event = 'error'): string => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
const word = frame({ choices: [{ index: 0, delta: { content: 'Hi' } }] }, 'message')

const FAILURES: Readonly<Record<string, readonly [handler: Handler, path: string, body?: object, error?: object]>> = {
  'a JSON error': [
    answering(503, quoting('overloaded_error')),
    CHAT,
    chat,
    { upstreamStatus: 503, code: 'overloaded_error' },
  ],
  'a rejected request': [
    answering(400, quoting('bad_prompt')),
    CHAT,
    chat,
    { kind: 'invalid-request', code: 'bad_prompt' },
  ],
  'a code that quotes': [answering(400, quoting(CANARY)), CHAT, chat, { kind: 'invalid-request', upstreamStatus: 400 }],
  'a model that quotes': [
    answering(404, quoting('model_not_found')),
    CHAT,
    chat,
    { kind: 'unknown-model', code: 'model_not_found' },
  ],
  'a page of HTML': [
    answering(500, `<html><title>${CANARY}</title></html>`, { 'content-type': 'text/html' }),
    CHAT,
    chat,
  ],
  'plain text': [answering(429, CANARY), CHAT, chat, { kind: 'rate-limited', upstreamStatus: 429 }],
  headers: [answering(502, '', { 'x-error': CANARY, 'retry-after': CANARY, 'content-type': CANARY }), CHAT, streamed],
  'a content type': [answering(200, 'no stream', { 'content-type': CANARY }), CHAT, streamed],
  'a response that is not JSON': [answering(200, CANARY), CHAT, chat],
  'a response of another format': [answering(200, { text: CANARY }), MESSAGES, { ...messages, stream: false }],
  'an error in a response': [answering(200, quoting('server_error')), CHAT, chat, { code: 'server_error' }],
  'an in-band error': [streaming(frame(quoting('overloaded'))), CHAT, streamed, { code: 'overloaded' }],
  'an in-band error of a translated stream': [
    streaming(frame(quoting('overloaded'))),
    MESSAGES,
    messages,
    { code: 'overloaded' },
  ],
  'an in-band error after content': [streaming(word, frame(quoting('overloaded')), DONE), CHAT, streamed],
  'a frame that is not JSON': [streaming(`data: ${CANARY}\n\n`), MESSAGES, messages],
  'an error of embeddings': [
    answering(500, quoting('oops')),
    '/v1/embeddings',
    { model: 'embed-1', input: CANARY },
    { code: 'oops' },
  ],
  'an error of rerank': [
    answering(500, quoting('oops')),
    '/v1/rerank',
    { model: 'rank-1', query: CANARY, documents: ['x'] },
  ],
  'an error of search': [answering(500, quoting('oops')), `/customsearch/v1?q=${encodeURIComponent(CANARY)}`],
  'an error of video': [
    answering(500, quoting('oops')),
    TASKS,
    { model: 'reel-1', content: [{ type: 'text', text: CANARY }], duration: 5 },
  ],
}

function searching(url: string): BackendInstance {
  return {
    name: 'finder',
    baseUrl: url,
    credential: { kind: 'none' },
    paging: { by: 'none', maxResults: 20 },
    search: { request: () => ({ method: 'GET', url: '/search' }), response: () => ({ items: [] }) },
  }
}

async function startAll(handler: Handler) {
  const { url } = await startUpstream(handler)
  const providers = [
    chatProvider(url),
    server(url, { name: 'beta' }),
    ranker(url, { name: 'gamma' }),
    videoProvider(url),
  ]
  return startGateway('node', { providers, search: { backends: [searching(url)] }, tasks: taskOptions() })
}

describe('An upstream that quotes the prompt', () => {
  it.each(Object.entries(FAILURES))('in %s is quoted to the caller alone', async (_, [handler, path, body, error]) => {
    const { call, post, access, warnings, rows, gateway } = await startAll(handler)
    const response = await (body ? post(path, body) : call(path))
    await response.text()
    const record = await access.next()
    if (error) expect(record.error).toMatchObject(error)
    const known = JSON.stringify({ record, warnings, rows, health: gateway.health() })
    expect(known).not.toMatch(/canary|diagnosis|secret/)
  })

  it('still tells the caller', async () => {
    const { post } = await startAll(answering(400, quoting('bad_prompt')))
    expect(await (await post(CHAT, chat)).text()).toContain(CANARY)
  })

  it('in a task is quoted to its caller alone', async () => {
    const upstream = await startUpstream((call) =>
      call.answer(200, call.method === 'POST' ? { id: 'upstream-task-1' } : { state: 'broken', why: CANARY }),
    )
    const { call, post, access, warnings, rows, gateway } = await startGateway('node', {
      providers: [videoProvider(upstream.url)],
      tasks: taskOptions(),
    })
    const created = (await (
      await post(TASKS, { model: 'reel-1', content: [{ type: 'text', text: 'a cat' }] })
    ).json()) as { id: string }
    await vi.waitFor(async () => expect(await (await call(`${TASKS}/${created.id}`)).text()).toContain(CANARY))
    expect(JSON.stringify({ record: await access.next(), warnings, rows, health: gateway.health() })).not.toContain(
      'diagnosis',
    )
  })

  it('is not quoted by what fails in the gateway itself', async () => {
    const { warnings, post } = await startGateway('node', {
      providers: [chatProvider('http://127.0.0.1:9')],
      estimateTokens: () => JSON.parse(CANARY) as number,
    })
    await post('/v1/messages/count_tokens', { ...messagesRequest, messages: chat.messages })
    expect([warnings.length, warnings.join()]).toEqual([1, expect.not.stringContaining('canary')])
    expect(failureOf(new HeadgateError('upstream', CANARY, { code: CANARY }))).toEqual({ kind: 'upstream' })
  })
})
