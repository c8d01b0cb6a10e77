import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type OutgoingHttpHeaders, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { startInProcess } from './in-process.ts'
import { command, run, type Started, start } from './program.ts'
import { temporaryFolder } from './temporary.ts'
import { END, startUpstream } from './upstream.ts'

const AUTHORIZATION = { authorization: 'Bearer sk-local' }

function folderBefore(baseUrl: string, config: object = {}): string {
  const provider = { adapter: 'openai-compatible', baseUrl, apiKey: 'upstream-secret', models: ['model-1'] }
  return temporaryFolder({
    'headgate.config.json': { keys: ['sk-local'], providers: { mine: provider }, ...config },
  })
}

/** A gateway in this process, in front of one upstream, with the key `sk-local`. */
async function openBefore(baseUrl: string, config: object = {}) {
  const folder = folderBefore(baseUrl, config)
  return { folder, gateway: await startInProcess({ folder }) }
}

/** The same as a program: for tests of signals, and of what another process changes. */
async function startBefore(baseUrl: string) {
  const folder = folderBefore(baseUrl)
  return { folder, gateway: await start({ folder }) }
}

function chat({ url }: Started, body: object = {}, path = '/v1/chat/completions'): Promise<Response> {
  const request = { model: 'model-1', messages: [{ role: 'user', content: 'a private question' }], ...body }
  return fetch(`${url}${path}`, {
    method: 'POST',
    headers: { ...AUTHORIZATION, 'content-type': 'application/json' },
    body: JSON.stringify(request),
  })
}

