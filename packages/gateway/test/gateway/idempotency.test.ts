import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createInbox } from '../../../core/test/support/inbox.ts'
import {
  CHAT,
  chatAnswer,
  chatChunk,
  chatFrames,
  chatRequest,
  MESSAGES,
  messagesRequest,
} from '../../../core/test/support/wire.ts'
import { createSubKeys } from '../../../store/src/secret/sub-keys.ts'
import { type GatewayOptions, memoryIdempotency } from '../../src/index.ts'
import type { ExecutionRecord, IdempotencyStore } from '../../src/ports.ts'
import { server, vendor } from '../support/embeddings.ts'
import { chatProvider, SINKS, type SinkName, startGateway } from '../support/gateway.ts'
import { byTokens, ranker } from '../support/rerank.ts'
import { RESPONSES, responsesRequest } from '../support/responses.ts'
import { startUpstream, type UpstreamCall } from '../support/upstream.ts'
import { startVideos, TASKS, videoProvider } from '../video/support.ts'

const PRICE = { id: 'list@today', input: 3_000_000_000, output: 15_000_000_000 }
const GENERATE = '/v1beta/models/small'
const contents = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] }
const streamed = { ...chatRequest, stream: true, stream_options: { include_usage: true } }

/** Answers as a vendor of chat completions does. */
const chatVendor = (call: UpstreamCall): unknown =>
  call.json()['stream'] ? call.stream(chatFrames()) : call.answer(200, chatAnswer())

const keyed = (key = 'one', headers: Record<string, string> = {}) => ({
  headers: { 'idempotency-key': key, ...headers },
})

/** What a caller gets, except for what differs between two responses. */
async function told(answering: Promise<Response>) {
  const answer = await answering
  const { headers, status } = answer
  const [type, by, lost] = ['content-type', 'headgate-vendor', 'headgate-lost'].map((name) => headers.get(name))
  return { status, type, by, lost, body: await answer.text() }
}

async function message(answering: Promise<Response>): Promise<[number, string]> {
  const answer = await answering
  return [answer.status, ((await answer.json()) as { error: { message: string } }).error.message]
}

async function start(
  sink: SinkName = 'node',
  handler?: (call: UpstreamCall) => unknown,
  options: Partial<GatewayOptions> = {},
) {
  const upstream = await startUpstream(handler)
  const provider = chatProvider(upstream.url, { known: [{ id: 'small', price: PRICE }] })
  return { ...(await startGateway(sink, { providers: [provider], ...options })), upstream }
}

/** A store in memory that reports what its calls find. */
function spyingStore() {
  const store = memoryIdempotency()
  const found = createInbox<ExecutionRecord | undefined>()
  const written: string[] = []
  const spying: IdempotencyStore = {
    ...store,
    async begin(execution, runMs) {
      written.push(execution.request)
      const record = await store.begin(execution, runMs)
      found.push(record)
      return record
    },
    async finish(execution, outcome, keepMs) {
      written.push(outcome)
      await store.finish(execution, outcome, keepMs)
    },
  }
  return { store: spying, found, written }
}

