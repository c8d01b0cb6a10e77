import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { type AccessRecord, createGateway } from '@headgate/gateway'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { ManagementApi } from '../../src/api/api.ts'
import { createManagementHandler } from '../../src/node/handler.ts'
import { publicAddress } from '../../src/node/public-address.ts'

const ORIGIN = 'http://localhost:8787'

/** A server with an API of the test's, and the gateway behind it. */
async function serve(fetch: ManagementApi['fetch'], publicUrl?: string, trustedProxies?: readonly string[]) {
  const records: AccessRecord[] = []
  const warnings: string[] = []
  const mount = createManagementHandler({
    api: { fetch },
    ...publicAddress(publicUrl === undefined ? {} : { publicUrl }, 8787),
    trustedProxies: () => trustedProxies,
    onAccess: (record) => void records.push(record),
    onWarning: (warning) => void warnings.push(warning),
  })
  const gateway = createGateway({
    providers: [],
    authenticate: (_, request) => ({ id: 'k', addresses: ['203.0.113.7'], name: request?.address ?? 'unknown' }),
    ...(trustedProxies && { trustedProxies }),
  })
  const server = createServer((request, response) => {
    if (!mount.handle(request, response)) gateway.node(request, response)
  })
  server.on('checkContinue', (request, response) => void mount.handle(request, response, true))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.close()
    server.closeAllConnections()
    await gateway.close()
  })
  const { port } = server.address() as AddressInfo
  return { port, url: `http://127.0.0.1:${port}`, mount, records, warnings }
}

/** Says what it was asked. */
const echo: ManagementApi['fetch'] = async (request, { address }) =>
  Response.json(
    {
      url: request.url,
      method: request.method,
      body: await request.text(),
      cookie: request.headers.get('cookie'),
      address,
    },
    {
      status: 201,
      headers: [
        ['set-cookie', 'a=1'],
        ['set-cookie', 'b=2'],
        ['etag', '"1"'],
      ],
    },
  )

