import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { startInProcess } from './in-process.ts'
import { itAlsoWithWorkers, startSignedIn } from './signed-in.ts'
import { chunk, completion, END } from './upstream.ts'

/** An upstream that is out of order for some models, in words that hold its key. */
async function startTroubled() {
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const piece of request) text += piece
    if (request.url === '/v1/models') return response.writeHead(404).end()
    const { model, stream } = JSON.parse(text)
    if (model === 'broken') {
      const message = `<img src=x onerror=alert(1)> too busy for upstream-secret-1234567890 ${'x'.repeat(600)}`
      return response.writeHead(503, { 'content-type': 'application/json' }).end(JSON.stringify({ error: { message } }))
    }
    if (!stream) return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(completion))
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    return response.end(chunk({ delta: { role: 'assistant', content: 'Hel' }, finish_reason: null }) + END)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

async function startProgram(args: readonly string[] = []) {
  const baseUrl = await startTroubled()
  const providers = {
    mine: {
      adapter: 'openai-compatible',
      baseUrl,
      apiKey: 'upstream-secret-1234567890',
      models: ['model-1', 'broken'],
    },
  }
  const program = await startSignedIn({ providers }, { args })
  const chat = async (body: object = {}) => {
    const answer = await fetch(`${program.gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${program.key()}`, 'content-type': 'application/json', connection: 'close' },
      body: JSON.stringify({ model: 'model-1', messages: [{ role: 'user', content: 'a private question' }], ...body }),
    })
    await answer.text()
    return { status: answer.status, id: answer.headers.get('x-request-id') }
  }
  return { ...program, chat }
}

interface Provider {
  readonly name: string
  readonly state: string
  readonly restsUntil?: number
  readonly why: string
  readonly package: { readonly name: string; readonly version: string }
  readonly lastError?: {
    readonly kind: string
    readonly status?: number
    readonly at: number
    readonly request?: string
  }
  readonly calls?: number
  readonly failed?: number
  readonly since?: number
  readonly credential?: string
  readonly endpoints?: readonly { readonly state: string }[]
  readonly troubled?: readonly { readonly model: string; readonly restsUntil?: number }[]
  readonly overruns?: readonly { readonly model: string; readonly count: number }[]
  readonly variables?: readonly { readonly name: string; readonly isSet: boolean }[]
}