describe.each(SINKS)('A request with an idempotency key through %s', (sink) => {
  it.each<[string, string, object]>([
    ['chat completions', CHAT, chatRequest],
    ['chat completions, streamed', CHAT, streamed],
    ['messages', MESSAGES, messagesRequest],
    ['messages, streamed', MESSAGES, { ...messagesRequest, stream: true }],
    ['generateContent', `${GENERATE}:generateContent`, contents],
    ['generateContent, streamed', `${GENERATE}:streamGenerateContent?alt=sse`, contents],
    ['generateContent, streamed as an array', `${GENERATE}:streamGenerateContent`, contents],
    ['responses', RESPONSES, responsesRequest],
    ['responses, streamed', RESPONSES, { ...responsesRequest, stream: true }],
  ])('is executed once, and its response repeated byte for byte: %s', async (_, path, body) => {
    const { post, upstream, rows, access } = await start(sink, chatVendor)
    const first = post(path, body, keyed())
    const wanted = await told(first)
    expect([wanted.status, wanted.body]).toEqual([200, expect.stringContaining('Hi')])
    await access.next()
    const second = post(path, body, keyed())
    expect(await told(second)).toEqual(wanted)
    const [one, other] = [(await first).headers, (await second).headers]
    expect([one.get('idempotency-replayed'), other.get('idempotency-replayed')]).toEqual([null, 'true'])
    expect(other.get('x-request-id')).toMatch(/^req_[0-9a-f]{32}$/)
    expect(other.get('x-request-id')).not.toBe(one.get('x-request-id'))
    expect(other.get('headgate-cost')).toBe(one.get('headgate-cost') === null ? null : '0')
    expect([upstream.calls.length, rows.length]).toEqual([1, 1])
    const record = await access.next()
    expect([record.status, record.replayed, record.usage]).toEqual([200, true, undefined])
  })

  it('waits while the first one runs, and gets its response', async () => {
    const { store, found } = spyingStore()
    const { post, upstream, rows } = await start(sink, undefined, { idempotency: { store } })
    const first = told(post(CHAT, chatRequest, keyed()))
    const call = await upstream.next()
    const others = [1, 2, 3].map(() => told(post(CHAT, chatRequest, keyed())))
    for (let begun = 0; begun < 4; begun++) await found.next()
    call.answer(200, chatAnswer())
    const wanted = await first
    expect(await Promise.all(others)).toEqual([wanted, wanted, wanted])
    expect([upstream.calls.length, rows.length]).toEqual([1, 1])
  })

  it('is executed to its end when its caller leaves in the middle of the stream, and the repetition gets all of it', async () => {
    const { post, upstream, rows, access, left } = await start(sink)
    const leave = new AbortController()
    const answering = post(CHAT, streamed, { ...keyed(), signal: leave.signal })
    const call = await upstream.next()
    const frames = chatFrames(['one', ' two', ' three'])
    call.head(200, { 'content-type': 'text/event-stream' })
    await call.write(frames.slice(0, 2).join(''))
    await (await answering).body?.getReader().read()
    leave.abort()
    await left()
    const again = told(post(CHAT, streamed, keyed()))
    for (const frame of frames.slice(2)) await call.write(frame)
    call.end()
    expect((await again).body).toBe(frames.join(''))
    expect(upstream.calls).toHaveLength(1)
    expect(rows).toMatchObject([{ status: 200, why: 'served', usage: { input: 11, output: 7 } }])
    expect(await access.next()).toMatchObject({ status: 200, usage: { status: 200 } })
  })

  it('is executed to its end when its caller leaves before the response begins', async () => {
    const { post, upstream, left } = await start(sink)
    const leave = new AbortController()
    const answering = post(CHAT, chatRequest, { ...keyed(), signal: leave.signal })
    const call = await upstream.next()
    leave.abort()
    await expect(answering).rejects.toThrow('aborted')
    await left()
    call.answer(200, chatAnswer())
    expect(JSON.parse((await told(post(CHAT, chatRequest, keyed()))).body)).toEqual(chatAnswer())
    expect(upstream.calls).toHaveLength(1)
  })

  it('ends with its caller once its response is too large to be repeated', async () => {
    const { post, upstream, access, left } = await start(sink, undefined, { idempotency: { responseBytes: 1_000 } })
    const leave = new AbortController()
    const answering = post(CHAT, streamed, { ...keyed(), signal: leave.signal })
    const call = await upstream.next()
    call.head(200, { 'content-type': 'text/event-stream' })
    await call.write(chatFrames().slice(0, 2).join(''))
    await (await answering).body?.getReader().read()
    leave.abort()
    await left()
    await call.write(chatChunk({ content: 'x'.repeat(1_000) }))
    await call.left
    expect(await access.next()).toMatchObject({ status: 499, usage: { why: 'canceled' } })
    expect(await message(post(CHAT, streamed, keyed()))).toEqual([409, expect.stringContaining('too large')])
  })
})

