import { describe, expect, it } from 'vitest'
import { CHAT, chatAnswer, chatFrames, chatRequest } from '../../../core/test/support/wire.ts'
import { createGateway, type GatewayOptions } from '../../src/index.ts'
import { chatProvider, startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

const OURS = 'https://chat.example.com'
const OTHERS = ['https://evil.example', 'null', 'https://chat.example.com.evil.example', 'http://chat.example.com']

/** What a browser looks at before it lets a page read an answer. */
function said({ status, headers }: Response): object {
  const names = [
    'access-control-allow-origin',
    'access-control-expose-headers',
    'access-control-allow-credentials',
    'vary',
  ]
  return {
    status,
    ...Object.fromEntries(names.flatMap((name) => (headers.has(name) ? [[name, headers.get(name)]] : []))),
  }
}

const readable = { 'access-control-allow-origin': OURS, 'access-control-expose-headers': '*', vary: 'origin' }

describe('A browser at a gateway', () => {
  async function start(options: Partial<GatewayOptions> = { origins: [OURS, 'http://localhost:5173'] }) {
    const upstream = await startUpstream((call) => {
      if (call.json()['stream'] === true) return call.stream(chatFrames())
      call.answer(200, chatAnswer(), { 'access-control-allow-origin': 'https://of-the-upstream.example' })
    })
    const served = await startGateway('node', { providers: [chatProvider(upstream.url)], ...options })
    return { ...served, upstream }
  }
  const preflight = (origin: string): RequestInit => ({
    method: 'OPTIONS',
    headers: {
      'x-no-key': '1',
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,x-stainless-os',
    },
  })

  it('is told without a key that a page of an origin that may call can send its request', async () => {
    const { call, upstream, access } = await start()
    const answer = await call(CHAT, preflight(OURS))
    expect(said(answer)).toEqual({ status: 204, ...readable })
    expect(answer.headers.get('access-control-allow-methods')).toBe('GET, HEAD, POST, DELETE')
    expect(answer.headers.get('access-control-allow-headers')).toBe('authorization,content-type,x-stainless-os')
    expect(answer.headers.get('access-control-max-age')).toBe('7200')
    expect([await answer.text(), upstream.calls.length]).toEqual(['', 0])
    expect(await access.next()).toMatchObject({ method: 'OPTIONS', status: 204 })
  })

  it('lets that page read whole answers, streams and errors', async () => {
    const { call, post } = await start()
    const headers = { origin: OURS }
    expect(said(await post(CHAT, chatRequest, { headers }))).toEqual({ status: 200, ...readable })
    const stream = await post(CHAT, { ...chatRequest, stream: true }, { headers })
    expect([said(stream), await stream.text()]).toEqual([
      { status: 200, ...readable },
      expect.stringContaining('[DONE]'),
    ])
    expect(said(await post(CHAT, {}, { headers }))).toEqual({ status: 400, ...readable })
    expect(said(await post(CHAT, {}, { headers: { ...headers, 'x-api-key': 'sk-wrong' } }))).toEqual({
      status: 401,
      ...readable,
    })
    expect(said(await call('/v1/nothing', { headers }))).toEqual({ status: 404, ...readable })
    expect(said(await call('/v1/models', { headers: { origin: 'http://localhost:5173' } }))).toEqual({
      status: 200,
      ...readable,
      'access-control-allow-origin': 'http://localhost:5173',
    })
  })

  it('is told nothing for pages of other origins, which are refused', async () => {
    const { call, post, upstream } = await start()
    for (const origin of OTHERS) {
      expect(said(await call(CHAT, preflight(origin))), origin).toEqual({ status: 403, vary: 'origin' })
      expect(said(await post(CHAT, chatRequest, { headers: { origin } })), origin).toEqual({
        status: 403,
        vary: 'origin',
      })
    }
    expect(upstream.calls).toHaveLength(0)
  })

  it('makes no difference to who is none', async () => {
    const { call, post } = await start()
    expect(said(await post(CHAT, chatRequest))).toEqual({ status: 200, vary: 'origin' })
    expect((await call(CHAT, { method: 'OPTIONS' })).status).toBe(405)
  })

  it('is refused where no origin may call', async () => {
    const { call, post } = await start({})
    expect(said(await call(CHAT, preflight(OURS)))).toEqual({ status: 403 })
    expect(said(await post(CHAT, chatRequest, { headers: { origin: OURS } }))).toEqual({ status: 403 })
    expect(said(await post(CHAT, chatRequest))).toEqual({ status: 200 })
  })
})

describe('An origin that may call', () => {
  it.each([
    ...[
      'https://chat.example.com/',
      'chat.example.com',
      '*',
      'null',
      'https://chat.example.com/app',
      'https://*.example.com',
      'https://*',
    ],
    ...[
      'app://',
      'chrome-extension://*',
      'file://',
      'https://Chat.example.com',
      'https://chat.example.com:443',
      'https://me@example.com',
    ],
  ])('has to be what browsers send: %s is refused', (origin) => {
    expect(() => createGateway({ providers: [], origins: [origin] })).toThrow(
      `origins: "${origin}" is not an origin. Use only scheme, host and port`,
    )
  })

  it.each([
    'http://[::1]:8080',
    'capacitor://localhost',
    'chrome-extension://abcdef',
    'app://obsidian.md',
    'tauri://localhost',
  ])('can be %s', (origin) => {
    expect(() => createGateway({ providers: [], origins: [origin] })).not.toThrow()
  })
})
