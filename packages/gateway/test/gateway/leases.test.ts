import { describe, expect, it, vi } from 'vitest'
import { accessToken } from '../../../core/src/credentials.ts'
import { isNext, type Lease, type Leased, next, type Signed, signed } from '../../../core/src/provider.ts'
import { CHAT, chatAnswer, chatRequest, chatText } from '../../../core/test/support/wire.ts'
import { failing, good, type Handler, startOne } from '../support/fleet.ts'
import { chatProvider, startGateway } from '../support/gateway.ts'
import { startUpstream, type Upstream, type UpstreamCall } from '../support/upstream.ts'

const streamed = { ...chatRequest, stream: true }
const HOUR = 3_600_000

interface Token {
  readonly token: string
}

/** `leased-token-number-1`, then `…-2`. */
const tokenOf = (count: number): string => `leased-token-number-${count}`

/** Gives tokens, each for as long as it is told. */
function issuer(lasting = HOUR): Handler & { issued: number } {
  const issue = (call: UpstreamCall): void => {
    issue.issued += 1
    call.answer(200, { token: tokenOf(issue.issued), expires: new Date(Date.now() + lasting).toISOString() })
  }
  issue.issued = 0
  return issue
}

function leaseFrom(url: string, changes: Partial<Lease<Token>> = {}): Lease<Token> {
  return {
    hosts: [new URL(url).origin],
    obtain: {
      request: ({ now }) => ({ method: 'POST', url: `${url}/token`, body: { json: { now: now.getTime() } } }),
      response({ body }): Leased<Token> {
        const { token, expires } = body as { token: string; expires: string }
        return { token, expiresAt: new Date(expires) }
      },
    },
    secrets: ({ token }) => [token],
    ...changes,
  }
}

function tokenFrom(url: string, changes: Partial<Omit<Signed<Token>, 'kind'>> = {}) {
  return signed<Token>({
    lease: leaseFrom(url),
    sign: (_, { token }) => ({ authorization: `Bearer ${token}` }),
    ...changes,
  })
}

const tokensOf = ({ calls }: Upstream): (string | undefined)[] =>
  calls.map(({ headers }) => headers.authorization?.replace('Bearer ', ''))

/** A gateway in front of a provider whose credential comes from a server of its own. */
async function startLeased(
  giver: Handler,
  handler: Handler = good,
  changes: Partial<Omit<Signed<Token>, 'kind'>> = {},
) {
  const vault = await startUpstream(giver)
  const served = await startOne('node', () => ({ credential: tokenFrom(vault.url, changes) }), handler)
  return { ...served, vault }
}