describe('The key', () => {
  it('of another principal is another key', async () => {
    const { post, upstream } = await start('node', chatVendor)
    await told(post(CHAT, chatRequest, keyed()))
    const other = post(CHAT, chatRequest, keyed('one', { authorization: 'Bearer sk-limited' }))
    expect((await other).headers.get('idempotency-replayed')).toBeNull()
    expect(upstream.calls).toHaveLength(2)
  })

  it.each<[string, string, object]>([
    ['body', CHAT, { ...chatRequest, temperature: 0 }],
    ['path', '/v1/completions', chatRequest],
    ['query', `${CHAT}?tag=2`, chatRequest],
  ])('with another %s is a 409 that names the header, also while the first request runs', async (_, path, body) => {
    const { post, upstream } = await start()
    const first = post(CHAT, chatRequest, keyed())
    const call = await upstream.next()
    const refused = post(path, body, keyed())
    expect(await message(refused)).toEqual([409, expect.stringContaining('idempotency-key')])
    expect((await refused).headers.get('x-should-retry')).toBe('false')
    call.answer(200, chatAnswer())
    await told(first)
    const later = await post(path, body, keyed())
    expect([later.status, await later.json()]).toEqual([
      409,
      { error: expect.objectContaining({ code: 'conflict', param: 'idempotency-key' }) },
    ])
    expect(upstream.calls).toHaveLength(1)
  })

  it.each(['', 'with space', 'ä', 'x'.repeat(256)])('"%s" is a 400', async (key) => {
    const { post, upstream } = await start('node', chatVendor)
    const answer = await post(CHAT, chatRequest, keyed(key))
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: { param: 'idempotency-key' } }])
    expect(upstream.calls).toHaveLength(0)
  })

  it('of 255 characters, or in quotes, is one', async () => {
    const { post, upstream } = await start('node', chatVendor)
    for (const key of ['x'.repeat(255), '"8e03978e-40d5-43dd-bc93-6894a57f9324"'])
      for (const replayed of [null, 'true']) {
        const answer = await post(CHAT, chatRequest, keyed(key))
        expect([answer.status, answer.headers.get('idempotency-replayed')]).toEqual([200, replayed])
        await answer.text()
      }
    expect(upstream.calls).toHaveLength(2)
  })

  it('is not sent to the upstream, and is ignored where requests cost nothing, in dry runs, and if it is off', async () => {
    const { post, call, upstream } = await start('node', chatVendor)
    await told(post(CHAT, chatRequest, keyed('two')))
    expect(upstream.calls[0]?.headers).not.toHaveProperty('idempotency-key')
    expect((await call('/v1/models', keyed(''))).status).toBe(200)
    expect((await post('/v1/messages/count_tokens', messagesRequest, keyed(''))).status).toBe(200)
    expect((await post(CHAT, chatRequest, keyed('', { 'headgate-dry-run': 'true' }))).status).toBe(200)
    const off = await start('node', chatVendor, { idempotency: false })
    for (const body of [chatRequest, streamed]) expect((await off.post(CHAT, body, keyed())).status).toBe(200)
    expect(off.upstream.calls).toHaveLength(2)
  })

  it('is free again after its time', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const { post, upstream, access } = await start('node', chatVendor, { idempotency: { keepMs: 60_000 } })
    const calls = []
    for (const ms of [0, 59_000, 2_000]) {
      vi.setSystemTime(Date.now() + ms)
      await told(post(CHAT, chatRequest, keyed()))
      await access.next()
      calls.push(upstream.calls.length)
    }
    expect(calls).toEqual([1, 1, 2])
  })
})