describe('the address of the gateway', () => {
  it('tells whoever opens it that it runs, and what to do next', async () => {
    const { gateway } = await openBefore((await startUpstream()).baseUrl, { dashboard: false })
    const open = (init?: RequestInit) => fetch(gateway.url, init)
    const plain = await open()
    expect([plain.status, plain.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
    const text = await plain.text()
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(21)
    for (const said of [
      'This is Headgate',
      'headgate keys create',
      `${gateway.url}/v1/chat/completions`,
      'GET /v1/models',
      '/docs',
    ])
      expect(text).toContain(said)
    expect(text).not.toMatch(/sk-local|upstream-secret|model-1/)
    const page = await open({ headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } })
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(await page.text()).toMatch(
      /^<!doctype html>[\s\S]*This is Headgate[\s\S]*&lt;API_KEY>[\s\S]*<a href="https:/,
    )
    const head = await open({ method: 'HEAD' })
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([
      200,
      String(Buffer.byteLength(text)),
      '',
    ])
    expect((await open({ method: 'POST' })).status).toBe(405)
  })

  it('refuses browsers that come from a page, wherever that is from', async () => {
    const { gateway } = await openBefore((await startUpstream()).baseUrl)
    const answer = await fetch(`${gateway.url}/v1/models`, { headers: { ...AUTHORIZATION, origin: gateway.url } })
    expect([answer.status, [...answer.headers.keys()].filter((name) => name.startsWith('access-control'))]).toEqual([
      403,
      [],
    ])
  })
})

describe('the paths of operation', () => {
  it('answer to load balancers without a key, to others with one', async () => {
    const { gateway } = await openBefore((await startUpstream()).baseUrl)
    const get = (path: string, headers = {}) => fetch(`${gateway.url}${path}`, { headers })
    expect(await (await get('/healthz')).json()).toEqual({ status: 'ok' })
    expect(await (await get('/readyz?verbose')).json()).toEqual({ status: 'ready' })
    for (const path of ['/metrics', '/openapi.json']) {
      const refused = await get(path)
      expect(refused.status).toBe(401)
      expect(refused.headers.get('x-request-id')).toMatch(/^req_/)
      expect(await refused.json()).toMatchObject({ error: { type: 'invalid_request_error', code: 'invalid_api_key' } })
      expect((await get(path, AUTHORIZATION)).status).toBe(200)
    }
    expect(await (await get('/openapi.json', AUTHORIZATION)).json()).toMatchObject({
      openapi: expect.stringMatching(/^3\.1/),
    })
    expect((await fetch(`${gateway.url}/healthz`, { method: 'POST' })).status).toBe(405)
    expect((await fetch(`${gateway.url}/healthz`, { method: 'HEAD' })).status).toBe(200)
    expect((await get('/metricsx', AUTHORIZATION)).status).toBe(404)
    for (const path of ['/healthz/', '/readyz/', '/metrics/'])
      expect((await get(path, AUTHORIZATION)).status, path).toBe(200)
    expect((await get('/metrics/')).status).toBe(401)
    const health = await get('/health')
    expect([health.status, await health.json()]).toMatchObject([
      404,
      {
        error: {
          code: 'not_found',
          message: expect.stringMatching(/^There is no path \/health\. Use GET \/healthz to check/),
        },
      },
    ])
  })

  it('count requests, tokens, failures and times, without text of callers', async () => {
    const { gateway } = await openBefore((await startUpstream()).baseUrl)
    await (await chat(gateway)).text()
    await (await chat(gateway, { model: 'no-such-model' })).text()
    const metrics = await (await fetch(`${gateway.url}/metrics`, { headers: AUTHORIZATION })).text()
    const labels = 'provider="mine",family="chat",format="chat-completions",model="model-1"'
    expect(metrics).toContain(`headgate_requests_total{${labels},status="2xx"} 1`)
    expect(metrics).toContain(
      'headgate_requests_total{provider="none",family="none",format="none",model="none",status="4xx"} 1',
    )
    expect(metrics).toContain(
      'headgate_failures_total{provider="none",family="none",format="none",model="none",kind="unknown-model",fault="caller"} 1',
    )
    expect(metrics).toContain(`headgate_tokens_total{${labels},kind="input"} 7`)
    expect(metrics).toContain(`headgate_tokens_total{${labels},kind="output"} 3`)
    expect(metrics).toContain(
      'headgate_request_duration_seconds_count{provider="mine",family="chat",format="chat-completions"} 1',
    )
    expect(metrics).toContain(
      'headgate_first_byte_seconds_count{provider="mine",family="chat",format="chat-completions"} 1',
    )
    expect(metrics).toContain('headgate_requests_in_flight 0')
    expect(metrics).toContain('headgate_store_writable 1')
    expect(metrics).not.toContain('no-such-model')
  })

  it('tell metrics to keys that may read them, and to no browser', async () => {
    const { gateway, folder } = await openBefore((await startUpstream()).baseUrl, {
      keys: ['sk-local', { key: 'sk-models', models: ['*'] }, { key: 'sk-watch', scopes: ['metrics'] }],
    })
    const stored = async (...flags: string[]) => (await command(['keys', 'create', ...flags], { folder })).stdout.trim()
    const get = async (key: string, headers: Record<string, string> = {}) => {
      const answer = await fetch(`${gateway.url}/metrics`, { headers: { authorization: `Bearer ${key}`, ...headers } })
      return [answer.status, /"message":"([^"]*)"/.exec(await answer.text())?.[1]]
    }
    const refused = [403, 'This key cannot read the metrics, which cover all keys. Use a key with the scope `metrics`.']
    expect(await get('sk-local')).toEqual([200, undefined])
    expect(await get('sk-watch')).toEqual([200, undefined])
    expect(await get('sk-models')).toEqual(refused)
    expect(await get(await stored())).toEqual(refused)
    expect(await get(await stored('--scopes', 'metrics'))).toEqual([200, undefined])
    for (const origin of ['https://evil.example', 'null', gateway.url])
      expect(await get('sk-local', { origin })).toEqual([
        403,
        expect.stringContaining('Requests from browsers are refused'),
      ])
    expect((await chat(gateway, {}, '/v1/chat/completions')).status).toBe(200)
  })

  it('have metrics on a port of their own where the configuration says so, without a key and for this machine alone', async () => {
    const { gateway } = await openBefore((await startUpstream()).baseUrl, { metrics: { port: 0 } })
    expect((await fetch(`${gateway.url}/metrics`, { headers: AUTHORIZATION })).status).toBe(404)
    const url = /metrics +(http:\/\/127\.0\.0\.1:\d+\/metrics)/.exec(gateway.output())?.[1] ?? ''
    const answer = await fetch(url)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/plain')])
    expect(await answer.text()).toContain('headgate_requests_in_flight')
    const statusOf = (path: string, headers: OutgoingHttpHeaders = {}, method = 'GET') =>
      new Promise((resolve, reject) =>
        request(new URL(path, url), { method, headers }, ({ statusCode }) => resolve(statusCode))
          .on('error', reject)
          .end(),
      )
    expect(await statusOf('/metrics', { host: 'rebound.example' })).toBe(403)
    expect(await statusOf('/metrics', { origin: 'http://127.0.0.1' })).toBe(403)
    expect(await statusOf('/v1/models')).toBe(404)
    expect(await statusOf('/metrics', {}, 'POST')).toBe(405)
    expect(await gateway.stop()).toBe(0)
  })

  it('have no metrics where the configuration takes them away', async () => {
    const { gateway } = await openBefore((await startUpstream()).baseUrl, { metrics: false })
    expect((await fetch(`${gateway.url}/metrics`, { headers: AUTHORIZATION })).status).toBe(404)
  })
})