describe('What is leased', () => {
  it('is obtained once, for requests of any kind', async () => {
    const { post, upstream, vault } = await startLeased(issuer())
    expect(await (await post(CHAT, chatRequest)).json()).toEqual(chatAnswer())
    expect(chatText(await (await post(CHAT, streamed)).text())).toBe('Hi there')
    expect(tokensOf(upstream)).toEqual([tokenOf(1), tokenOf(1)])
    expect(vault.calls.map(({ method, path, headers }) => [method, path, headers.authorization])).toEqual([
      ['POST', '/v1/token', undefined],
    ])
  })

  it('is obtained by one flight for all who wait', async () => {
    const vault = await startUpstream()
    const { post } = await startOne('node', () => ({ credential: tokenFrom(vault.url) }))
    const answers = Array.from({ length: 20 }, () => post(CHAT, chatRequest))
    issuer()(await vault.next())
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200))
    expect(vault.calls).toHaveLength(1)
  })

  it('goes on being obtained when one who waits leaves', async () => {
    const vault = await startUpstream()
    const { post, upstream, access } = await startOne('node', () => ({ credential: tokenFrom(vault.url) }))
    const leave = new AbortController()
    const leaving = post(CHAT, chatRequest, { signal: leave.signal }).catch(() => 'left')
    const obtaining = await vault.next()
    const staying = post(CHAT, chatRequest)
    leave.abort()
    expect(await leaving).toBe('left')
    expect((await access.next()).status).toBe(499)
    issuer()(obtaining)
    expect((await staying).status).toBe(200)
    expect([vault.calls.length, upstream.calls.length]).toEqual([1, 1])
  })

  it('is obtained anew, once, when the upstream says 401', async () => {
    const picky: Handler = (call) => (call.headers.authorization?.endsWith('1') ? failing(401)(call) : good(call))
    const { post, upstream, rows } = await startLeased(issuer(), picky)
    expect((await post(CHAT, chatRequest)).status).toBe(200)
    expect(chatText(await (await post(CHAT, streamed)).text())).toBe('Hi there')
    expect(tokensOf(upstream)).toEqual([tokenOf(1), tokenOf(2), tokenOf(2)])
    expect(rows.map((row) => row.attempts.length)).toEqual([1, 1])

    const never = await startLeased(issuer(), failing(401))
    expect((await never.post(CHAT, chatRequest)).status).toBe(500)
    expect(tokensOf(never.upstream)).toEqual([tokenOf(1), tokenOf(2)])
  })

  it('is stale when the provider says so, and then only', async () => {
    const stale: Signed<Token>['stale'] = ({ status, body }) =>
      status === 403 && (body as { code?: string }).code === 'ExpiredToken'
    const expired: Handler = (call) =>
      call.headers.authorization?.endsWith('1') ? call.answer(403, { code: 'ExpiredToken' }) : good(call)
    const { post, upstream } = await startLeased(issuer(), expired, { stale })
    expect((await post(CHAT, streamed)).status).toBe(200)
    expect(tokensOf(upstream)).toEqual([tokenOf(1), tokenOf(2)])

    for (const handler of [failing(401), (call: UpstreamCall) => call.answer(403, { code: 'AccessDenied' })]) {
      const other = await startLeased(issuer(), handler, { stale })
      expect((await other.post(CHAT, chatRequest)).status).toBe(500)
      expect(tokensOf(other.upstream)).toEqual([tokenOf(1)])
    }
  })

  it('is never a failure that is kept', async () => {
    const give = issuer()
    let isDown = true
    const { post, upstream, vault } = await startLeased((call) =>
      isDown ? call.answer(503, 'vault-secret is down') : give(call),
    )
    const response = await post(CHAT, chatRequest)
    const text = await response.text()
    expect([response.status, text.includes('vault-secret'), upstream.calls.length]).toEqual([500, false, 0])
    expect(text).toContain('responded with status 503 when a credential was requested.')
    isDown = false
    expect((await post(CHAT, chatRequest)).status).toBe(200)
    expect(vault.calls).toHaveLength(2)
  })

  it('is a failure of this provider alone: another serves', async () => {
    const vault = await startUpstream(failing(500))
    const other = await startUpstream(good)
    const signs = chatProvider('http://127.0.0.1:1/v1', { credential: tokenFrom(vault.url) })
    const { post } = await startGateway('node', { providers: [signs, chatProvider(other.url, { name: 'beta' })] })
    expect((await post(CHAT, chatRequest)).headers.get('headgate-vendor')).toBe('beta')
  })

  it.each([
    ['expired', { token: 'x', expires: new Date(0).toISOString() }],
    ['without an end', { token: 'x' }],
    ['no JSON', 'sorry'],
  ])('is refused when it comes %s', async (_, answer) => {
    const { post, upstream } = await startLeased((call) => call.answer(200, answer))
    expect((await post(CHAT, chatRequest)).status).toBe(500)
    expect(upstream.calls).toEqual([])
  })

  it('is renewed before it ends, and nobody waits for that', async () => {
    const vault = await startUpstream()
    // Of a token that says it lasts an hour, 59 minutes and 59 seconds are over a moment later.
    const clock = vi.spyOn(Date, 'now')
    const { post, upstream } = await startOne('node', () => ({ credential: tokenFrom(vault.url) }))
    const first = post(CHAT, chatRequest)
    const give = issuer()
    give(await vault.next())
    expect((await first).status).toBe(200)

    const now = performance.timeOrigin + performance.now()
    clock.mockImplementation(() => now + HOUR - 60_000)
    expect((await post(CHAT, chatRequest)).status).toBe(200)
    const renewing = await vault.next()
    expect((await post(CHAT, chatRequest)).status).toBe(200)
    expect([tokensOf(upstream), vault.calls.length]).toEqual([[tokenOf(1), tokenOf(1), tokenOf(1)], 2])
    give(renewing)
    await vi.waitFor(async () => {
      await post(CHAT, chatRequest)
      expect(tokensOf(upstream).at(-1)).toBe(tokenOf(2))
    })
    expect(vault.calls).toHaveLength(2)
  })

  it('is renewed no more for five seconds where that has failed, while what is held still holds', async () => {
    const vault = await startUpstream()
    const clock = vi.spyOn(Date, 'now')
    const { post, upstream } = await startOne('node', () => ({ credential: tokenFrom(vault.url) }))
    const first = post(CHAT, chatRequest)
    const give = issuer()
    give(await vault.next())
    expect((await first).status).toBe(200)

    const start = performance.timeOrigin + performance.now()
    let at = start + HOUR - 60_000
    clock.mockImplementation(() => at)
    expect((await post(CHAT, chatRequest)).status).toBe(200)
    ;(await vault.next()).answer(503, {})
    for (let nth = 0; nth < 5; nth++) expect((await post(CHAT, chatRequest)).status).toBe(200)
    expect(vault.calls).toHaveLength(2)

    at += 5_500
    expect((await post(CHAT, chatRequest)).status).toBe(200)
    give(await vault.next())
    await vi.waitFor(async () => {
      await post(CHAT, chatRequest)
      expect(tokensOf(upstream).at(-1)).toBe(tokenOf(2))
    })
    expect(vault.calls).toHaveLength(3)
  })

  it('lasts from when it was asked for, where its end is said in seconds', async () => {
    const vault = await startUpstream((call) =>
      call.answer(200, { access_token: 'leased-token-number-1', expires_in: 3_600 }),
    )
    const asked: number[] = []
    const credential = accessToken(`${vault.url}/token`, (now) => {
      asked.push(now.getTime())
      return { method: 'POST', url: `${vault.url}/token` }
    })
    const { post } = await startOne('node', () => ({ credential }))
    expect((await post(CHAT, chatRequest)).status).toBe(200)
    const { lease } = credential as Signed<Token>
    const answer = { status: 200, headers: {}, body: { access_token: 'a', expires_in: 60 }, bytes: new Uint8Array() }
    const given = [5_000, 1_000].map((time) => lease?.obtain.response(answer, [], { now: new Date(time) }))
    expect(given.map((leased) => !isNext(leased) && leased?.expiresAt.getTime())).toEqual([65_000, 61_000])
    expect(asked).toHaveLength(1)
  })

  it('may take two requests', async () => {
    const give = issuer()
    const machine: Handler = (call) => (call.method === 'PUT' ? call.answer(200, 'session-of-the-machine') : give(call))
    const vault = await startUpstream(machine)
    const { obtain, ...lease } = leaseFrom(vault.url)
    const credential = tokenFrom(vault.url, {
      lease: {
        ...lease,
        obtain: {
          request: () => ({ method: 'PUT', url: `${vault.origin}/session`, headers: { 'X-Ttl': '60' } }),
          response(answer, earlier, given) {
            if (earlier.length > 0) return obtain.response(answer, earlier, given)
            return next({
              method: 'GET',
              url: `${vault.origin}/credentials`,
              headers: { 'x-session': String(answer.body) },
            })
          },
        },
      },
    })
    const { post } = await startOne('node', () => ({ credential }))
    expect((await post(CHAT, chatRequest)).status).toBe(200)
    expect(
      vault.calls.map(({ method, path, headers }) => [method, path, headers['x-ttl'], headers['x-session']]),
    ).toEqual([
      ['PUT', '/session', '60', undefined],
      ['GET', '/credentials', undefined, 'session-of-the-machine'],
    ])
  })

  it('is not asked of a host that is not declared, even where its key may go', async () => {
    const vault = await startUpstream(issuer())
    for (const hosts of [[], ['tokens.example.com']]) {
      const { post } = await startOne('node', () => ({
        hosts: [vault.origin],
        credential: tokenFrom(vault.url, { lease: leaseFrom(vault.url, { hosts }) }),
      }))
      const response = await post(CHAT, chatRequest)
      expect([response.status, await response.text()]).toEqual([500, expect.stringContaining('not a declared host')])
    }
    expect(vault.calls).toEqual([])
  })

  it('is in no error, whoever repeats it', async () => {
    const gossip: Handler = (call) =>
      call.answer(400, { error: { message: `${call.headers.authorization} may not do that` } })
    const { post, rows, access } = await startLeased(issuer(), gossip)
    const text = await (await post(CHAT, chatRequest)).text()
    expect(text).toContain('may not do that')
    expect(text + JSON.stringify([rows, await access.next()])).not.toContain('leased-token')
  })
})

describe('What is leased to sign many requests', () => {
  it('is in no error, however many have been signed with it', async () => {
    let nth = 0
    const gossip: Handler = (call) => call.answer(400, { error: { message: `${tokenOf(1)} may not do that` } })
    const sign = () => ({ authorization: `signature-of-request-number-${nth++}` })
    const { post } = await startLeased(issuer(), gossip, { sign })
    for (let one = 0; one < 70; one++) await (await post(CHAT, chatRequest)).text()
    const text = await (await post(CHAT, chatRequest)).text()
    expect([nth, text.includes('may not do that'), text.includes('leased-token')]).toEqual([71, true, false])
  })
})

describe('The time that a lease takes', () => {
  it('is its own: a request has its own deadline, and what is obtained is kept for the next', async () => {
    const vault = await startUpstream()
    const { post } = await startOne('node', () => ({ credential: tokenFrom(vault.url) }))
    const late = await post(CHAT, chatRequest, { headers: { 'headgate-timeout-ms': '50' } })
    expect([late.status, await late.text()]).toEqual([500, expect.stringContaining('exceeded its time limit')])
    issuer()(await vault.next())
    expect((await post(CHAT, chatRequest)).status).toBe(200)
    expect(vault.calls).toHaveLength(1)
  })
})
