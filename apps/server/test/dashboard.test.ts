import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { dashboardFiles } from '@headgate/dashboard'
import { describe, expect, it, onTestFinished } from 'vitest'
import { loadSettings } from '../src/config/settings.ts'
import { takeInventory } from '../src/service/inventory.ts'
import { createLog } from '../src/service/log.ts'
import { startService } from '../src/service/service.ts'
import { start } from './program.ts'
import { SITE } from './site.ts'
import { temporaryFolder } from './temporary.ts'

const PAGE = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

/** The program in this process, with a dashboard of the test's. */
async function serve(config: object = {}) {
  const folder = temporaryFolder({ 'headgate.config.json': { keys: ['sk-local'], providers: { demo: {} }, ...config } })
  const surroundings = { folder, environment: {} }
  const settings = await loadSettings({ port: '0', logLevel: 'silent' }, surroundings)
  const inventory = await takeInventory(settings, surroundings)
  const service = await startService({
    settings,
    inventory,
    log: createLog('silent'),
    environment: {},
    site: () => SITE,
  })
  onTestFinished(() => service.stop())
  return service
}

/** As bytes: `fetch` decodes by itself. */
async function raw(url: string, lines: readonly string[]) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.end(`${[...lines, 'host: x', 'connection: close'].join('\r\n')}\r\n\r\n`)
  const whole = await text(socket.setEncoding('latin1'))
  const end = whole.indexOf('\r\n\r\n')
  const [status = '', ...headers] = whole.slice(0, end).split('\r\n')
  const header = (name: string) =>
    headers.find((one) => one.toLowerCase().startsWith(`${name}: `))?.slice(name.length + 2)
  return { status: Number(status.split(' ')[1]), header, body: Buffer.from(whole.slice(end + 4), 'latin1') }
}