describe('A failure', () => {
  it.each<[string, object, (call: UpstreamCall) => unknown, number]>([
    ['that the upstream reports', chatRequest, (call) => call.answer(400, { error: { message: 'no' } }), 2],
    ['before a provider is called', { ...chatRequest, model: 'nobody' }, chatVendor, 0],
    ['of the body', { model: 'small' }, chatVendor, 0],
  ])('%s is not repeated, since it cost nothing', async (_, body, handler, calls) => {
    const { post, upstream } = await start('node', handler)
    for (const _ of [1, 2]) {
      const answer = await post(CHAT, body, keyed())
      expect([answer.status, answer.headers.get('idempotency-replayed')]).toEqual([400, null])
    }
    expect(upstream.calls).toHaveLength(calls)
  })

  it('that may have been charged is repeated', async () => {
    const { post, upstream, access } = await start('node', (call) => call.answer(200, 'no JSON'))
    const wanted = await told(post(MESSAGES, messagesRequest, keyed()))
    await access.next()
    const calls = upstream.calls.length
    expect([wanted.status, calls > 0]).toEqual([500, true])
    expect(await told(post(MESSAGES, messagesRequest, keyed()))).toEqual(wanted)
    expect(upstream.calls).toHaveLength(calls)
  })

  it('in the middle of a stream is repeated with what was sent', async () => {
    const { post, upstream } = await start('node', async (call) => {
      call.head(200, { 'content-type': 'text/event-stream' })
      await call.write(chatFrames().slice(0, 2).join(''))
      call.cut()
    })
    const wanted = await told(post(CHAT, streamed, keyed()))
    expect(wanted.body).toContain('"error"')
    expect(await told(post(CHAT, streamed, keyed()))).toEqual(wanted)
    expect(upstream.calls).toHaveLength(1)
  })

  it('that cost nothing lets the one that waits be executed', async () => {
    const { store, found } = spyingStore()
    const { post, upstream } = await start('node', undefined, { idempotency: { store } })
    const first = post(CHAT, chatRequest, keyed())
    const call = await upstream.next()
    const second = post(CHAT, chatRequest, keyed())
    for (let begun = 0; begun < 2; begun++) await found.next()
    call.answer(400, { error: { message: 'no' } })
    expect((await first).status).toBe(400)
    ;(await upstream.next()).answer(200, chatAnswer())
    expect((await second).status).toBe(200)
  })
})

describe('A repetition', () => {
  it('that waits for longer than its own time gets a 409', async () => {
    const { post, upstream } = await start()
    const first = post(CHAT, chatRequest, keyed())
    const call = await upstream.next()
    const waited = message(post(CHAT, chatRequest, keyed('one', { 'headgate-timeout-ms': '30' })))
    expect(await waited).toEqual([409, expect.stringContaining('still running')])
    call.answer(200, chatAnswer())
    expect((await first).status).toBe(200)
  })

  it('may leave while it waits', async () => {
    const { store, found } = spyingStore()
    const { post, upstream, access } = await start('node', undefined, { idempotency: { store } })
    const first = post(CHAT, chatRequest, keyed())
    const call = await upstream.next()
    const leave = new AbortController()
    const waiting = post(CHAT, chatRequest, { ...keyed(), signal: leave.signal })
    for (let begun = 0; begun < 2; begun++) await found.next()
    leave.abort()
    await expect(waiting).rejects.toThrow('aborted')
    expect(await access.next()).toMatchObject({ status: 499, error: { kind: 'canceled' } })
    call.answer(200, chatAnswer())
    expect((await first).status).toBe(200)
    expect(upstream.calls).toHaveLength(1)
  })

  it('of a response that is too large is a 409, and the response itself is not changed', async () => {
    const { post, upstream, rows } = await start('node', chatVendor, { idempotency: { responseBytes: 100 } })
    expect(JSON.parse((await told(post(CHAT, chatRequest, keyed()))).body)).toEqual(chatAnswer())
    expect(await message(post(CHAT, chatRequest, keyed()))).toEqual([409, expect.stringContaining('too large')])
    expect([upstream.calls.length, rows.length]).toEqual([1, 1])
  })

  it('of a response whose caller reads nothing and leaves gets all of it', async () => {
    const { post, upstream } = await start('fetch')
    const answering = post(CHAT, streamed, keyed())
    const call = await upstream.next()
    const frames = [
      chatFrames([])[0] ?? '',
      ...Array.from({ length: 40 }, () => chatChunk({ content: 'x'.repeat(65_536) })),
    ]
    call.head(200, { 'content-type': 'text/event-stream' })
    const written = call.write(frames.join(''))
    const { body } = await answering
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
    await body?.cancel()
    await written
    const rest = chatFrames([]).slice(1)
    call.end(rest.join(''))
    expect((await told(post(CHAT, streamed, keyed()))).body).toBe([...frames, ...rest].join(''))
    expect(upstream.calls).toHaveLength(1)
  })

  it('is known to the gateway that replaces this one', async () => {
    const { post, upstream, gateway, access } = await start('node', chatVendor)
    const wanted = await told(post(CHAT, chatRequest, keyed()))
    await access.next()
    const next = await start('node', chatVendor, { after: gateway })
    expect(await told(next.post(CHAT, chatRequest, keyed()))).toEqual(wanted)
    expect([upstream.calls.length, next.upstream.calls.length]).toEqual([1, 0])
  })
})

