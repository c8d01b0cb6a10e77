import { describe, expect, it } from 'vitest'
import { openAICompatibleServer } from '../../../core/src/openai-compatible.ts'
import { chatAnswer, chatRequest, messagesAnswer, messagesRequest } from '../../../core/test/support/wire.ts'
import type { GatewayOptions } from '../../src/index.ts'
import { chatProvider, KEY, messagesProvider, SINKS, startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

const generateRequest = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] }

interface Told {
  readonly error: { readonly message: string }
}

describe.each(SINKS)('A path through %s', (sink) => {
  async function start(options: Partial<GatewayOptions> = {}) {
    const upstream = await startUpstream((call) =>
      call.answer(200, call.path.endsWith('/messages') ? messagesAnswer() : chatAnswer()),
    )
    const served = await startGateway(sink, {
      providers: [
        chatProvider(upstream.url),
        messagesProvider(upstream.url, { name: 'beta', known: [{ id: 'wise' }] }),
      ],
      ...options,
    })
    return { ...served, upstream }
  }

  it.each([
    '/v1/chat/completions/',
    '//v1/chat/completions',
    '/v1//chat/completions',
    '/v1/v1/chat/completions',
    '/openai/v1/chat/completions',
    '//openai//v1/v1/chat/completions/',
    '/chat/completions',
    '/openai/chat/completions',
    '/v1beta/openai/chat/completions',
    '/api/v3/chat/completions',
    '/openai/deployments/small/chat/completions?api-version=2025-04-01-preview',
    '/openai/deployments/small/chat/completions/',
  ])('of chat completions is served as %s', async (path) => {
    const { post } = await start()
    const answer = await post(path, chatRequest)
    expect([answer.status, await answer.json()]).toMatchObject([200, { object: 'chat.completion' }])
    const wrong = await post(path, { ...chatRequest, messages: 'Hello' })
    expect([wrong.status, await wrong.json()]).toMatchObject([400, { error: { param: 'messages' } }])
  })

  it.each([
    '/v1/messages/',
    '/v1/v1/messages',
    '/anthropic/v1/messages',
    '//v1/messages',
    '/messages',
    '/anthropic/messages',
  ])('of messages is served as %s, and refused in its shape', async (path) => {
    const { post } = await start()
    expect(await (await post(path, { ...messagesRequest, model: 'wise' })).json()).toMatchObject({ type: 'message' })
    expect(await (await post(path, {})).json()).toMatchObject({
      type: 'error',
      error: { type: 'invalid_request_error' },
    })
    const stranger = await post(path, messagesRequest, { headers: { 'x-api-key': 'sk-wrong' } })
    expect([stranger.status, await stranger.json()]).toMatchObject([401, { type: 'error' }])
  })

  it.each([
    '/v1beta/v1beta/models/small:generateContent',
    '/v1/v1beta/models/small:generateContent',
    '/google/v1beta/models/small:generateContent',
    '/v1beta/models/small:generateContent/',
    '/models/small:generateContent',
  ])('of generateContent is served as %s', async (path) => {
    const { post } = await start()
    expect(await (await post(path, generateRequest)).json()).toMatchObject({
      candidates: [{ content: { role: 'model' } }],
    })
    expect(await (await post(path, { contents: 1 })).json()).toMatchObject({ error: { status: 'INVALID_ARGUMENT' } })
  })

  it.each([
    ['/v1/models/', {}, { object: 'list' }],
    ['/v1/models/small/', {}, { object: 'model', id: 'small' }],
    ['/anthropic/v1/models', { 'anthropic-version': '2023-06-01' }, { data: [{ type: 'model' }, {}], has_more: false }],
    ['/models', {}, { object: 'list' }],
    ['/models', { 'x-goog-api-key': KEY }, { models: [{ name: 'models/small' }, {}] }],
    ['/models/small', {}, { object: 'model', id: 'small' }],
    ['/openai/models?api-version=2024-10-21', { 'api-key': KEY }, { object: 'list' }],
    ['/v1beta/openai/models', {}, { object: 'list' }],
    ['/gemini/v1beta/models', {}, { models: [{ name: 'models/small' }, {}] }],
    ['/openapi.json/', {}, { openapi: '3.1.0' }],
  ])('that is read is served as %s', async (path, headers, body) => {
    const { call } = await start()
    expect(await (await call(path, { headers })).json()).toMatchObject(body)
  })

  it('is served in every spelling behind a base path, and only there', async () => {
    const { call, post, upstream } = await start({ basePath: '/ai' })
    for (const path of ['/ai/v1/v1/chat/completions', '/ai//v1/chat/completions', '//ai/openai/v1/chat/completions/'])
      expect((await post(path, chatRequest)).status, path).toBe(200)
    expect(await (await call('/ai/v1beta/models')).json()).toMatchObject({ models: [{ name: 'models/small' }, {}] })
    expect(
      await (await call('/ai/anthropic/v1/models', { headers: { 'anthropic-version': '1' } })).json(),
    ).toHaveProperty('has_more')
    const outside = await post('/v1/messages', messagesRequest)
    expect([outside.status, await outside.json()]).toMatchObject([
      404,
      { type: 'error', error: { message: expect.stringContaining("is the gateway's address, then /ai, without /v1") } },
    ])
    expect(((await (await call('/nothing')).json()) as Told).error.message).toBe(
      'The path /nothing does not exist. All paths begin with /ai. GET /ai/openapi.json lists all paths.',
    )
    expect(upstream.calls).toHaveLength(3)
  })

  it('is told to who checks keys as it is served, and to the log as it came', async () => {
    const paths: string[] = []
    const { post, access } = await start({
      basePath: '/ai',
      authenticate: (_, { path }) => {
        paths.push(path)
        return { id: 'key-1' }
      },
    })
    await (await post('/ai/openai/v1/chat/completions', chatRequest)).text()
    expect(paths).toEqual(['/ai/v1/chat/completions'])
    expect(await access.next()).toMatchObject({ path: '/ai/openai/v1/chat/completions', status: 200 })
  })

  it.each([
    ['/api/v1/chat/completions', "The base URL for OpenAI's SDK ends in /v1."],
    ['/v1/chat/completions/chat/completions', "The base URL for OpenAI's SDK ends in /v1."],
  ])('that begins otherwise says which base URL the client wants: %s', async (path, hint) => {
    const { post } = await start()
    const answer = await post(path, chatRequest)
    expect([answer.status, await answer.json()]).toMatchObject([
      404,
      {
        error: {
          code: 'not_found',
          message: `The path ${path} does not exist. ${hint} GET /openapi.json lists all paths.`,
        },
      },
    ])
  })

  it('that begins otherwise is refused in the shape of the client that it is of', async () => {
    const { post } = await start()
    expect(await (await post('/v3/messages', messagesRequest)).json()).toMatchObject({
      type: 'error',
      error: {
        type: 'not_found_error',
        message: expect.stringContaining(
          "The base URL for Anthropic's SDK is the gateway's address without /v1; for the AI SDK it ends in /v1.",
        ),
      },
    })
    expect(await (await post('/v3/models/small:generateContent', generateRequest)).json()).toMatchObject({
      error: { status: 'NOT_FOUND', message: expect.stringContaining('for the AI SDK it ends in /v1beta.') },
    })
  })

  it.each([
    [
      '/v1/responses/compact',
      'That part of the Responses API is not supported: the path /v1/responses/compact does not exist. Send the whole',
    ],
    ['/openai/v1/responses/compact', 'That part of the Responses API'],
    ['/openai/audio/speech', 'Speech and transcription'],
    ['/v1/realtime', 'The Realtime API'],
    ['/v1/batches', 'Batches'],
    ['/v1/files', 'Stored files'],
    ['/v1/assistants', 'Assistants'],
    ['/v1/threads/t/runs', 'Assistants'],
  ])('that others have and this gateway has not is named: %s', async (path, what) => {
    const { post } = await start()
    const answer = await post(path, {})
    const { error } = (await answer.json()) as Told
    expect([answer.status, error.message]).toEqual([404, expect.stringContaining(what)])
    expect(error.message).toContain(`not supported: the path ${path} does not exist.`)
  })

  it("of a deployment names the model, whatever the body says, to Azure's client and its header", async () => {
    const upstream = await startUpstream((call) =>
      call.answer(200, {
        object: 'list',
        model: 'small',
        data: [{ object: 'embedding', index: 0, embedding: [1] }],
        usage: {},
      }),
    )
    const { embeddings } = openAICompatibleServer({ baseUrl: upstream.url, embeddings: true })
    const { post, rows } = await startGateway(sink, {
      providers: [
        chatProvider(upstream.url, {
          known: [{ id: 'team/small' }],
          ...(embeddings && { embeddings }),
        }),
      ],
    })
    const headers = { 'api-key': KEY, 'x-no-key': '1' }
    const path = '/openai/deployments/team%2Fsmall/embeddings?api-version=2024-10-21'
    expect((await post(path, { input: 'Hello' }, { headers })).status).toBe(200)
    expect((await post(path, { input: 'Hello', model: 'other' }, { headers })).status).toBe(200)
    expect((await post(path, { input: 'Hello' }, { headers: { ...headers, 'api-key': 'sk-wrong' } })).status).toBe(401)
    expect(upstream.calls.map((call) => [call.json()['model'], call.headers['api-key']])).toEqual([
      ['team/small', undefined],
      ['team/small', undefined],
    ])
    expect(rows).toMatchObject([{ model: 'team/small' }, { model: 'team/small' }])
  })

  it('of messages that is not served is named in their shape', async () => {
    const { post } = await start()
    expect(await (await post('/v1/messages/batches', {})).json()).toMatchObject({
      type: 'error',
      error: {
        message:
          'Batches are not supported: the path /v1/messages/batches does not exist. GET /openapi.json lists all paths.',
      },
    })
  })

  it('is documented in one spelling', async () => {
    const { gateway } = await start()
    expect(
      Object.keys(gateway.openapi()['paths'] as object).filter((path) =>
        /\/\/|\/$|openai\/(?!deployments)|anthropic|v1.*v1/.test(path),
      ),
    ).toEqual([])
  })

  it.each(['/v1/models', '/v1/models/small', '/openapi.json', '/v1/models/'])(
    'answers HEAD as it answers GET, without a body: %s',
    async (path) => {
      const { call, access } = await start()
      const whole = await call(path)
      const { length } = Buffer.from(await whole.arrayBuffer())
      await access.next()
      const head = await call(path, { method: 'HEAD' })
      expect([
        head.status,
        head.headers.get('content-length'),
        head.headers.get('content-type'),
        await head.text(),
      ]).toEqual([200, String(length), 'application/json', ''])
      expect(await access.next()).toMatchObject({ method: 'HEAD', status: 200 })
    },
  )

  it('answers HEAD with the status of a failure, without its words', async () => {
    const { call, gateway } = await start()
    const stranger = await call('/v1/models', { method: 'HEAD', headers: { 'x-api-key': 'sk-wrong' } })
    expect([stranger.status, await stranger.text()]).toEqual([401, ''])
    const chat = await call('/v1/chat/completions', { method: 'HEAD' })
    expect([chat.status, chat.headers.get('allow'), await chat.text()]).toEqual([405, 'POST', ''])
    expect(gateway.inFlight()).toBe(0)
  })
})