describe('The management API of a running program', () => {
  itAlsoWithWorkers('says how providers are, whichever process has found out', async (args) => {
    const { owner, chat } = await startProgram(args)
    const read = async () => {
      const { items } = await owner.read<{ items: Provider[] }>('/providers', { headers: { connection: 'close' } })
      return { mine: items.find(({ name }) => name === 'mine'), items }
    }
    const before = (await read()).mine
    expect(before).toMatchObject({
      state: 'unknown',
      credential: 'file',
      why: 'named by the configuration',
      package: { name: '@headgate/provider-openai-compatible' },
    })
    expect(before?.package.version).toMatch(/^\d+\.\d+\.\d+/)
    expect(before).not.toHaveProperty('lastError')
    const since = Date.now()
    expect((await chat({ model: 'broken' })).status).toBe(500)
    // Five failures in a row in one process are a cooldown.
    for (let nth = 0; nth < (args.length > 0 ? 3 : 1); nth++) await chat({ model: 'broken' })
    const agree = async (): Promise<void> => {
      for (let nth = 0; nth < 6; nth++) {
        const { mine, items } = await read()
        // One model rests, the provider does not.
        expect(mine).toMatchObject({
          state: 'failing',
          lastError: { kind: expect.any(String), request: expect.any(String) },
          troubled: [{ model: 'broken' }],
        })
        expect(mine?.troubled?.[0]?.restsUntil).toBeGreaterThan(since)
        expect(mine?.lastError?.at).toBeGreaterThanOrEqual(since)
        expect(mine?.failed).toBe(mine?.calls)
        expect(mine?.endpoints).toMatchObject([{ state: 'failing', failed: mine?.failed }])
        expect(mine?.since).toBeGreaterThan(since - 60_000)
        expect(mine?.lastError).toMatchObject({ status: 503 })
        expect(JSON.stringify(mine)).not.toContain('too busy')
        const openai = items.find(({ name }) => name === 'openai')
        expect(openai).toMatchObject({ state: 'no-credential' })
        expect(openai?.variables).toContainEqual({ name: 'OPENAI_API_KEY', isSet: false })
        expect(JSON.stringify(items)).not.toContain('upstream-secret')
      }
    }
    // Each process reads the stored failures within seconds.
    await vi.waitFor(agree, { timeout: 25_000, interval: 500 })
  })

  it('still knows after a restart which provider fails, and since when', async () => {
    const { owner, chat, gateway, folder } = await startProgram()
    const stateOf = ({ items }: { items: Provider[] }) => items.find(({ name }) => name === 'mine')
    await chat()
    for (let nth = 0; nth < 6; nth++) await chat({ model: 'broken' })
    const before = await vi.waitUntil(
      async () => {
        const mine = stateOf(await owner.read('/providers'))
        return mine?.state === 'failing' ? mine : undefined
      },
      { timeout: 60_000 },
    )
    await gateway.stop()
    const successor = await startInProcess({ folder, args: ['--no-print-key'] })
    const answer = await fetch(`${successor.url}/api/v1/now`, { headers: { cookie: owner.cookie } })
    const now = (await answer.json()) as { providers: Provider[]; minutes: { requests: number; byFailure: object }[] }
    const { state, since, failed, lastError } = stateOf({ items: now.providers }) ?? {}
    expect({ state, since, failed, lastError }).toEqual({
      state: 'failing',
      since: before.since,
      failed: before.failed,
      lastError: before.lastError,
    })
    const requests = now.minutes.reduce((sum, minute) => sum + minute.requests, 0)
    expect([now.minutes.length, requests]).toEqual([60, 7])
  })

  it('marks a reload of the configuration', async () => {
    const { owner, gateway, folder } = await startProgram()
    const file = join(folder, 'headgate.config.json')
    writeFileSync(file, readFileSync(file, 'utf8').replace('"broken"', '"broken","model-2"'))
    gateway.reload()
    const marks = await vi.waitUntil(
      async () => {
        const now = await owner.read<{ marks: { what: string }[] }>('/now')
        return now.marks.length > 0 ? now.marks : undefined
      },
      { timeout: 60_000 },
    )
    expect(marks).toEqual([{ at: expect.any(Number), what: 'config.reload' }])
  })

  it('has models whose responses were longer than the limit of their request', async () => {
    const { owner, chat } = await startProgram()
    for (const max_tokens of [3, 2, 1]) await chat({ max_tokens })
    const { items } = await owner.read<{ items: Provider[] }>('/providers')
    const mine = items.find(({ name }) => name === 'mine')
    expect(mine).toMatchObject({
      overruns: [{ model: 'model-1', count: 2, at: expect.any(Number), limit: 1, output: 3 }],
    })
    expect(mine).not.toHaveProperty('troubled')
  })

  it('says how models have been: what failed, and how soon streams began', async () => {
    const { owner, chat } = await startProgram()
    await chat()
    for (let nth = 0; nth < 3; nth++) await chat({ stream: true })
    await chat({ model: 'broken' })
    const { id } = await chat()
    await vi.waitUntil(async () => (await owner.ask(`/usage/${id}`)).ok, { timeout: 60_000 })
    const { items } = await owner.read<{ items: { id: string; providers: { observed?: object }[] }[] }>('/models')
    const seen = (model: string) => items.find(({ id }) => id === model)?.providers[0]?.observed
    expect(seen('model-1')).toEqual({
      since: expect.any(Number),
      requests: 5,
      failures: 0,
      firstByteMs: { p50: expect.any(Number), p95: expect.any(Number) },
    })
    expect(seen('broken')).toMatchObject({ requests: 1, failures: 1, firstByteMs: null })
  })

  it('names the formats that providers speak natively, and knows of a listed model what its package knows', async () => {
    const upstream = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(
        JSON.stringify({
          object: 'list',
          data: [
            { id: 'gpt-5.4', object: 'model' },
            { id: 'listed-only', object: 'model' },
          ],
        }),
      )
    })
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void upstream.close())
    const baseUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/v1`
    const { owner, gateway, key } = await startSignedIn({
      providers: { mine: { adapter: 'openai', apiKey: 'k-1234567890', baseUrl }, demo: {} },
    })
    await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${key()}`, connection: 'close' } })
    const servers = async () => {
      const { items } = await owner.read<{ items: { id: string; providers: object[] }[] }>('/models')
      return new Map(items.map(({ id, providers }) => [id, providers[0]]))
    }
    await vi.waitUntil(async () => (await servers()).has('listed-only'), { timeout: 60_000 })
    const known = await servers()
    expect(known.get('gpt-5.4')).toMatchObject({
      provider: 'mine',
      formats: ['chat-completions', 'responses'],
      context: expect.any(Number),
      tools: true,
    })
    expect(known.get('listed-only')).not.toHaveProperty('context')
    expect(known.get('demo')).not.toHaveProperty('formats')
  })

  it('is a doctor to admins', async () => {
    const { owner, member } = await startProgram()
    const { items } = await owner.read<{ items: { state: string; about: string; text: string }[] }>('/doctor')
    const about = (name: string) => items.find((one) => one.about === name)
    for (const name of ['config', 'data', 'secret', 'mine', 'clock']) expect(about(name), name).toBeDefined()
    expect(about('mine')?.text).toContain('not with a model list')
    expect(JSON.stringify(items)).not.toContain('upstream-secret')
    for (const role of ['member', 'viewer']) expect((await (await member(role)).ask('/doctor')).status).toBe(403)
  })

  it('tells at once who listens what has been asked of any worker', async () => {
    const { owner, member, chat, gateway } = await startProgram(['--workers', '2'])
    const viewer = await member('viewer')
    const listen = async (who: typeof owner) => {
      const answer = await who.ask('/events?topics=requests,keys')
      expect(answer.headers.get('content-type')).toBe('text/event-stream')
      let heard = ''
      void answer.body
        ?.pipeThrough(new TextDecoderStream())
        .pipeTo(
          new WritableStream({
            write: (text) => {
              heard += text
            },
          }),
        )
        .catch(() => {})
      return () => heard
    }
    const streams = [await listen(owner), await listen(viewer)]
    await chat()
    const { id } = await chat()
    await owner.read('/keys', { body: { name: 'another' } })
    for (const heard of streams) {
      await vi.waitUntil(() => heard().includes(String(id)) && heard().includes('event: keys'), { timeout: 60_000 })
      const counts = [...heard().matchAll(/event: requests\ndata: {"count":(\d+)/g)].map(([, count]) => Number(count))
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(2)
      expect(heard()).not.toMatch(/private|hg_/)
    }
    // Who listens does not hold up the end.
    const begun = performance.now()
    expect(await gateway.stop()).toBe(0)
    expect(performance.now() - begun).toBeLessThan(10_000)
  })
})
