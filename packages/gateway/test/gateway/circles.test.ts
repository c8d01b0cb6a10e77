import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { openAICompatible } from '../../../core/src/openai-compatible.ts'
import { baseUrl, defineProvider, endpoint } from '../../../core/src/provider.ts'
import { defineSearchBackend } from '../../../core/src/search.ts'
import { CHAT, chatRequest, MESSAGES, messagesRequest } from '../../../core/test/support/wire.ts'
import { server, vendor } from '../support/embeddings.ts'
import { startOne } from '../support/fleet.ts'
import { chatProvider, KEY, startGateway } from '../support/gateway.ts'
import { startUpstream, type UpstreamCall } from '../support/upstream.ts'

const GENERATE = '/v1beta/models/small:generateContent'
const generateRequest = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] }

const SHAPES = [
  [CHAT, chatRequest, { error: { type: 'server_error', code: 'loop_detected' } }],
  [MESSAGES, messagesRequest, { type: 'error', error: { type: 'api_error' } }],
  [GENERATE, generateRequest, { error: { code: 508, status: 'FAILED_PRECONDITION' } }],
] as const

/** A gateway whose provider is a proxy in front of it. */
async function startCircle() {
  let port = 0
  const proxy = await startUpstream(async (call: UpstreamCall) => {
    const { authorization = '', 'content-type': type = '', 'headgate-hops': hops } = call.headers
    const headers = { authorization, 'content-type': type, ...(hops && { 'headgate-hops': String(hops) }) }
    const answer = await fetch(`http://127.0.0.1:${port}${call.path}`, {
      method: call.method,
      headers,
      body: new Uint8Array(call.body),
    })
    call.answer(answer.status, await answer.text(), { 'content-type': 'application/json' })
  })
  const credential = { kind: 'header', name: 'authorization', value: `Bearer ${KEY}` } as const
  const served = await startGateway('node', {
    providers: [chatProvider(`${proxy.origin}/v1`, { credential, mayLoop: true })],
  })
  port = served.port
  return { ...served, proxy }
}

describe('A circle of gateways', () => {
  it.each(SHAPES)('ends after four of them, with 508 in the shape of %s', async (path, body, shape) => {
    const { post, proxy, access, warnings } = await startCircle()
    const response = await post(path, body)
    expect([response.status, response.headers.get('x-should-retry')]).toEqual([508, 'false'])
    const answer: unknown = await response.json()
    expect(answer).toMatchObject(shape)
    expect(JSON.stringify(answer)).toContain('points back to one of these gateways')
    // Nobody on the way tries again.
    expect(proxy.calls.map(({ headers }) => headers['headgate-hops'])).toEqual(['1', '2', '3', '4', '5'])
    // A line for each request that came, and none beside.
    for (let nth = 0; nth <= 5; nth++)
      expect(await access.next()).toMatchObject({ status: 508, error: { kind: 'loop' } })
    expect(warnings).toEqual([])
  })
})