describe('A store of idempotent executions', () => {
  it('that does not answer is a 503, and nothing is executed', async () => {
    const store: IdempotencyStore = { ...memoryIdempotency(), begin: () => Promise.reject(new Error('away')) }
    const { post, upstream } = await start('node', chatVendor, { idempotency: { store } })
    const answer = await post(CHAT, chatRequest, keyed())
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
    expect(upstream.calls).toHaveLength(0)
    expect((await post(CHAT, chatRequest)).status).toBe(200)
  })

  it('that fails once gets the outcome again', async () => {
    const store = memoryIdempotency()
    let failures = 1
    const failing: IdempotencyStore = {
      ...store,
      finish: (...given) => (failures-- > 0 ? Promise.reject(new Error('busy')) : store.finish(...given)),
    }
    const { post, upstream } = await start('node', chatVendor, { idempotency: { store: failing } })
    const wanted = await told(post(CHAT, chatRequest, keyed()))
    expect(await told(post(CHAT, chatRequest, keyed()))).toEqual(wanted)
    expect(upstream.calls).toHaveLength(1)
  })

  it('gets everything sealed, and what another secret has sealed is a 409', async () => {
    const { store, written } = spyingStore()
    const idempotency = { store, sealer: createSubKeys(['a secret of the tests, long enough'], 'idempotency') }
    const { post, access } = await start('node', chatVendor, { idempotency })
    const wanted = await told(post(CHAT, chatRequest, keyed()))
    await access.next()
    expect(await told(post(CHAT, chatRequest, keyed()))).toEqual(wanted)
    expect(written).toHaveLength(3)
    for (const one of written) expect(one).toMatch(/^v1\./)
    const sealer = createSubKeys(['another secret of the tests, long'], 'idempotency')
    const next = await start('node', chatVendor, { idempotency: { store, sealer } })
    expect(await message(next.post(CHAT, chatRequest, keyed()))).toEqual([409, expect.stringContaining('secret')])
    expect(next.upstream.calls).toHaveLength(0)
  })

  it('is waited for when the gateway closes', async () => {
    const store = memoryIdempotency()
    const storing = Promise.withResolvers<void>()
    const slow: IdempotencyStore = {
      ...store,
      finish: (...given) => storing.promise.then(() => store.finish(...given)),
    }
    const { post, gateway } = await start('node', chatVendor, { idempotency: { store: slow } })
    await told(post(CHAT, chatRequest, keyed()))
    let isClosed = false
    const closing = gateway.close().then(() => {
      isClosed = true
    })
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
    expect(isClosed).toBe(false)
    storing.resolve()
    await closing
  })

  it('in memory forgets its oldest responses, whose repetitions are then a 409', async () => {
    const store = memoryIdempotency({ bytes: 1_500 })
    const { post, upstream, access } = await start('node', chatVendor, { idempotency: { store } })
    for (const key of ['one', 'two', 'three']) {
      await told(post(CHAT, chatRequest, keyed(key)))
      await access.next()
    }
    expect(await message(post(CHAT, chatRequest, keyed('one')))).toEqual([409, expect.stringContaining('no longer')])
    expect((await post(CHAT, chatRequest, keyed('three'))).headers.get('idempotency-replayed')).toBe('true')
    expect(upstream.calls).toHaveLength(3)
  })
})