describe('a request', () => {
  it('is one line of the log and one row of usage, without body, credential or query', async () => {
    const { gateway, folder } = await openBefore((await startUpstream()).baseUrl, {
      prices: { 'mine/model-1': { input: 2, output: 10 } },
    })
    const answer = await chat(gateway, {}, '/v1/chat/completions?token=private')
    await answer.text()
    expect(await gateway.stop()).toBe(0)

    const lines = gateway.log().filter(({ msg }) => msg === 'request')
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatchObject({
      method: 'POST',
      path: '/v1/chat/completions',
      status: 200,
      provider: 'mine',
      model: 'model-1',
      inputTokens: 7,
      outputTokens: 3,
    })
    expect(lines[0]?.['requestId']).toBe(answer.headers.get('x-request-id'))
    expect(gateway.output()).not.toMatch(/private|sk-local|upstream-secret/)

    const { stdout } = await command(['usage'], { folder })
    expect(stdout).toMatch(/configured_\w{8} +chat +model-1 +mine +200 +7 +3 +0\.000044 +served/)
  })

  it('is refused within a second after its key was revoked by another process', async () => {
    const { baseUrl } = await startUpstream()
    const { gateway, folder } = await startBefore(baseUrl)
    const key = (await command(['keys', 'create', '--name', 'guest'], { folder })).stdout.trim()
    const status = async () => (await fetch(`${gateway.url}/v1/models`, { headers: { 'x-api-key': key } })).status
    expect(await status()).toBe(200)
    await command(['keys', 'revoke', 'guest'], { folder })
    await vi.waitUntil(async () => (await status()) === 401, { timeout: 1_000, interval: 20 })
  })
})

describe('a store that can not be written', () => {
  it('breaks no answer: rows wait in the journal, and are there once it can', async () => {
    const { gateway, folder } = await openBefore((await startUpstream()).baseUrl)
    const other = new DatabaseSync(join(folder, '.headgate/headgate.db'))
    onTestFinished(() => other.close())
    other.exec('BEGIN IMMEDIATE')
    const answer = await chat(gateway)
    expect(await answer.json()).toMatchObject({ choices: [{ message: { content: 'Hello' } }] })
    expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200)

    other.exec('COMMIT')
    await vi.waitUntil(() => other.prepare('SELECT status FROM usage').all().length === 1, { timeout: 60_000 })
    expect(other.prepare('SELECT status FROM usage').all()).toEqual([{ status: 200 }])
  })
})

describe('a store that can not be read', () => {
  it('is our failure and not that of a key: 503 with retry-after, in every shape, and the log says why', async () => {
    const { gateway, folder } = await openBefore((await startUpstream()).baseUrl)
    const key = (await command(['keys', 'create'], { folder })).stdout.trim()
    const other = new DatabaseSync(join(folder, '.headgate/headgate.db'))
    other.exec('DROP TABLE keys')
    other.close()
    const failed = {
      error: { message: expect.stringContaining('cannot reach its store to check this key'), type: expect.any(String) },
    }
    for (const path of ['/v1/models', '/metrics']) {
      const answer = await fetch(`${gateway.url}${path}`, { headers: { 'x-api-key': key } })
      expect([answer.status, await answer.json()]).toMatchObject([503, failed])
      expect((await fetch(`${gateway.url}${path}`, { headers: { 'x-api-key': 'sk-nobody' } })).status).toBe(401)
      expect((await fetch(`${gateway.url}${path}`, { headers: AUTHORIZATION })).status).toBe(200)
    }
    await gateway.stop()
    const warnings = gateway.log().filter(({ level }) => level === 40)
    expect(warnings).toHaveLength(2)
    for (const { msg } of warnings) expect(msg).toContain('no such table: keys')
  })
})

