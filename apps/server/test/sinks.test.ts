import { resolve } from 'node:path'
import { type LoopbackUpstream, startUpstream } from '@headgate/conformance'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type InProcess, serveInProcess, startInProcess } from './in-process.ts'
import { command } from './program.ts'
import { temporaryFolder } from './temporary.ts'

const WEBHOOK = resolve(import.meta.dirname, '../../../packages/sinks/webhook')
const KEY = 'a-long-key'
const SECRET = `whsec_${Buffer.from('kestrel-over-the-fjord-in-the-fog').toString('base64')}`
const PLAN = 'the secret plan'

/** A sink of another package, whose batches do not wait. */
const ACME = `import { z } from '${import.meta.resolve('zod')}'
const acme = ({ baseUrl, apiKey }) => ({
  name: 'acme', baseUrl, credential: { kind: 'header', name: 'x-acme-key', value: apiKey },
  limits: { rows: 100, bytes: 1_000_000, waitMs: 1 },
  write: {
    request: ({ id, lines }) => ({ method: 'POST', url: '/rows', headers: { 'x-batch': id }, body: { bytes: lines.join('\\n'), type: 'application/x-ndjson' } }),
    response: () => {},
  },
})
export const adapter = Object.assign(acme, {
  id: 'acme', title: 'Acme', kind: 'sink', contract: 1, enable: 'asked',
  env: { baseUrl: ['ACME_URL'] }, config: z.strictObject({ baseUrl: z.url(), apiKey: z.string() }),
})
`

function project(sinks: object): string {
  return temporaryFolder({
    'package.json': { headgate: { adapters: [WEBHOOK, 'acme'] } },
    'acme/package.json': {
      name: 'acme',
      version: '1.0.0',
      type: 'module',
      exports: './index.js',
      headgate: { adapter: 'sink' },
    },
    'acme/index.js': ACME,
    'headgate.config.json': {
      keys: [{ key: KEY, scopes: ['metrics'] }, { key: 'a-model-key' }],
      providers: { demo: {} },
      sinks,
    },
  })
}

async function destination(): Promise<LoopbackUpstream> {
  const upstream = await startUpstream()
  onTestFinished(() => upstream.close())
  upstream.answer({ kind: 'whole', body: '' })
  return upstream
}

function chat({ url }: InProcess): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer a-model-key', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'demo', messages: [{ role: 'user', content: PLAN }] }),
  })
}

async function metrics({ url }: InProcess): Promise<string> {
  return (await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${KEY}` } })).text()
}

describe('Sinks', () => {
  it('get the row of a request at the end of the program at the latest, without prompts and keys', async () => {
    const upstream = await destination()
    const folder = project({ webhook: { baseUrl: `${upstream.origin}/hook`, secret: SECRET } })
    const gateway = await serveInProcess({ folder })
    const response = await chat(gateway)
    expect(response.status).toBe(200)
    await response.text()
    await gateway.end()
    const [message] = upstream.received
    const { data } = JSON.parse(message?.raw ?? '')
    expect(data).toMatchObject([{ request_id: response.headers.get('x-request-id'), model: 'demo', status: 200 }])
    expect(data[0].project).toEqual(expect.any(String))
    expect(message?.raw).not.toContain(PLAN)
    expect(message?.raw).not.toContain('a-model-key')
  })

  it('that are unreachable stop no request, and get their rows later', { timeout: 60_000 }, async () => {
    const upstream = await destination()
    upstream.answer({ kind: 'whole', status: 503, body: 'kestrel-key' })
    const folder = project({ acme: { baseUrl: upstream.origin, apiKey: 'kestrel-key' } })
    const gateway = await startInProcess({ folder })
    await (await chat(gateway)).text()
    const readiness = async () => (await fetch(`${gateway.url}/readyz`)).json()
    await vi.waitUntil(async () => JSON.stringify(await readiness()).includes('sink acme'), { timeout: 20_000 })
    expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200)
    expect(await metrics(gateway)).toMatch(/headgate_sink_waiting_bytes\{sink="acme"\} [1-9]/)
    expect((await chat(gateway)).status).toBe(200)
    upstream.answer({ kind: 'whole', body: '' })
    await vi.waitUntil(
      async () => (await metrics(gateway)).includes('headgate_sink_rows_total{sink="acme",result="sent"} 2'),
      {
        timeout: 20_000,
      },
    )
    expect(JSON.stringify(await readiness())).not.toContain('acme')
    expect(gateway.output()).toContain('sent to the sink acme again')
    expect(gateway.output()).not.toContain('kestrel-key')
  })

  it('at private addresses are reached only if the configuration file names the host', {
    timeout: 60_000,
  }, async () => {
    const upstream = await destination()
    const environment = { ACME_URL: upstream.origin }
    const gateway = await startInProcess({ folder: project({ acme: { apiKey: 'k' } }), environment })
    await (await chat(gateway)).text()
    await vi.waitUntil(() => gateway.output().includes('cannot be sent to the sink acme'), { timeout: 20_000 })
    expect(gateway.output()).toContain('no public address')
    expect(upstream.received).toHaveLength(0)
  })

  it('are listed with the other adapters', async () => {
    const { stdout } = await command(['adapters'], {
      folder: project({ out: { adapter: 'acme', baseUrl: 'https://x.example', apiKey: 'k' } }),
    })
    expect(stdout).toMatch(/^ *sink +out +acme +1\.0\.0 +enabled +named by the configuration/m)
    expect(stdout).toMatch(/^ *sink +webhook +webhook +\S+ +off +the configuration does not name it/m)
  })

  it.each([
    ['an adapter that is not installed', { s4: {} }, 'npm install @headgate/sink-s4'],
    ['a missing field', { webhook: { baseUrl: 'https://x.example' } }, 'sinks.webhook.secret'],
    ['an unknown field', { acme: { baseUrl: 'https://x.example', apiKey: 'k', bucket: 'b' } }, 'sinks.acme.bucket'],
    ['a small backlog', { acme: { maxBacklog: 5 } }, 'sinks.acme.maxBacklog'],
  ])('with %s stop the start', async (_, sinks, message) => {
    const { stderr, code } = await command(['config', 'check'], { folder: project(sinks) })
    expect(stderr).toContain(message)
    expect(code).not.toBe(0)
  })
})