describe('The dashboard', () => {
  it('opens at the address of the program, and says where it is', async () => {
    const { url, dashboardUrl } = await serve()
    expect(dashboardUrl).toBe(`http://localhost:${new URL(url).port}/`)
    for (const path of ['/', '/?range=7d', '/requests', '/keys/key_1?tab=usage', '/index.html']) {
      const answer = await fetch(`${url}${path}`, { headers: { accept: PAGE } })
      expect([answer.status, answer.headers.get('content-type')], path).toEqual([200, 'text/html; charset=utf-8'])
      expect(await answer.text(), path).toContain('/assets/start-B3xk.js')
    }
  })

  it('lets no page of others around it and no script of others in it', async () => {
    const { url } = await serve()
    const { headers } = await fetch(url, { headers: { accept: PAGE } })
    const policy = headers.get('content-security-policy') ?? ''
    for (const said of [
      "default-src 'none'",
      "script-src 'self'",
      "frame-ancestors 'none'",
      // Pictures and sound of the playground are blobs.
      "img-src 'self' data: blob:",
      "media-src 'self' blob:",
      "require-trusted-types-for 'script'",
    ])
      expect(policy.split('; ')).toContain(said)
    expect(policy).not.toMatch(/unsafe|\*|https?:/)
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      'permissions-policy': 'camera=(), microphone=(), geolocation=()',
      'cache-control': 'no-cache',
    })
  })

  it('is sent as small as the browser takes it', async () => {
    const { url } = await serve()
    const script = SITE[1]?.bytes
    const ask = (accepted: string, path = '/assets/start-B3xk.js') =>
      raw(url, [`GET ${path} HTTP/1.1`, ...(accepted === '' ? [] : [`accept-encoding: ${accepted}`])])
    const etags = new Set<string | undefined>()
    for (const [accepted, encoding, decode] of [
      ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
      ['gzip, deflate', 'gzip', gunzipSync],
      ['br;q=0.5, gzip;q=0.8', 'gzip', gunzipSync],
      ['br;q=0, *', 'gzip', gunzipSync],
      ['*', 'br', brotliDecompressSync],
      ['', undefined, undefined],
      ['identity', undefined, undefined],
      ['br;q=0,gzip;q=0', undefined, undefined],
    ] as const) {
      const { status, header, body } = await ask(accepted)
      expect([status, header('content-encoding'), header('vary')], accepted).toEqual([200, encoding, 'accept-encoding'])
      expect(header('content-length')).toBe(String(body.length))
      expect(header('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(decode ? decode(body) : body).toEqual(script)
      etags.add(header('etag'))
    }
    // An ETag is of these very bytes.
    expect(etags.size).toBe(3)
    const icon = await ask('br', '/icon.svg')
    expect([icon.header('content-encoding'), icon.body]).toEqual([undefined, SITE[2]?.bytes])
  })

  it('is not sent again to a browser that has it', async () => {
    const { url } = await serve()
    const first = await raw(url, ['GET / HTTP/1.1', `accept: ${PAGE}`, 'accept-encoding: br'])
    const own = first.header('etag') ?? ''
    expect(own).toMatch(/^"[\w-]{22}"$/)
    for (const known of [own, `"x", W/${own}`, '*']) {
      const again = await raw(url, [
        'GET / HTTP/1.1',
        `accept: ${PAGE}`,
        'accept-encoding: br',
        `if-none-match: ${known}`,
      ])
      expect([again.status, again.body.length, again.header('vary')], known).toEqual([
        304,
        0,
        'accept-encoding, cookie',
      ])
      expect(again.header('content-security-policy')).toContain("default-src 'none'")
    }
    const other = await raw(url, [
      'GET / HTTP/1.1',
      `accept: ${PAGE}`,
      'accept-encoding: gzip',
      `if-none-match: ${own}`,
    ])
    expect([other.status, other.header('content-encoding')]).toEqual([200, 'gzip'])
    const head = await raw(url, ['HEAD / HTTP/1.1', `accept: ${PAGE}`, 'accept-encoding: br'])
    expect([head.status, head.header('content-length'), head.body.length]).toEqual([200, String(first.body.length), 0])
  })

  it('shows the chosen theme from its first byte on', async () => {
    const { url } = await serve()
    const open = async (cookie: string) => {
      const answer = await fetch(`${url}/models`, { headers: { accept: PAGE, cookie } })
      return [/<html[^>]*>/.exec(await answer.text())?.[0], answer.headers.get('etag')] as const
    }
    const [plain, none] = await open('')
    const [dark, ofDark] = await open('headgate=secret; headgate-theme=dark')
    expect([plain, dark]).toEqual(['<html lang="en">', '<html data-theme="dark" lang="en">'])
    expect((await open('headgate-theme=light'))[0]).toBe('<html data-theme="light" lang="en">')
    expect(ofDark).not.toBe(none)
    for (const odd of ['headgate-theme="><script>', 'headgate-theme=blue', 'x-headgate-theme=dark', 'headgate-theme'])
      expect(await open(odd)).toEqual([plain, none])
  })

  it('leaves GET /models to the gateway if an API key is sent', async () => {
    const { url } = await serve()
    const open = async (headers: Record<string, string>) =>
      (await fetch(`${url}/models`, { headers: { accept: PAGE, ...headers } })).headers
        .get('content-type')
        ?.split(';')[0]
    expect(await open({})).toBe('text/html')
    // A proxy in front of the dashboard may ask for a password of its own.
    expect(await open({ authorization: 'Basic eDp5' })).toBe('text/html')
    const keys = [
      { authorization: 'Bearer sk-local' },
      { 'x-api-key': 'sk-local' },
      { 'x-goog-api-key': 'k' },
      { 'api-key': 'sk-local' },
    ]
    for (const headers of keys) expect(await open(headers), JSON.stringify(headers)).toBe('application/json')
    const listed = await fetch(`${url}/models`, { headers: { authorization: 'Bearer sk-local' } })
    expect(await listed.json()).toMatchObject({
      object: 'list',
      data: [{ object: 'model', created: expect.any(Number) }],
    })
  })

  it('leaves what is not its own to the gateway, in the shape of each family', async () => {
    const { url } = await serve()
    const ask = async (path: string, init: RequestInit = {}) => {
      const { status, headers } = await fetch(`${url}${path}`, { headers: { accept: PAGE }, ...init })
      return [status, headers.get('content-type')?.split(';')[0]]
    }
    for (const path of [
      '/v1',
      '/v1/models',
      '/v1beta/models',
      '/api/v3/contents',
      '/customsearch/v1',
      '/openapi.json',
      '/metrics',
    ])
      expect((await ask(path))[1], path).toBe('application/json')
    expect(await ask('/api/v1/nothing')).toEqual([404, 'application/problem+json'])
    expect(await ask('/healthz')).toEqual([200, 'application/json'])
    // A chunk that there is no more, and files that never were.
    for (const path of [
      '/assets/start-OLD1.js',
      '/favicon.ico',
      '/.env',
      '/..%2f..%2fetc%2fpasswd',
      '/assets/../../package.json',
    ])
      expect(await ask(path), path).toEqual([404, 'application/json'])
    // Programs that read no pages.
    expect(await ask('/requests', { headers: { accept: 'application/json' } })).toEqual([404, 'application/json'])
    expect(await ask('/requests', { method: 'POST' })).toEqual([404, 'application/json'])
    expect(await ask('/', { headers: { accept: '*/*' } })).toEqual([200, 'text/plain'])
    expect(await ask('/', { method: 'POST' })).toEqual([405, 'application/json'])
  })

  it('is away where the configuration wants none, or has no people', async () => {
    for (const config of [{ dashboard: false }, { accounts: false }]) {
      const { url, dashboardUrl } = await serve(config)
      expect(dashboardUrl).toBeUndefined()
      expect((await fetch(`${url}/requests`, { headers: { accept: PAGE } })).status).toBe(404)
      expect(await (await fetch(url, { headers: { accept: PAGE } })).text()).toContain('This is Headgate')
    }
  })

  it('is served by every worker, and named at the start', { tags: ['full'] }, async () => {
    const folder = temporaryFolder({ 'headgate.config.json': { keys: ['sk-local'], providers: { demo: {} } } })
    const gateway = await start({ folder, args: ['--workers', '2'] })
    const isBuilt = dashboardFiles().length > 0
    const { port } = new URL(gateway.url)
    if (isBuilt) expect(gateway.output()).toContain(`dashboard  http://localhost:${port}/\n`)
    for (let nth = 0; nth < 8; nth++) {
      const { status, header } = await raw(gateway.url, ['GET / HTTP/1.1', `accept: ${PAGE}`])
      expect([status, header('content-type'), header('content-security-policy') !== undefined]).toEqual([
        200,
        'text/html; charset=utf-8',
        isBuilt,
      ])
    }
  })
})
