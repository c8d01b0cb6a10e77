import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createReadinessChecks } from '../src/service/readiness-checks.ts'
import { type Running, start } from './program.ts'
import { temporaryFolder } from './temporary.ts'
import { chunk, completion, END } from './upstream.ts'

const TIMEOUT = { timeout: 120_000 }
/** Time in which the programs of these tests drain, in milliseconds. */
const DRAIN = 3_000
/** Timers may fire a little early. */
const EARLY = 20

/** An upstream that answers a request of the user `held` when it is told to, and streams when it is told to end. */
async function startUpstream() {
  const held: ServerResponse[] = []
  const streams: ServerResponse[] = []
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece)
    const { stream, user } = JSON.parse(Buffer.concat(pieces).toString() || '{}')
    if (stream) {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(chunk({ delta: { role: 'assistant', content: 'Hel' }, finish_reason: null }))
      streams.push(response)
    } else if (user === 'held') held.push(response)
    else answer(response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, held, streams }
}

function answer(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(completion))
}

async function startDraining(drain: number | undefined, args: readonly string[] = []) {
  const upstream = await startUpstream()
  const mine = { adapter: 'openai-compatible', baseUrl: upstream.baseUrl, apiKey: 'secret', models: ['model-1'] }
  const times = { ...(drain !== undefined && { drain }) }
  const folder = temporaryFolder({ 'headgate.config.json': { keys: ['sk-local'], providers: { mine }, times } })
  return { upstream, gateway: await start({ folder, args }) }
}

interface Answered {
  readonly status: number
  readonly connection: string | undefined
  readonly text: string
}

/** Sends a request: over a new connection, or over the only one of an agent. Rejects if the connection fails. */
async function send({ url }: Running, path: string, body?: object, agent: Agent | false = false): Promise<Answered> {
  return whole(await begin({ url }, path, body, agent))
}

async function begin(
  { url }: Pick<Running, 'url'>,
  path: string,
  body?: object,
  agent: Agent | false = false,
): Promise<IncomingMessage> {
  const headers = { authorization: 'Bearer sk-local', 'content-type': 'application/json', connection: 'keep-alive' }
  const sent = request(`${url}${path}`, { method: body ? 'POST' : 'GET', agent, headers })
  sent.end(body && JSON.stringify(body))
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return response
}

async function whole(response: IncomingMessage): Promise<Answered> {
  let text = ''
  for await (const piece of response.setEncoding('utf8')) text += piece
  return { status: response.statusCode ?? 0, connection: response.headers.connection, text }
}

const CHAT = { model: 'model-1', messages: [{ role: 'user', content: 'hello' }] }

function keptAgent(): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  return agent
}

/** The socket of an agent that waits for its next request. */
function idleSocket({ freeSockets }: Agent): Socket {
  const [socket] = Object.values(freeSockets).flatMap((sockets) => sockets ?? [])
  if (!socket) throw new Error('The agent has no idle connection.')
  return socket
}

async function isRefused(gateway: Running): Promise<boolean> {
  return send(gateway, '/healthz').then(
    () => false,
    () => true,
  )
}

/** Sends SIGTERM, and resolves with its time when the program has begun to stop. */
async function terminate(gateway: Running): Promise<number> {
  const at = performance.now()
  gateway.child.kill('SIGTERM')
  await vi.waitUntil(() => gateway.output().includes('finishing open requests'), { timeout: 60_000, interval: 5 })
  return at
}