describe('the paths of management', () => {
  it('are asked by an address of our own, whatever a request calls us', async () => {
    const { url, records } = await serve(echo)
    const answer = await fetch(`${url}/api/v1/keys?limit=2`, {
      method: 'POST',
      body: '{"a":1}',
      headers: { cookie: 'headgate=x' },
    })
    expect([answer.status, answer.headers.get('etag'), answer.headers.getSetCookie()]).toEqual([
      201,
      '"1"',
      ['a=1', 'b=2'],
    ])
    expect([answer.headers.get('cache-control'), answer.headers.get('x-request-id')]).toEqual([
      'no-store',
      expect.stringMatching(/^req_[0-9a-f]{32}$/),
    ])
    expect(await answer.json()).toEqual({
      url: `${ORIGIN}/api/v1/keys?limit=2`,
      method: 'POST',
      body: '{"a":1}',
      cookie: 'headgate=x',
      address: '127.0.0.1',
    })
    // The log has no query.
    expect(records).toMatchObject([{ method: 'POST', path: '/api/v1/keys', status: 201 }])
  })

  it('know a caller by the headers of a proxy that is listed, and of nothing else', async () => {
    const forwarded = { 'x-forwarded-for': 'evil, 203.0.113.7' }
    for (const [trusted, address] of [
      [['127.0.0.0/8'], '203.0.113.7'],
      [['192.0.2.0/24'], '127.0.0.1'],
      [undefined, '127.0.0.1'],
    ] as const) {
      const { url } = await serve(echo, undefined, trusted)
      expect(await (await fetch(`${url}/api/v1/me`, { headers: forwarded })).json()).toMatchObject({ address })
      const models = await fetch(`${url}/v1/models`, { headers: { ...forwarded, authorization: 'Bearer k' } })
      expect(models.status).toBe(address === '127.0.0.1' ? 403 : 200)
    }
    const { url } = await serve(echo, undefined, ['127.0.0.1'])
    const hostile = await fetch(`${url}/api/v1/me`, { headers: { forwarded: `for="${'\\'.repeat(9_000)}` } })
    expect(await hostile.json()).toMatchObject({ address: 'unknown' })
  })

  it('begin with /api/v1, and leave all others alone', async () => {
    const { url, records } = await serve(echo)
    for (const path of ['/api/v1', '/api/v1?x', '/api/v1/'])
      expect((await fetch(`${url}${path}`)).status, path).toBe(201)
    for (const path of ['/api/v10/keys', '/api/v3/contents', '/v1/models', '/api'])
      expect([401, 404], path).toContain((await fetch(`${url}${path}`)).status)
    expect(records).toHaveLength(3)
  })

  it('refuse browsers from elsewhere, and say how another address is made known', async () => {
    const local = await serve(echo)
    const ask = (url: string, origin: string) => fetch(`${url}/api/v1/session`, { method: 'POST', headers: { origin } })
    for (const origin of [ORIGIN, 'http://127.0.0.1:8787', 'http://[::1]:8787'])
      expect((await ask(local.url, origin)).status).toBe(201)
    for (const origin of ['https://headgate.example', 'http://localhost:1', 'null', local.url]) {
      const refused = await ask(local.url, origin)
      expect([refused.status, refused.headers.get('content-type')], origin).toEqual([403, 'application/problem+json'])
      const { detail, ...said } = (await refused.json()) as { detail: string }
      expect(said).toEqual({
        type: 'urn:headgate:error:forbidden',
        title: 'Permission denied',
        status: 403,
        instance: refused.headers.get('x-request-id'),
      })
      expect(detail).toContain('Set HEADGATE_PUBLIC_URL')
      expect(refused.headers.has('access-control-allow-origin')).toBe(false)
    }
    const known = await serve(echo, 'https://headgate.example/gate/')
    expect((await ask(known.url, 'https://headgate.example')).status).toBe(201)
    const refused = await ask(known.url, ORIGIN)
    expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining('https://headgate.example')])
  })

  it('take no body that is too long, announced or not', async () => {
    const { url, port, warnings } = await serve(echo)
    const long = 'x'.repeat(262_145)
    expect((await fetch(`${url}/api/v1/keys`, { method: 'POST', body: long })).status).toBe(413)
    expect((await fetch(`${url}/api/v1/keys`, { method: 'POST', body: long.slice(1) })).status).toBe(201)
    const socket = connect(port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.write(`POST /api/v1/keys HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n40001\r\n${long}\r\n`)
    const [head] = await once(socket.setEncoding('utf8'), 'data')
    expect(head).toMatch(/^HTTP\/1\.1 413 [\s\S]*\r\nconnection: close\r\n/i)
    expect(warnings).toEqual([])
  })

  it('wait for callers who read slowly, and end what is asked when they leave', async () => {
    const made = { count: 0 }
    const canceled = Promise.withResolvers<void>()
    const { port, records, mount } = await serve(async (request) => {
      request.signal.addEventListener('abort', () => canceled.resolve())
      const body = new ReadableStream({
        pull: (controller) => {
          made.count++
          controller.enqueue(new Uint8Array(65_536))
        },
      })
      return new Response(body)
    })
    const socket = connect(port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.write('GET /api/v1/usage/export HTTP/1.1\r\nhost: x\r\n\r\n')
    await once(socket, 'readable')
    // Buffers of the system fill up, and then nobody makes more.
    let [before, turns] = [-1, 0]
    while (turns++ < 100) {
      if (before !== made.count) turns = 0
      before = made.count
      await setImmediate()
    }
    expect(mount.inFlight()).toBe(1)
    socket.destroy()
    await canceled.promise
    await mount.close()
    expect([mount.inFlight(), records.length]).toEqual([0, 1])
  })

  it('say nothing of what has failed within', async () => {
    const { url, warnings } = await serve(() => Promise.reject(new Error('the password is hunter2')))
    const answer = await fetch(`${url}/api/v1/keys`)
    expect([answer.status, await answer.text()]).toEqual([500, expect.not.stringContaining('hunter2')])
    expect(warnings).toEqual([expect.stringContaining('/api/v1/keys failed')])
  })

  it('tell methods that nobody knows', async () => {
    const { port } = await serve(async ({ method }) =>
      Response.json({ method }, { status: 405, headers: { allow: 'GET, POST' } }),
    )
    const socket = connect(port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.write('TRACE /api/v1/keys HTTP/1.1\r\nhost: x\r\n\r\n')
    const [head] = await once(socket.setEncoding('utf8'), 'data')
    expect(head).toMatch(/^HTTP\/1\.1 405 [\s\S]*\r\nallow: GET, POST\r\n[\s\S]*"OPTIONS"/)
  })
})

describe('responses of management', () => {
  const big = { items: Array.from({ length: 400 }, (_, index) => ({ id: `key_${index}`, name: 'production' })) }
  const ask = async (accept: string, body: object, init: RequestInit = {}) => {
    const { url } = await serve(async () => Response.json(body))
    const response = await fetch(`${url}/api/v1/keys`, { ...init, headers: { 'accept-encoding': accept } })
    return { headers: response.headers, body: await response.json() }
  }

  it('are compressed from 4 kB on as the caller accepts, and are the same', async () => {
    for (const [accept, coding] of [
      ['gzip, deflate, br, zstd', 'br'],
      ['gzip', 'gzip'],
      ['br;q=0, gzip', 'gzip'],
      ['identity', null],
    ] as const) {
      const { headers, body } = await ask(accept, big)
      expect([accept, headers.get('content-encoding'), headers.get('vary')]).toEqual([
        accept,
        coding,
        'accept-encoding',
      ])
      expect(body).toEqual(big)
    }
    expect((await ask('br', { items: [] })).headers.get('content-encoding')).toBeNull()
  })

  it('are not compressed where they can have a new secret', async () => {
    const { headers } = await ask('br', big, { method: 'POST' })
    expect(headers.get('content-encoding')).toBeNull()
  })

  it('are compressed downloads, and live events and model responses as they are', async () => {
    const streamed = (type: string, headers: Record<string, string>, path: string) => async () => {
      const { url } = await serve(
        async () => new Response('a,b\n'.repeat(5_000), { headers: { 'content-type': type, ...headers } }),
      )
      const response = await fetch(`${url}${path}`, { headers: { 'accept-encoding': 'br' } })
      return [response.headers.get('content-encoding'), (await response.text()).length]
    }
    const file = { 'content-disposition': 'attachment; filename="a.csv"' }
    expect(await streamed('text/csv', file, '/api/v1/usage/export')()).toEqual(['br', 20_000])
    expect(await streamed('text/event-stream', {}, '/api/v1/events')()).toEqual([null, 20_000])
    expect(await streamed('application/json', {}, '/api/v1/playground/v1/models')()).toEqual([null, 20_000])
  })
})