describe('the end of the program', () => {
  it('lets open streams finish, takes no new connection, and exits with 0', async () => {
    const upstream = await startUpstream()
    const { gateway } = await startBefore(upstream.baseUrl)
    const answer = await chat(gateway, { stream: true })
    gateway.child.kill('SIGTERM')
    await vi.waitUntil(() => gateway.output().includes('finishing open requests'), { timeout: 60_000 })
    await expect(fetch(`${gateway.url}/healthz`, { headers: { connection: 'close' } })).rejects.toThrow()
    expect(gateway.child.exitCode).toBeNull()

    upstream.streams[0]?.end(END)
    const text = await answer.text()
    expect(text).toContain('"lo"')
    expect(text).toMatch(/data: \[DONE\]\n\n$/)
    expect(await gateway.exit).toEqual([0, null])
  })

  it('aborts what is open when the limit is reached', async () => {
    const upstream = await startUpstream()
    const { gateway } = await openBefore(upstream.baseUrl, { times: { shutdown: 50 } })
    const answer = await chat(gateway, { stream: true })
    const stopped = gateway.stop()
    const text = await answer.text().catch(String)
    expect(text).not.toContain('[DONE]')
    expect(await stopped).toBe(0)
    expect(gateway.output()).toContain('1 requests were aborted')
  })

  it('comes at once at the second signal', async () => {
    const upstream = await startUpstream()
    const { gateway } = await startBefore(upstream.baseUrl)
    const answer = await chat(gateway, { stream: true })
    gateway.child.kill('SIGTERM')
    await vi.waitUntil(() => gateway.output().includes('finishing open requests'), { timeout: 60_000 })
    gateway.child.kill('SIGTERM')
    expect(await gateway.exit).toEqual([143, null])
    await answer.text().catch(() => {})
  })

  it('after a bug is logged, exits with 1 and loses no usage row', async () => {
    const upstream = await startUpstream()
    const folder = temporaryFolder({
      'headgate.config.json': {
        keys: ['sk-local'],
        providers: { mine: { adapter: 'openai-compatible', baseUrl: upstream.baseUrl, models: ['model-1'] } },
      },
      'bug.mjs': 'process.on("SIGUSR2", () => { throw new Error("this is a bug") })',
    })
    const gateway = await start({ folder, environment: { NODE_OPTIONS: `--import=${folder}/bug.mjs` } })
    await (await chat(gateway)).text()
    gateway.child.kill('SIGUSR2')
    expect(await gateway.exit).toEqual([1, null])
    expect(gateway.log().at(-1)).toMatchObject({ level: 60, err: { message: 'this is a bug' } })
    expect((await command(['usage'], { folder })).stdout).toMatch(/model-1 +mine +200/)
  })
})

describe('SIGHUP', () => {
  it('changes what serves without a connection or stream that breaks, and keeps what was when the configuration is wrong', async () => {
    const upstream = await startUpstream()
    const { gateway, folder } = await startBefore(upstream.baseUrl)
    const configure = (text: string) => writeFileSync(join(folder, 'headgate.config.json'), text)
    const status = async (key: string) =>
      (await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${key}`, connection: 'close' } }))
        .status
    const answer = await chat(gateway, { stream: true })

    configure('{ "keys": [7] }')
    gateway.child.kill('SIGHUP')
    await vi.waitUntil(() => gateway.output().includes('the previous one stays in effect'), { timeout: 60_000 })
    expect(await status('sk-local')).toBe(200)

    configure(JSON.stringify({ keys: ['sk-other'], server: { host: '127.0.0.2' }, log: { level: 'warn' } }))
    gateway.child.kill('SIGHUP')
    await vi.waitUntil(() => gateway.output().includes('server.host stays'), { timeout: 60_000 })
    expect([await status('sk-local'), await status('sk-other')]).toEqual([401, 200])

    upstream.streams[0]?.end(END)
    expect(await answer.text()).toMatch(/data: \[DONE\]\n\n$/)
    expect(await gateway.stop()).toBe(0)
    expect((await command(['usage'], { folder })).stdout).toMatch(/model-1 +mine +200/)
  })
})

describe('a start', () => {
  it('that finds its port taken says so', async () => {
    const other = createServer()
    onTestFinished(() => void other.close())
    other.listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const { code, stderr } = await run(['--port', String(port)], { folder: temporaryFolder() })
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `headgate: Port ${port} of 127.0.0.1 is in use. Choose another with --port or PORT.\n`,
    })
  })

  it('knows the environment, but lets flags win', async () => {
    const folder = temporaryFolder()
    const gateway = await startInProcess({
      folder,
      environment: { PORT: '1', HEADGATE_DATA_DIR: 'there', HEADGATE_PUBLIC_URL: 'https://models.example.com' },
    })
    expect(gateway.output()).toContain(`${folder}/there`)
    expect(gateway.output()).toContain('https://models.example.com')
    expect(gateway.url).not.toContain(':1/')
  })
})