describe.for([
  { name: 'one process', args: [], tags: [] },
  { name: 'two workers', args: ['--workers', '2'], tags: ['full'] },
])('A program of $name', ({ args, tags }) => {
  it('serves new and kept connections until the drain ends, each once more, and then none', {
    ...TIMEOUT,
    tags,
  }, async () => {
    const { upstream, gateway } = await startDraining(DRAIN, args)
    const [used, idle] = [keptAgent(), keptAgent()]
    for (const agent of [used, idle])
      expect(await send(gateway, '/healthz', undefined, agent)).toMatchObject({
        status: 200,
        connection: 'keep-alive',
      })
    const stream = await begin(gateway, '/v1/chat/completions', { ...CHAT, stream: true })
    const waiting = send(gateway, '/v1/chat/completions', { ...CHAT, user: 'held' })
    await vi.waitUntil(() => upstream.streams.length + upstream.held.length === 2, { timeout: 60_000, interval: 5 })
    const idleClosed = once(idleSocket(idle), 'close').then(() => performance.now())

    const begun = await terminate(gateway)
    expect(gateway.output()).toContain(`SIGTERM: accepting connections for ${DRAIN} ms, then finishing open requests`)
    const ready = await send(gateway, '/readyz')
    expect([ready.status, ready.connection]).toEqual([503, 'close'])
    expect(ready.text).toContain('the program is stopping')
    expect(await send(gateway, '/healthz')).toMatchObject({ status: 200, connection: 'close' })
    expect(await send(gateway, '/v1/chat/completions', CHAT)).toMatchObject({ status: 200, connection: 'close' })
    const kept = idleSocket(used)
    expect(await send(gateway, '/v1/chat/completions', CHAT, used)).toMatchObject({
      status: 200,
      connection: 'close',
    })
    await vi.waitUntil(() => kept.destroyed, { timeout: 60_000, interval: 5 })
    for (const response of upstream.held) answer(response)
    expect(await waiting).toMatchObject({ status: 200, connection: 'close' })
    expect(performance.now() - begun).toBeLessThan(DRAIN)

    expect((await idleClosed) - begun).toBeGreaterThanOrEqual(DRAIN - EARLY)
    await vi.waitUntil(() => isRefused(gateway), { timeout: 60_000, interval: 5 })
    expect(gateway.child.exitCode).toBeNull()
    for (const response of upstream.streams) response.end(END)
    expect((await whole(stream)).text).toMatch(/data: \[DONE\]\n\n$/)
    expect(await gateway.exit).toEqual([0, null])
  })

  it('does not drain at SIGINT', { ...TIMEOUT, tags }, async () => {
    const { upstream, gateway } = await startDraining(600_000, args)
    const stream = await begin(gateway, '/v1/chat/completions', { ...CHAT, stream: true })
    gateway.child.kill('SIGINT')
    await vi.waitUntil(() => isRefused(gateway), { timeout: 60_000, interval: 5 })
    expect(gateway.child.exitCode).toBeNull()
    for (const response of upstream.streams) response.end(END)
    expect((await whole(stream)).text).toMatch(/data: \[DONE\]\n\n$/)
    expect(await gateway.exit).toEqual([0, null])
    expect(gateway.output()).toContain('SIGINT: finishing open requests')
  })

  it('drains by default only behind a load balancer', { ...TIMEOUT, tags }, async () => {
    const { gateway } = await startDraining(undefined, args)
    // The start has checked once. A load balancer checks again.
    expect((await send(gateway, '/readyz')).status).toBe(200)
    await terminate(gateway)
    expect(gateway.output()).toContain('SIGTERM: accepting connections for 5000 ms, then')
    expect(await isRefused(gateway)).toBe(false)
    gateway.child.kill('SIGTERM')
    expect(await gateway.exit).toEqual([128 + 15, null])
  })
})

describe('A program that drains', () => {
  it('ends open streams at the end of `times.shutdown`, counted from the end of the drain', TIMEOUT, async () => {
    const upstream = await startUpstream()
    const mine = { adapter: 'openai-compatible', baseUrl: upstream.baseUrl, apiKey: 'secret', models: ['model-1'] }
    const folder = temporaryFolder({
      'headgate.config.json': { keys: ['sk-local'], providers: { mine }, times: { drain: 300, shutdown: 300 } },
    })
    const gateway = await start({ folder, args: ['--workers', '2'] })
    const stream = await begin(gateway, '/v1/chat/completions', { ...CHAT, stream: true })
    const begun = await terminate(gateway)
    const end = await whole(stream).catch(String)
    expect(JSON.stringify(end)).not.toContain('[DONE]')
    expect(performance.now() - begun).toBeGreaterThanOrEqual(600 - EARLY)
    expect(await gateway.exit).toEqual([0, null])
  })

  it('exits immediately at a second signal', TIMEOUT, async () => {
    const { gateway } = await startDraining(600_000)
    await terminate(gateway)
    gateway.child.kill('SIGTERM')
    expect(await gateway.exit).toEqual([128 + 15, null])
  })
})

describe('The default drain', () => {
  it('is 5 s if readiness was checked in the last 30 s, after it was reported once', () => {
    let now = 0
    const checks = createReadinessChecks(() => now)
    expect(checks.defaultDrain()).toBe(0)
    checks.count(false)
    checks.count(true)
    expect(checks.defaultDrain()).toBe(0)
    checks.count(false)
    now = 30_000
    expect(checks.defaultDrain()).toBe(5_000)
    now = 30_001
    expect(checks.defaultDrain()).toBe(0)
    checks.count(true)
    expect(checks.defaultDrain()).toBe(5_000)
  })
})