describe('The count of gateways', () => {
  it('goes on from what the caller sent; what is no number counts as none', async () => {
    const { post, upstream } = await startOne('node', () => ({ mayLoop: true }))
    for (const hops of ['4', 'many', '-1', '']) await post(CHAT, chatRequest, { headers: { 'headgate-hops': hops } })
    await post(CHAT, chatRequest)
    expect(upstream.calls.map(({ headers }) => headers['headgate-hops'])).toEqual(['5', '1', '1', '1', '1'])
    expect((await post(CHAT, chatRequest, { headers: { 'headgate-hops': '5' } })).status).toBe(508)
    expect((await post(CHAT, chatRequest, { headers: { 'headgate-hops': '9'.repeat(15) } })).status).toBe(508)
  })

  it("does not go to an adapter's own base URL", async () => {
    const { post, upstream } = await startOne('node', () => ({}))
    await post(CHAT, chatRequest, { headers: { 'headgate-hops': '2' } })
    expect(upstream.calls.map(({ headers }) => headers['headgate-hops'])).toEqual([undefined])
  })

  it('is there when a request is signed', async () => {
    const signed: unknown[] = []
    const { post, upstream } = await startOne('node', () => ({
      mayLoop: true,
      credential: {
        kind: 'signed',
        secrets: [],
        sign: ({ headers }) => {
          signed.push(headers['headgate-hops'])
          return { 'x-signature': 's' }
        },
      },
    }))
    await post(CHAT, chatRequest)
    expect([signed, upstream.calls[0]?.headers['headgate-hops']]).toEqual([['1'], '1'])
  })

  it('goes with embeddings and with the counting of tokens', async () => {
    const upstream = await startUpstream(vendor)
    const counting = await startUpstream((call) => call.answer(200, { count: 3 }))
    const { post } = await startGateway('node', {
      providers: [
        server(upstream.url, { mayLoop: true }),
        chatProvider(counting.url, {
          name: 'counting',
          mayLoop: true,
          countTokens: { request: () => ({ method: 'POST', url: '/count', body: { json: {} } }), response: () => 3 },
        }),
      ],
    })
    const headers = { 'headgate-hops': '1' }
    expect((await post('/v1/embeddings', { model: 'embed-1', input: 'Hello' }, { headers })).status).toBe(200)
    expect((await post('/v1/messages/count_tokens', messagesRequest, { headers })).status).toBe(200)
    expect([upstream, counting].map(({ calls }) => calls[0]?.headers['headgate-hops'])).toEqual(['2', '2'])
  })

  it('goes with a search', async () => {
    const upstream = await startUpstream((call) => call.answer(200, { items: [] }))
    const adapter = defineSearchBackend(
      { id: 'own', title: 'Own', config: z.strictObject({ baseUrl }), env: {} },
      (config) => ({
        ...config,
        credential: { kind: 'none' },
        paging: { by: 'none', maxResults: 10 },
        search: { request: () => ({ method: 'GET', url: '/search' }), response: () => ({ items: [] }) },
      }),
    )
    const { call } = await startGateway('node', {
      providers: [],
      search: { backends: [{ backend: adapter({ baseUrl: upstream.origin }) }] },
    })
    expect((await call('/customsearch/v1?q=x', { headers: { 'headgate-hops': '3' } })).status).toBe(200)
    expect(upstream.calls[0]?.headers['headgate-hops']).toBe('4')
  })
})

describe('An adapter', () => {
  const acme = openAICompatible({ id: 'acme', title: 'Acme', baseUrl: 'https://api.acme.example/v1' })
  const anywhere = defineProvider(
    { id: 'anywhere', title: 'Anywhere', config: z.strictObject({ baseUrl }), env: {} },
    (config) => ({
      ...config,
      credential: { kind: 'none' },
    }),
  )
  const made = defineProvider(
    { id: 'made', title: 'Made', config: z.strictObject(endpoint('https://made.example')), env: {} },
    (config) => ({
      baseUrl: config.baseUrl,
      credential: { kind: 'none' },
    }),
  )

  it('is elsewhere when its base URL is not its own, or when it has none of its own', () => {
    expect(acme({ apiKey: 'k', baseUrl: 'http://127.0.0.1:1/v1' }).mayLoop).toBe(true)
    expect(made({ apiKey: 'k', baseUrl: 'http://127.0.0.1:1' }).mayLoop).toBe(true)
    expect(anywhere({ baseUrl: 'https://api.acme.example/v1' }).mayLoop).toBe(true)
  })

  it('is not when the configuration repeats its own', () => {
    expect(acme({ apiKey: 'k' }).mayLoop).toBeUndefined()
    expect(acme({ apiKey: 'k', baseUrl: 'https://api.acme.example/v1/' }).mayLoop).toBeUndefined()
    expect(made({ apiKey: 'k' }).mayLoop).toBeUndefined()
  })
})
