import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose'
import OpenAI from 'openai'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createIssuerKeys } from '../src/tokens/issuer-keys.ts'
import { authenticateTokens } from '../src/tokens/token-callers.ts'
import { startInProcess } from './in-process.ts'
import { startSignedIn } from './signed-in.ts'
import { temporaryFolder } from './temporary.ts'

const ISSUER = 'https://login.example.com'
const AUDIENCE = 'headgate'

interface KeyPair {
  readonly kid: string
  readonly privateKey: CryptoKey
  readonly jwk: object
}

async function keyPair(kid: string, alg = 'ES256'): Promise<KeyPair> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } }
}

let first: KeyPair
let second: KeyPair
beforeAll(async () => {
  first = await keyPair('first')
  second = await keyPair('second')
})

interface TokenOptions {
  readonly key?: KeyPair
  readonly header?: Readonly<Record<string, unknown>>
  readonly claims?: Readonly<Record<string, unknown>>
}

const seconds = (from = Date.now()) => Math.floor(from / 1_000)

async function token({ key = first, header = {}, claims = {} }: TokenOptions = {}): Promise<string> {
  const payload = { iss: ISSUER, aud: AUDIENCE, sub: 'svc-1', exp: seconds() + 600, team: ['search', 'web'], ...claims }
  return new SignJWT(payload).setProtectedHeader({ alg: 'ES256', kid: key.kid, ...header }).sign(key.privateKey)
}

