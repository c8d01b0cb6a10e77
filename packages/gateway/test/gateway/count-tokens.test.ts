import { describe, expect, it } from 'vitest'
import { messagesRequest } from '../../../core/test/support/wire.ts'
import type { ProviderInstance } from '../../src/index.ts'
import { chatProvider, messagesProvider, startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

const COUNT = '/v1/messages/count_tokens'
const { max_tokens, ...request } = messagesRequest

const countTokens: NonNullable<ProviderInstance['countTokens']> = {
  request: ({ model, body }, { headers }) => ({
    method: 'POST',
    url: `/count?model=${model}`,
    headers,
    body: { json: body },
  }),
  response: ({ body }) => (body as { input_tokens: number }).input_tokens,
}

describe('The tokens of a request', () => {
  it('are counted by the provider that counts', async () => {
    const upstream = await startUpstream((call) => call.answer(200, { input_tokens: 42 }))
    const { post, rows } = await startGateway('node', { providers: [messagesProvider(upstream.url, { countTokens })] })
    const response = await post(COUNT, { ...request, model: 'alpha/wise' })
    expect([response.status, await response.json(), response.headers.get('headgate-estimated')]).toEqual([
      200,
      { input_tokens: 42 },
      null,
    ])
    expect([response.headers.get('headgate-vendor'), rows, upstream.calls[0]?.path]).toEqual([
      'alpha',
      [],
      '/v1/count?model=wise',
    ])
    expect(upstream.calls[0]?.json()).toMatchObject({ messages: request.messages })
  })

  it('are counted without what the provider that counts can not be told, which the caller learns, or refuses', async () => {
    const upstream = await startUpstream((call) => call.answer(200, { input_tokens: 42 }))
    const losing: typeof countTokens = {
      ...countTokens,
      request(input, call) {
        if (input.body['tools']) call.lose('tools', 'only texts are counted')
        return countTokens.request(input, call)
      },
    }
    const { post } = await startGateway('node', {
      providers: [messagesProvider(upstream.url, { countTokens: losing })],
    })
    const tools = [{ name: 'look', input_schema: { type: 'object' } }]
    const response = await post(COUNT, { ...request, tools })
    expect([response.status, response.headers.get('headgate-lost')]).toEqual([200, 'tools'])
    expect((await post(COUNT, request)).headers.get('headgate-lost')).toBeNull()
    const strict = await post(COUNT, { ...request, tools }, { headers: { 'headgate-strict': 'true' } })
    expect([strict.status, await strict.json()]).toMatchObject([
      400,
      { error: { message: expect.stringContaining('tools (dropped: only texts') } },
    ])
    expect(upstream.calls).toHaveLength(2)
  })

  it('are counted of a translated request, whose losses have the names that the caller gave', async () => {
    const upstream = await startUpstream((call) => call.answer(200, { input_tokens: 42 }))
    const losing: typeof countTokens = {
      ...countTokens,
      request(input, call) {
        call.lose('stop', 'it counts for nothing')
        return countTokens.request(input, call)
      },
    }
    const { post } = await startGateway('node', { providers: [chatProvider(upstream.url, { countTokens: losing })] })
    const response = await post(COUNT, { ...request, top_k: 5, stop_sequences: ['END'] })
    expect([response.status, response.headers.get('headgate-lost')]).toEqual([200, 'top_k, stop_sequences'])
    const strict = await post(COUNT, { ...request, top_k: 5 }, { headers: { 'headgate-strict': 'true' } })
    expect([strict.status, upstream.calls.length]).toEqual([400, 1])
  })

  it('case 333: are estimated where nobody counts, which the answer says', async () => {
    const upstream = await startUpstream()
    const { post } = await startGateway('node', {
      providers: [chatProvider(upstream.url)],
      estimateTokens: async (text) => text.length,
    })
    const response = await post(COUNT, {
      ...request,
      system: 'Be kind',
      messages: [{ role: 'user', content: 'Hello' }],
    })
    const { input_tokens } = (await response.json()) as { input_tokens: number }
    expect([response.status, response.headers.get('headgate-estimated')]).toEqual([200, 'true'])
    expect(input_tokens).toBeGreaterThanOrEqual('Be kindHello'.length)
    expect(upstream.calls).toHaveLength(0)
  })

  it('are not to be had where the provider fails, or the request is wrong', async () => {
    const upstream = await startUpstream((call) =>
      call.answer(401, { type: 'error', error: { type: 'authentication_error', message: 'no' } }),
    )
    const { post } = await startGateway('node', { providers: [messagesProvider(upstream.url, { countTokens })] })
    const response = await post(COUNT, request)
    expect([response.status, await response.json()]).toMatchObject([
      500,
      { type: 'error', error: { type: 'api_error' } },
    ])
    expect((await post(COUNT, { ...request, model: 7 })).status).toBe(400)
    expect((await post(COUNT, { ...request, model: 'nobody' })).status).toBe(400)
  })

  it('are not waited for when the caller leaves', async () => {
    const upstream = await startUpstream()
    const { post, access } = await startGateway('node', {
      providers: [messagesProvider(upstream.url, { countTokens })],
    })
    const leave = new AbortController()
    const answering = post(COUNT, request, { signal: leave.signal })
    const call = await upstream.next()
    leave.abort()
    await expect(answering).rejects.toThrow('aborted')
    await call.left
    expect(await access.next()).toMatchObject({ status: 499 })
  })
})
