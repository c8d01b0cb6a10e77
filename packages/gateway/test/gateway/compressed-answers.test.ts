import {
  brotliCompressSync,
  constants,
  createGzip,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib'
import { describe, expect, it } from 'vitest'
import {
  CHAT,
  chatAnswer,
  chatFrames,
  chatRequest,
  chatText,
  dataOf,
  MESSAGES,
  messagesRequest,
} from '../../../core/test/support/wire.ts'
import { chatProvider, messagesProvider, startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

const CODINGS: readonly (readonly [string, (bytes: Uint8Array) => Buffer])[] = [
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  ['br', brotliCompressSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['zstd', zstdCompressSync],
  ['gzip, BR', (bytes) => brotliCompressSync(gzipSync(bytes))],
  ['identity', (bytes) => Buffer.from(bytes)],
]
const asked = { ...chatRequest, stream: true, stream_options: { include_usage: true } }

describe('An upstream that compresses unasked', () => {
  it.each(CODINGS)('is read all the same: %s', async (coding, compress) => {
    const stream = chatFrames(['Hi', ' there']).join('')
    const upstream = await startUpstream((call) => {
      const isStream = call.json()['stream'] === true
      const body = compress(Buffer.from(isStream ? stream : JSON.stringify(chatAnswer())))
      call.head(200, {
        'content-type': isStream ? 'text/event-stream' : 'application/json',
        'content-encoding': coding,
      })
      call.end(body)
    })
    const { post, rows } = await startGateway('node', { providers: [chatProvider(upstream.url)] })
    const whole = await post(CHAT, chatRequest)
    expect([whole.headers.get('content-encoding'), await whole.json()]).toEqual([null, chatAnswer()])
    expect(await (await post(CHAT, asked)).text()).toBe(stream)
    const translated = await (await post(MESSAGES, { ...messagesRequest, stream: true })).text()
    expect(dataOf(translated).at(-1)).toEqual({ type: 'message_stop' })
    expect(upstream.calls.map(({ headers }) => headers['accept-encoding'])).toEqual([
      'identity',
      'identity',
      'identity',
    ])
    expect(rows).toMatchObject(
      Array.from({ length: 3 }, () => ({ why: 'price-unknown', usage: { input: 11, output: 7 } })),
    )
  })

  it('is passed on as it comes, frame by frame', async () => {
    const upstream = await startUpstream()
    const { post } = await startGateway('node', { providers: [chatProvider(upstream.url)] })
    const answering = post(CHAT, asked)
    const call = await upstream.next()
    call.head(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' })
    const gzip = createGzip({ flush: constants.Z_SYNC_FLUSH })
    gzip.on('data', (chunk: Buffer) => void call.write(chunk))
    const frames = chatFrames(['one', 'two'])
    gzip.write(frames.slice(0, 2).join(''))
    const reader = (await answering).body?.getReader()
    let seen = ''
    for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) {
      seen += new TextDecoder().decode(piece.value)
      if (seen.includes('one')) break
    }
    expect(chatText(seen)).toBe('one')
    gzip.on('end', () => call.end())
    gzip.end(frames.slice(2).join(''))
    for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read())
      seen += new TextDecoder().decode(piece.value)
    expect(chatText(seen)).toBe('onetwo')
  })

  it.each([false, true])('has its errors heard (stream: %s)', async (stream) => {
    const error = { error: { message: 'Slow down', type: 'rate_limit_error', code: null } }
    const upstream = await startUpstream((call) => {
      call.head(429, { 'content-type': 'application/json', 'content-encoding': 'br', 'retry-after': '7' })
      call.end(brotliCompressSync(JSON.stringify(error)))
    })
    const { post } = await startGateway('node', { providers: [chatProvider(upstream.url)], times: { whole: 500 } })
    const response = await post(CHAT, { ...chatRequest, stream })
    expect([response.status, response.headers.get('retry-after'), await response.json()]).toMatchObject([
      429,
      '7',
      { error: { message: 'alpha: Slow down' } },
    ])
  })

  it('has its list of models and its counts of tokens read', async () => {
    const upstream = await startUpstream((call) => {
      call.head(200, { 'content-type': 'application/json', 'content-encoding': 'zstd' })
      call.end(
        zstdCompressSync(
          JSON.stringify(call.path.endsWith('/models') ? { data: [{ id: 'listed' }] } : { input_tokens: 42 }),
        ),
      )
    })
    const { post, call, gateway } = await startGateway('node', {
      providers: [
        messagesProvider(upstream.url, {
          countTokens: {
            request: () => ({ method: 'POST', url: '/count', headers: {} }),
            response: ({ body }) => (body as { input_tokens: number }).input_tokens,
          },
          models: {
            request: () => ({ method: 'GET', url: '/models', headers: {} }),
            response: ({ body }) => (body as { data: { id: string }[] }).data,
          },
        }),
      ],
    })
    await gateway.ready()
    expect(await (await call('/v1/models/listed')).json()).toMatchObject({ id: 'listed' })
    const { max_tokens, ...request } = messagesRequest
    expect(await (await post('/v1/messages/count_tokens', request)).json()).toEqual({ input_tokens: 42 })
    expect(upstream.calls.map(({ headers }) => headers['accept-encoding'])).toEqual(['identity', 'identity'])
  })

  it.each([
    ['a coding that nobody knows', 'compress', Buffer.from('x')],
    ['bytes that are none of the coding', 'gzip', Buffer.from('{"id":1}')],
    ['half of it', 'gzip', gzipSync(JSON.stringify(chatAnswer())).subarray(0, -20)],
    ['too many codings', 'br, br, br, br', Buffer.from('x')],
  ])('is found wanting with %s', async (_, coding, body) => {
    const upstream = await startUpstream((call) => {
      call.head(200, { 'content-type': 'application/json', 'content-encoding': coding })
      call.end(body)
    })
    const { post, rows } = await startGateway('node', { providers: [chatProvider(upstream.url)] })
    const response = await post(CHAT, chatRequest)
    expect([response.status, await response.text()]).toEqual([
      500,
      expect.stringMatching(/cannot be decompressed|unsupported encoding/),
    ])
    expect(rows).toMatchObject([{ why: 'failed', failure: 'upstream' }])
  })

  it('and has nothing to say is read as nothing', async () => {
    const upstream = await startUpstream((call) => {
      call.head(503, { 'content-encoding': 'gzip' })
      call.end()
    })
    const { post } = await startGateway('node', { providers: [chatProvider(upstream.url)] })
    expect(await (await post(CHAT, chatRequest)).text()).toContain('alpha: The provider responded with status 503.')
  })

  it('stops when the caller does not read, and goes on when it does', async () => {
    const frames = chatFrames(Array.from({ length: 400 }, () => 'x'.repeat(16_384)))
    const body = gzipSync(frames.join(''), { level: 0 })
    const upstream = await startUpstream((call) => {
      call.head(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' })
      call.end(body)
    })
    const { post } = await startGateway('node', { providers: [chatProvider(upstream.url)] })
    const response = await post(CHAT, asked)
    await new Promise((resolve) => setImmediate(resolve))
    expect(chatText(await response.text())).toHaveLength(400 * 16_384)
  })
})