/** An issuer on loopback, whose responses can change. */
async function startIssuer(keys: () => readonly KeyPair[]) {
  const state = { calls: 0, authorization: '', answer: undefined as RequestListener | undefined }
  const server = createServer((request, response) => {
    state.calls++
    state.authorization = request.headers.authorization ?? ''
    if (state.answer) return state.answer(request, response)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ keys: keys().map(({ jwk }) => jwk) }))
  })
  onTestFinished(() => void server.closeAllConnections())
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return Object.assign(state, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys` })
}

const QUIET = { folder: '.', record: async () => {}, onWarning: () => {} }
const grants = [{ claims: { team: 'search' }, project: 'search', models: ['demo'], limits: { requestsPerMinute: 100 } }]

async function startGateway(extra: object = {}) {
  const keys = [first]
  const issuer = await startIssuer(() => keys)
  const config = { tokens: [{ issuer: ISSUER, audience: AUDIENCE, jwks: issuer.url, grants, ...extra }] }
  const folder = temporaryFolder({ 'headgate.config.json': config })
  const gateway = await startInProcess({ folder })
  const chat = (credential: string, model = 'demo') =>
    fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
    })
  const refusal = async (credential: string) => {
    const response = await chat(credential)
    const { error } = (await response.json()) as { error?: { message: string } }
    return [response.status, error?.message]
  }
  return { gateway, issuer, chat, refusal }
}

describe('A caller with a token', () => {
  it('uses a client as with a key, with the rights of its grant', async () => {
    const { gateway, issuer, chat } = await startGateway()
    const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: await token() })
    const messages = [{ role: 'user' as const, content: 'Hello' }]
    const answer = await client.chat.completions.create({ model: 'demo', messages })
    expect(answer.choices[0]?.message.content).toBeTruthy()
    const response = await chat(await token())
    expect(response.headers.get('x-ratelimit-limit-requests')).toBe('100')
    expect((await chat(await token(), 'demo-2')).status).toBe(403)
    expect(issuer.calls).toBe(1)
    await gateway.stop()
  })

  it('is refused with the reason, for each way in which a token is wrong', async () => {
    const { refusal, issuer } = await startGateway()
    const now = seconds()
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const payload = part({ iss: ISSUER, aud: AUDIENCE, sub: 'svc-1', exp: now + 600, team: 'search' })
    const valid = await token()
    const [head, body, signature] = valid.split('.')
    const secret = new TextEncoder().encode(JSON.stringify(first.jwk))
    const symmetric = new SignJWT({ iss: ISSUER, aud: AUDIENCE, sub: 'svc-1', exp: now + 600, team: 'search' })
    const other = await keyPair('first')
    const wrong: readonly (readonly [string, string])[] = [
      [`${part({ alg: 'none' })}.${payload}.`, 'has a signature algorithm that is not allowed'],
      [
        `${part({ alg: 'none', kid: 'first' })}.${payload}.${signature}`,
        'has a signature algorithm that is not allowed',
      ],
      [
        await symmetric.setProtectedHeader({ alg: 'HS256', kid: 'first' }).sign(secret),
        'has a signature algorithm that is not allowed',
      ],
      [await token({ key: { ...other, kid: 'first' } }), 'has no valid signature'],
      [`${head}.${payload}.${signature}`, 'has no valid signature'],
      [`${head}.${body}.`, 'has no valid signature'],
      [await token({ key: second }), 'is signed with an unknown key'],
      [
        await token({ header: { crit: ['x'], x: 1 } }).catch(
          () => `${part({ alg: 'ES256', crit: ['x'] })}.${payload}.x`,
        ),
        'has no valid signature',
      ],
      [await token({ claims: { iss: 'https://evil.example.com' } }), 'has no issuer that the configuration names'],
      [await token({ claims: { iss: `${ISSUER}/` } }), 'has no issuer that the configuration names'],
      [await token({ claims: { aud: 'other' } }), 'has an invalid claim "aud"'],
      [await token({ claims: { aud: undefined } }), 'has an invalid claim "aud"'],
      [await token({ claims: { sub: undefined } }), 'has an invalid claim "sub"'],
      [await token({ claims: { sub: '' } }), 'needs a claim "sub" with 1 to 200 characters'],
      [await token({ claims: { exp: undefined } }), 'has an invalid claim "exp"'],
      [await token({ claims: { exp: now - 1 } }), 'has expired'],
      [await token({ claims: { exp: now + 90_000 } }), 'is valid for more than 24 hours'],
      [await token({ claims: { nbf: now + 600 } }), 'has an invalid claim "nbf"'],
      [await token({ claims: { team: undefined } }), 'has no claims that the configuration grants rights for'],
      [await token({ claims: { team: ['Search'] } }), 'has no claims that the configuration grants rights for'],
      [await token({ claims: { team: { search: true } } }), 'has no claims that the configuration grants rights for'],
    ]
    for (const [credential, reason] of wrong)
      expect(await refusal(credential), reason).toEqual([401, expect.stringContaining(`The token ${reason}.`)])
    const messages = await Promise.all(wrong.map(([credential]) => refusal(credential)))
    expect(JSON.stringify(messages)).not.toContain('svc-1')
    // An unknown key causes one more call, whatever the number of tokens.
    expect(issuer.calls).toBeLessThanOrEqual(2)
  })

  it('cannot name the keys that its signature is checked with', async () => {
    const { refusal, chat, gateway } = await startGateway()
    const evil = await keyPair('evil')
    const server = await startIssuer(() => [evil])
    const header = { jku: server.url, x5u: server.url, jwk: evil.jwk }
    expect(await refusal(await token({ key: evil, header }))).toEqual([401, expect.stringContaining('unknown key')])
    expect(server.calls).toBe(0)
    expect((await chat(await token({ header: { jku: server.url } }))).status).toBe(200)
    expect(server.calls).toBe(0)
    expect((await refusal(`eyJ${'a'.repeat(20_000)}.b.c`))[0]).toBe(431)
    await gateway.stop()
  })

  it('manages nothing and reads no metrics, whatever its claims say', async () => {
    const { gateway } = await startGateway()
    const credential = await token({ claims: { scopes: ['admin', 'metrics'], scope: 'admin', role: 'owner' } })
    const status = async (path: string) =>
      (await fetch(`${gateway.url}${path}`, { headers: { authorization: `Bearer ${credential}` } })).status
    expect([await status('/api/v1/members'), await status('/metrics'), await status('/v1/models')]).toEqual([
      403, 403, 200,
    ])
  })

  it('is accepted after the issuer has rotated its keys, and refused with a removed key', async () => {
    const now = vi.fn(() => 1_000_000_000_000)
    const keys = [first]
    const issuer = await startIssuer(() => keys)
    const callers = authenticateTokens(
      { issuers: [{ issuer: ISSUER, audience: AUDIENCE, jwks: issuer.url, grants }], now, ...QUIET },
      () => undefined,
    )
    const at = (ms: number) => now.mockReturnValue(1_000_000_000_000 + ms)
    const ask = async (key: KeyPair) => {
      const claims = { exp: seconds(now()) + 3_600 }
      return callers(await token({ key, claims }))
    }
    expect(await ask(first)).toMatchObject({ name: 'svc-1', owners: { project: 'search' } })
    keys.push(second)
    await expect(ask(second)).rejects.toThrow('unknown key')
    at(31_000)
    expect(await ask(second)).toMatchObject({ name: 'svc-1' })
    keys.shift()
    at(31_000 + 600_001)
    await ask(second)
    await vi.waitUntil(() => issuer.calls === 3)
    await vi.waitFor(() => expect(ask(first)).rejects.toThrow('unknown key'))
  })

  it('loses its rights when its token ends, also within the minute that a signature is remembered', async () => {
    const start = 1_000_000_000_000
    const now = vi.fn(() => start)
    const issuer = await startIssuer(() => [first])
    const callers = authenticateTokens(
      { issuers: [{ issuer: ISSUER, audience: AUDIENCE, jwks: issuer.url, grants }], now, ...QUIET },
      () => undefined,
    )
    const credential = await token({ claims: { exp: seconds(start) + 10 } })
    const principal = await callers(credential)
    now.mockReturnValue(start + 9_999)
    expect(callers(credential), 'without a second verification').toBe(principal)
    now.mockReturnValue(start + 10_000)
    await expect(callers(credential)).rejects.toThrow('has expired')
  })
})

describe('Keys of an issuer', () => {
  const find = (keys: ReturnType<typeof createIssuerKeys>) =>
    keys({ alg: 'ES256', kid: 'first' }, { payload: '', signature: '' }) as Promise<unknown>

  it.each<readonly [string, RequestListener]>([
    ['answers 500', (_, response) => void response.writeHead(500).end('{}')],
    ['redirects', (_, response) => void response.writeHead(302, { location: '/other' }).end()],
    ['sends no JSON', (_, response) => void response.end('<html>')],
    ['sends no keys', (_, response) => void response.end('{"keys":5}')],
    ['breaks off', (request) => void request.socket.destroy()],
    ['never ends', (_, response) => void setInterval(() => response.write(' '.repeat(100_000)), 1).unref()],
  ])('are unavailable while it %s, and used up to a day later', async (_, answer) => {
    let now = 0
    const warnings: string[] = []
    const issuer = await startIssuer(() => [first])
    issuer.answer = answer
    const options = { folder: '.', now: () => now, onWarning: (warning: string) => void warnings.push(warning) }
    const keys = createIssuerKeys({ issuer: { jwks: issuer.url }, ...options })
    await expect(find(keys)).rejects.toMatchObject({ kind: 'unavailable', status: 503 })
    await expect(find(keys), 'without a second call').rejects.toMatchObject({ kind: 'unavailable' })
    expect([issuer.calls, warnings.length]).toEqual([1, 1])
    issuer.answer = undefined
    now = 30_000
    expect(await find(keys)).toBeTruthy()
    issuer.answer = answer
    now += 86_399_000
    expect(await find(keys)).toBeTruthy()
    await vi.waitUntil(() => warnings.length === 2, { timeout: 10_000 })
    now += 31_000
    await expect(find(keys)).rejects.toMatchObject({ kind: 'unavailable' })
  })

  it('are read from a file, or with a bearer token from a file, as in Kubernetes', async () => {
    const folder = temporaryFolder()
    const issuer = await startIssuer(() => [first])
    writeFileSync(join(folder, 'token'), 'pod-token\n')
    const options = { folder, onWarning: () => {} }
    expect(await find(createIssuerKeys({ issuer: { jwks: issuer.url, bearerFile: 'token' }, ...options }))).toBeTruthy()
    expect(issuer.authorization).toBe('Bearer pod-token')
    writeFileSync(join(folder, 'keys.json'), JSON.stringify({ keys: [first.jwk] }))
    expect(await find(createIssuerKeys({ issuer: { jwksFile: 'keys.json' }, ...options }))).toBeTruthy()
  })
})

describe('A service account of Kubernetes', () => {
  it('is known by the claims that Kubernetes writes', async () => {
    const claims = { 'kubernetes.io.namespace': 'shop', 'kubernetes.io.serviceaccount.name': 'web' }
    const { chat } = await startGateway({ grants: [{ claims, project: 'shop' }] })
    // As in the documentation of Kubernetes on bound service account tokens.
    const bound = (namespace: string) => ({
      sub: `system:serviceaccount:${namespace}:web`,
      'kubernetes.io': { namespace, serviceaccount: { name: 'web', uid: '1' }, pod: { name: 'web-1', uid: '2' } },
    })
    expect((await chat(await token({ claims: bound('shop') }))).status).toBe(200)
    expect((await chat(await token({ claims: bound('other') }))).status).toBe(401)
  })
})

describe('Usage by token', () => {
  it('has the subject as its name in the management API', async () => {
    const issuer = await startIssuer(() => [first])
    const tokens = [{ issuer: ISSUER, audience: AUDIENCE, jwks: issuer.url, grants }]
    const { owner, gateway } = await startSignedIn({ tokens })
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await token()}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'demo', messages: [{ role: 'user', content: 'Hello' }] }),
    })
    expect(response.status).toBe(200)
    await response.text()
    const { items } = await owner.read<{ items: readonly object[] }>('/usage?limit=1')
    expect(items[0]).toMatchObject({ project: 'search' })
    expect(JSON.stringify(items[0])).toMatch(/"token_[\w-]{16}"/)
    const spend = () => owner.read<{ items: readonly object[] }>('/spend?by=key&from=0&to=4102444800000')
    await vi.waitFor(async () => expect(JSON.stringify(await spend())).toContain('svc-1'), { timeout: 20_000 })
  })
})