describe('A background response with an idempotency key', () => {
  it('is created once', async () => {
    const { post, upstream, access } = await start()
    const body = { ...responsesRequest, background: true }
    const create = async () => (await (await post(RESPONSES, body, keyed())).json()) as { id: string; status: string }
    const first = await create()
    const call = await upstream.next()
    expect(await create()).toEqual(first)
    call.answer(200, chatAnswer())
    await access.next()
    await access.next()
    expect(await create()).toMatchObject({ id: first.id })
    expect(upstream.calls).toHaveLength(1)
  })

  it('is streamed to its end when its caller leaves, and the repetition gets all events', async () => {
    const { post, upstream, left } = await start()
    const body = { ...responsesRequest, background: true, stream: true }
    const leave = new AbortController()
    const answering = post(RESPONSES, body, { ...keyed(), signal: leave.signal })
    const call = await upstream.next()
    await (await answering).body?.getReader().read()
    leave.abort()
    await left()
    const again = told(post(RESPONSES, body, keyed()))
    await call.stream(chatFrames())
    const { body: text } = await again
    expect([text.startsWith('event: response.created'), text.includes('event: response.completed')]).toEqual([
      true,
      true,
    ])
    expect(upstream.calls).toHaveLength(1)
  })
})

describe('Another family', () => {
  it('of embeddings is executed once', async () => {
    const upstream = await startUpstream(vendor)
    const { post, rows } = await startGateway('node', { providers: [server(upstream.url)] })
    const body = { model: 'embed-1', input: ['one', 'three'] }
    const wanted = await told(post('/v1/embeddings', body, keyed()))
    expect(wanted.status).toBe(200)
    expect(await told(post('/v1/embeddings', body, keyed()))).toEqual(wanted)
    expect((await post('/v1/embeddings', { ...body, input: ['two'] }, keyed())).status).toBe(409)
    expect([upstream.calls.length, rows.length]).toEqual([1, 1])
  })

  it('of reranking is executed once', async () => {
    const upstream = await startUpstream(byTokens)
    const { post, rows } = await startGateway('node', { providers: [ranker(upstream.url)] })
    const body = { model: 'rank-1', query: 'a b', documents: ['one', 'two three'] }
    const wanted = await told(post('/v1/rerank', body, keyed()))
    expect(wanted.status).toBe(200)
    expect(await told(post('/v1/rerank', body, keyed()))).toEqual(wanted)
    expect([upstream.calls.length, rows.length]).toEqual([1, 1])
  })

  it('of videos creates one task', async () => {
    const upstream = await startUpstream((call) =>
      call.answer(200, call.method === 'POST' ? { id: 'film-1' } : { state: 'waiting' }),
    )
    const { post, list } = await startVideos({ providers: [videoProvider(upstream.url)] })
    const body = { model: 'reel-1', content: [{ type: 'text', text: 'a cat surfing' }] }
    const wanted = await told(post(TASKS, body, keyed()))
    expect(wanted.status).toBe(200)
    expect(await told(post(TASKS, body, keyed()))).toEqual(wanted)
    const refused = await post(TASKS, { ...body, seed: 7 }, keyed())
    expect([refused.status, await refused.json()]).toMatchObject([409, { error: { param: 'idempotency-key' } }])
    expect(upstream.calls.filter(({ method }) => method === 'POST')).toHaveLength(1)
    expect((await list())[1]).toMatchObject({ total: 1 })
  })
})
