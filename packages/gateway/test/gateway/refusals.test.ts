import { gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { CHAT, chatAnswer, chatRequest, MESSAGES, messagesRequest } from '../../../core/test/support/wire.ts'
import type { GatewayOptions } from '../../src/index.ts'
import { chatProvider, KEY, startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

interface Problem {
  status: number
  message: string
  param?: unknown
  type: string
  code?: unknown
}

/** An error in either format, after a look at what every error has. */
async function problemOf(response: Response): Promise<Problem> {
  const body = (await response.json()) as {
    type?: string
    request_id?: string
    error: { message: string; type: string; param?: unknown; code?: unknown }
  }
  expect(response.headers.get('content-type')).toBe('application/json')
  expect(response.headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{32}$/)
  if (response.status !== 429) expect(response.headers.get('x-should-retry')).toBe('false')
  if (body.type === 'error') expect(body.request_id).toBe(response.headers.get('x-request-id'))
  else expect(Object.keys(body.error).sort()).toEqual(['code', 'message', 'param', 'type'])
  const { message, type, param, code } = body.error
  return { status: response.status, message, type, ...(body.type !== 'error' && { param, code }) }
}

describe('A request is refused in the format of its path', () => {
  /** A gateway whose upstream must not be asked. */
  async function start(options: Partial<GatewayOptions> = {}) {
    const upstream = await startUpstream((call) => call.answer(200, chatAnswer()))
    const served = await startGateway('node', { providers: [chatProvider(upstream.url)], ...options })
    return { ...served, upstream }
  }

  it.each<[string, unknown, string, string | null]>([
    ['that is empty', '', 'The body is empty. Send a JSON object.', null],
    ['that is no JSON', '{"model":', 'The body is not valid JSON', null],
    ['that is no object', [1], 'The body is an array. Send a JSON object.', null],
    [
      'with a key twice',
      '{"model":"small","messages":[],"model":"large"}',
      'The key "model" occurs twice in the body. Send it once.',
      'model',
    ],
    ['without a model', { messages: [] }, 'The field model is missing.', 'model'],
    [
      'with a model of the wrong type',
      { ...chatRequest, model: 7 },
      'The field model must be a non-empty string; found a number.',
      'model',
    ],
    ['without turns', { model: 'small' }, 'The field messages is missing.', 'messages'],
    [
      'with turns of the wrong type',
      { model: 'small', messages: 'Hi' },
      'The field messages must be a list',
      'messages',
    ],
    [
      'with a stream of the wrong type',
      { ...chatRequest, stream: 'yes' },
      'The field stream must be true or false, not a string.',
      'stream',
    ],
    [
      'with a model that nobody has',
      { ...chatRequest, model: 'unheard-of' },
      'No provider lists the model "unheard-of"',
      'model',
    ],
  ])('for a body %s', async (_, body, message, param) => {
    const { post, upstream, rows } = await start()
    const chat = await problemOf(await post(CHAT, body))
    expect(chat).toMatchObject({
      status: 400,
      message: expect.stringContaining(message),
      type: 'invalid_request_error',
      param,
    })
    const messages = await problemOf(await post(MESSAGES, body))
    expect(messages).toMatchObject({ status: 400, message: expect.stringContaining(param ?? message) })
    expect(messages.type).toMatch(/^(invalid_request|not_found)_error$/)
    expect([upstream.calls, rows]).toEqual([[], []])
  })

  it('for a vendor that is not known, with those that are', async () => {
    const { post, upstream } = await start()
    const problem = await problemOf(await post(CHAT, chatRequest, { headers: { vendor: 'beta' } }))
    expect(problem).toMatchObject({
      status: 400,
      message: 'Unknown vendor "beta". Known: alpha. Use one of them, or omit the header.',
      param: 'vendor',
    })
    expect(upstream.calls).toHaveLength(0)
  })

  it('for a model that the pinned provider does not know, in the words of the provider', async () => {
    const upstream = await startUpstream((call) =>
      call.answer(404, {
        error: {
          message: 'The model `nope` does not exist',
          type: 'invalid_request_error',
          param: null,
          code: 'model_not_found',
        },
      }),
    )
    const { post } = await startGateway('node', { providers: [chatProvider(upstream.url)] })
    const problem = await problemOf(
      await post(CHAT, { ...chatRequest, model: 'nope' }, { headers: { vendor: 'alpha' } }),
    )
    expect(problem).toMatchObject({ status: 400, code: 'model_not_found', param: 'model' })
    expect(problem.message).toBe('Provider alpha does not know the model nope: The model `nope` does not exist')
    expect(upstream.calls.map((call) => call.json()['model'])).toEqual(['nope'])
  })

  it.each<[string, Record<string, string>]>([
    ['without a key', { 'x-no-key': '1' }],
    ['with a key that is not known', { authorization: 'Bearer sk-revoked' }],
    ['with a key that is no bearer token', { authorization: `Basic ${btoa(KEY)}` }],
    [
      'with an Authorization that is wrong, whatever x-api-key says',
      { authorization: 'Bearer sk-wrong', 'x-api-key': KEY },
    ],
  ])('%s', async (_, headers) => {
    const { post, upstream } = await start()
    const chat = await problemOf(await post(CHAT, chatRequest, { headers }))
    expect(chat).toMatchObject({ status: 401, type: 'invalid_request_error', code: 'invalid_api_key' })
    expect(await problemOf(await post(MESSAGES, messagesRequest, { headers }))).toMatchObject({
      status: 401,
      type: 'authentication_error',
    })
    expect(chat.message).not.toContain(KEY)
    expect(upstream.calls).toHaveLength(0)
  })

  it('for a key in the query, which is never one', async () => {
    const { post } = await start()
    expect((await post(`${CHAT}?key=${KEY}`, chatRequest, { headers: { 'x-no-key': '1' } })).status).toBe(401)
  })

  it('without anybody who checks keys', async () => {
    const upstream = await startUpstream()
    const { post, gateway } = await startGateway('node', {
      providers: [chatProvider(upstream.url)],
      authenticate: () => undefined,
    })
    expect((await post(CHAT, chatRequest)).status).toBe(401)
    expect(gateway.inFlight()).toBe(0)
  })

  it.each(['x-api-key', 'x-goog-api-key'])('but not with a key in %s', async (name) => {
    const { post } = await start()
    expect((await post(CHAT, chatRequest, { headers: { [name]: KEY } })).status).toBe(200)
  })

  it('for a model that the key may not use', async () => {
    const { post } = await start({ models: { 'open-x': ['small'] } })
    const ask = (model: string) =>
      post(CHAT, { ...chatRequest, model }, { headers: { authorization: 'Bearer sk-limited' } })
    expect([(await ask('small')).status, (await ask('open-x')).status]).toEqual([200, 200])
    expect(await problemOf(await ask('alpha/small'))).toMatchObject({
      status: 403,
      message: 'This key cannot use the model "alpha/small". It can use: small, open-*.',
      code: 'permission_denied',
    })
  })

  it('for a path that does not exist', async () => {
    const { call, post } = await start()
    expect(await problemOf(await call('/v1/nothing'))).toMatchObject({
      status: 404,
      type: 'invalid_request_error',
      code: 'not_found',
    })
    expect(await problemOf(await post('/v1/messages/nothing', {}))).toMatchObject({
      status: 404,
      type: 'not_found_error',
    })
    expect((await problemOf(await call('/v2?key=secret'))).message).toBe(
      'The path /v2 does not exist. GET /openapi.json lists all paths.',
    )
  })

  it('for a verb of generateContent that is not served, in the shape of its callers', async () => {
    const { call, post } = await start()
    for (const path of [
      '/v1beta/models/small:computeTokens',
      '/v1/models/small:predictLongRunning',
      '/v1beta/models/org/small:free:batchGenerate',
    ]) {
      const response = await post(path, { content: {} })
      expect([response.status, await response.json()], path).toMatchObject([
        404,
        {
          error: {
            code: 404,
            status: 'NOT_FOUND',
            message: `The path ${path} does not exist. GET /openapi.json lists all paths.`,
          },
        },
      ])
    }
    const models = await post('/v1beta/models/small', {})
    expect([models.status, models.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    const verb = await call('/v1beta/models/small:generateContent')
    expect([verb.status, verb.headers.get('allow')]).toEqual([405, 'POST'])
  })

  it('for a method that the path does not have, with those that it has', async () => {
    const { call } = await start()
    const response = await call(CHAT)
    expect(response.headers.get('allow')).toBe('POST')
    expect(await problemOf(response)).toMatchObject({
      status: 405,
      message: '/v1/chat/completions supports POST, not GET.',
    })
    const models = await call('/v1/models', { method: 'DELETE' })
    expect([models.status, models.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    expect(await problemOf(await call(MESSAGES, { method: 'PUT', body: '{}' }))).toMatchObject({ status: 405 })
  })

  it('under its base path only, where it has one', async () => {
    const { call, post } = await start({ basePath: '/ai' })
    expect((await post(`/ai${CHAT}`, chatRequest)).status).toBe(200)
    expect((await post(CHAT, chatRequest)).status).toBe(404)
    expect((await call(`/aix${CHAT}`)).status).toBe(404)
    expect(await problemOf(await post('/ai/v1/messages/nothing', {}))).toMatchObject({ type: 'not_found_error' })
  })

  it.each(['0', '-5', '1.5', 'soon'])('for a headgate-timeout-ms of %s', async (value) => {
    const { post } = await start()
    const problem = await problemOf(await post(CHAT, chatRequest, { headers: { 'headgate-timeout-ms': value } }))
    expect(problem).toMatchObject({ status: 400, param: 'headgate-timeout-ms' })
  })

  describe('for a body that is too large', () => {
    const limits = { body: 1000 }
    const padded = (length: number) =>
      JSON.stringify({ ...chatRequest, user: 'x'.repeat(length - JSON.stringify({ ...chatRequest, user: '' }).length) })
    const streamed = (text: string) =>
      new ReadableStream<Uint8Array>({
        start(controller) {
          for (let at = 0; at < text.length; at += 100)
            controller.enqueue(new TextEncoder().encode(text.slice(at, at + 100)))
          controller.close()
        },
      })

    it('as announced', async () => {
      const { post, upstream } = await start({ limits })
      expect(await problemOf(await post(CHAT, padded(1001)))).toMatchObject({ status: 413, code: 'request_too_large' })
      expect(await problemOf(await post(MESSAGES, padded(1001)))).toMatchObject({
        status: 413,
        type: 'request_too_large',
      })
      expect(upstream.calls).toHaveLength(0)
      expect((await post(CHAT, padded(1000))).status).toBe(200)
    })

    it('as it comes in chunks', async () => {
      const { post, upstream } = await start({ limits })
      expect(await problemOf(await post(CHAT, streamed(padded(1001))))).toMatchObject({ status: 413 })
      expect(upstream.calls).toHaveLength(0)
      expect((await post(CHAT, streamed(padded(1000)))).status).toBe(200)
    })

    it('once it is inflated', async () => {
      const { post, upstream } = await start({ limits: { body: 100_000 } })
      const bomb = gzipSync(Buffer.alloc(20_000_000, ' '))
      expect(bomb.length).toBeLessThan(100_000)
      expect(await problemOf(await post(CHAT, bomb, { headers: { 'content-encoding': 'gzip' } }))).toMatchObject({
        status: 413,
      })
      expect(upstream.calls).toHaveLength(0)
    })

    it('and the caller gets to know, though it sends far more than is read', async () => {
      const { post } = await start({ limits })
      expect(await problemOf(await post(CHAT, padded(5_000_000)))).toMatchObject({ status: 413 })
      expect(
        await problemOf(await post(CHAT, padded(5_000_000), { headers: { authorization: 'Bearer sk-wrong' } })),
      ).toMatchObject({
        status: 401,
      })
      expect(await problemOf(await post('/v1/nothing', padded(5_000_000)))).toMatchObject({ status: 404 })
      expect(await problemOf(await post(CHAT, streamed(padded(500_000))))).toMatchObject({ status: 413 })
    })
  })

  it('for a body whose encoding is not known, or not what it says', async () => {
    const { post, upstream } = await start()
    const send = (encoding: string, body: Uint8Array) => post(CHAT, body, { headers: { 'content-encoding': encoding } })
    const bytes = Buffer.from(JSON.stringify(chatRequest))
    expect(await problemOf(await send('compress', bytes))).toMatchObject({
      status: 400,
      param: 'content-encoding',
      message: expect.stringContaining('gzip, deflate, br, zstd'),
    })
    expect(await problemOf(await send('gzip', bytes))).toMatchObject({
      status: 400,
      message: 'The body is not valid gzip.',
    })
    expect([
      (await send('GZIP', gzipSync(bytes))).status,
      (await send('zstd', zstdCompressSync(bytes))).status,
    ]).toEqual([200, 200])
    expect(upstream.calls.map((call) => call.json()['model'])).toEqual(['small', 'small'])
  })

  it('when whoever checks the keys fails, without a word of why', async () => {
    const authenticate = () => Promise.reject(new Error('password of the database: hunter2'))
    const { post, warnings } = await start({ authenticate })
    const problem = await problemOf(await post(CHAT, chatRequest))
    expect(problem).toMatchObject({
      status: 500,
      message: 'The gateway failed. Send its operator the request id.',
    })
    expect(warnings.join()).toContain('hunter2')
  })

  it('and recorded, with its path but not its query', async () => {
    const { post, access } = await start()
    await (await post(`${CHAT}?secret=1`, {})).text()
    expect(await access.next()).toMatchObject({
      method: 'POST',
      path: CHAT,
      status: 400,
      principal: 'key-1',
      error: { kind: 'invalid-request' },
    })
  })
})
