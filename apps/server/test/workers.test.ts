import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type Running, run, start } from './program.ts'
import { startReceiver } from './receiver.ts'
import { temporaryFolder } from './temporary.ts'
import { END, startUpstream } from './upstream.ts'

const AUTHORIZATION = { authorization: 'Bearer sk-local' }

function configuration(baseUrl: string, more: object = {}) {
  const provider = { adapter: 'openai-compatible', baseUrl, apiKey: 'upstream-secret', models: ['model-1'] }
  return { keys: ['sk-local'], providers: { mine: provider }, ...more }
}

async function startWorkers(baseUrl: string, more: object = {}, workers = 2) {
  const folder = temporaryFolder({ 'headgate.config.json': configuration(baseUrl, more) })
  const configure = (config: object) => writeFileSync(join(folder, 'headgate.config.json'), JSON.stringify(config))
  return { folder, configure, gateway: await start({ folder, args: ['--workers', String(workers)] }) }
}

interface Answered {
  readonly status: number
  readonly text: string
}

/** A request over a connection of its own, so that any worker may have it. Rejects when the answer breaks off. */
function ask({ url }: Running, path: string, body?: object): Promise<Answered> {
  const { promise, resolve, reject } = Promise.withResolvers<Answered>()
  const headers = { ...AUTHORIZATION, 'content-type': 'application/json' }
  const asked = request(`${url}${path}`, { method: body ? 'POST' : 'GET', agent: false, headers }, async (response) => {
    let text = ''
    response.setEncoding('utf8').on('data', (piece: string) => (text += piece))
    response.on('error', reject)
    response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
  })
  asked.on('error', reject).end(body && JSON.stringify(body))
  return promise
}

function chat(gateway: Running, stream = false): Promise<Answered> {
  return ask(gateway, '/v1/chat/completions', {
    model: 'model-1',
    messages: [{ role: 'user', content: 'hello' }],
    stream,
  })
}

/** Which workers have served, by the log. */
function served(gateway: Running): unknown[] {
  return gateway
    .log()
    .filter(({ msg }) => msg === 'request')
    .map(({ worker }) => worker)
}

/** Process ids of those that have come to serve, in their order. */
function processes(gateway: Running, worker?: number): number[] {
  return gateway
    .log()
    .filter((line) => line['msg'] === 'serving' && (worker === undefined || line['worker'] === worker))
    .map(({ pid }) => Number(pid))
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

function sum(metrics: string, name: string): number {
  const values = metrics.split('\n').filter((line) => line.startsWith(name))
  return values.reduce((total, line) => total + Number(line.slice(line.lastIndexOf(' '))), 0)
}

const LONG = { timeout: 600_000 }

describe('Several workers', () => {
  it('serve one port, with one banner, one first key, one readiness, and metrics that are sums', LONG, async () => {
    const folder = temporaryFolder({ 'headgate.config.json': { times: { drain: 0 } } })
    const gateway = await start({ folder, args: ['--workers', '2'] })
    expect(gateway.output().match(/listening/g)).toHaveLength(1)
    expect(gateway.output()).toMatch(/\n {2}workers +2\n/)
    await vi.waitUntil(() => gateway.output().includes('Try it:'), { timeout: 60_000 })
    const keys = gateway.output().match(/hg_p_\w+/g) ?? []
    expect(new Set(keys).size).toBe(1)
    const headers = { authorization: `Bearer ${keys[0]}`, connection: 'close' }
    const get = async (path: string) => (await fetch(`${gateway.url}${path}`, { headers })).text()
    let asked = 0
    await vi.waitUntil(
      async () => {
        await Promise.all(Array.from({ length: 8 }, () => get('/v1/models')))
        asked += 8
        return new Set(served(gateway)).size === 2
      },
      { timeout: 60_000 },
    )
    for (let count = 0; count < 2; count++) {
      const metrics = await get('/metrics')
      expect(sum(metrics, 'headgate_requests_total')).toBe(asked)
      expect(sum(metrics, 'headgate_request_duration_seconds_count')).toBe(asked)
      expect(sum(metrics, 'headgate_store_writable')).toBe(1)
    }
    expect(await get('/readyz')).toBe('{"status":"ready"}')
    expect(await gateway.stop()).toBe(0)
    expect(served(gateway)).toHaveLength(asked)
  })

  it('go on when one is killed: its requests break, no other does, and a new one takes its place', LONG, async () => {
    const upstream = await startUpstream()
    const { gateway } = await startWorkers(upstream.baseUrl, { times: { drain: 0 } })
    await chat(gateway)
    const before = sum((await ask(gateway, '/metrics')).text, 'headgate_requests_total')
    expect(before).toBe(1)
    const streams = Array.from({ length: 8 }, () =>
      chat(gateway, true).then(
        () => 'whole',
        () => 'broken',
      ),
    )
    await vi.waitUntil(() => upstream.streams.length === 8, { timeout: 60_000 })
    process.kill(processes(gateway, 1)[0] ?? 0, 'SIGKILL')
    const others = await Promise.all(Array.from({ length: 6 }, () => chat(gateway)))
    expect(others.map(({ status }) => status)).toEqual(Array(6).fill(200))
    await vi.waitUntil(() => processes(gateway, 1).length === 2, { timeout: 60_000 })
    await vi.waitUntil(async () => (await ask(gateway, '/readyz')).status === 200, { timeout: 60_000 })
    const closed = upstream.streams.filter(({ destroyed }) => destroyed).length
    for (const stream of upstream.streams) stream.end(END)
    const ends = await Promise.all(streams)
    expect(ends.filter((end) => end === 'broken')).toHaveLength(closed)
    expect(sum((await ask(gateway, '/metrics')).text, 'headgate_requests_total')).toBeGreaterThanOrEqual(before + 6)
    expect(gateway.log().find(({ level }) => level === 50)?.['msg']).toMatch(/^worker 1 ended \(SIGKILL\)/)
    expect(await gateway.stop()).toBe(0)
  })

  it('have one list of video tasks, and call back once for each state', { ...LONG, tags: ['full'] }, async () => {
    const { url, called } = await startReceiver()
    const folder = temporaryFolder({
      'headgate.config.json': {
        keys: ['sk-local'],
        providers: { demo: {} },
        video: { privateCallbacks: ['127.0.0.1'] },
      },
    })
    const gateway = await start({ folder, args: ['--workers', '3'] })
    const path = '/api/v3/contents/generations/tasks'
    const body = { model: 'demo', content: [{ type: 'text', text: 'a cat surfing' }], duration: 2, callback_url: url }
    const created = await Promise.all(Array.from({ length: 12 }, () => ask(gateway, path, body)))
    const ids = created.map(({ text }) => String(JSON.parse(text).id)).sort()
    expect(new Set(ids).size).toBe(12)
    const lists = await Promise.all(Array.from({ length: 9 }, () => ask(gateway, path)))
    for (const { text } of lists)
      expect((JSON.parse(text).items as { id: string }[]).map(({ id }) => id).sort()).toEqual(ids)
    const told = () => called.map(({ body }) => JSON.parse(body) as { id: string; status: string })
    await vi.waitUntil(() => told().filter(({ status }) => status === 'succeeded').length >= 12, { timeout: 120_000 })
    expect(new Set(served(gateway)).size).toBeGreaterThan(1)
    expect(await gateway.stop()).toBe(0)
    for (const id of ids) {
      const states = told().flatMap((task) => (task.id === id ? [task.status] : []))
      expect([states[0], states.at(-1), new Set(states).size]).toEqual(['queued', 'succeeded', states.length])
    }
  })

  it('read the configuration anew at SIGHUP without a request that fails, and refuse one that is wrong', {
    ...LONG,
    tags: ['full'],
  }, async () => {
    const { baseUrl } = await startUpstream()
    const { gateway, configure } = await startWorkers(baseUrl)
    const load = startLoad(gateway)
    configure(configuration(baseUrl, { keys: [{ key: 1 }] }))
    gateway.child.kill('SIGHUP')
    await vi.waitUntil(() => gateway.output().includes('the previous one stays in effect'), { timeout: 60_000 })
    expect(gateway.log().find(({ level }) => level === 50)?.['msg']).toContain('keys[0].key: found a number')
    configure(configuration(baseUrl, { keys: ['sk-local', 'sk-local-new'], server: { host: '127.0.0.2' } }))
    gateway.child.kill('SIGHUP')
    await vi.waitUntil(() => gateway.output().includes('reloaded the configuration'), { timeout: 60_000 })
    await vi.waitUntil(() => load.count() > 50, { timeout: 60_000 })
    for (let count = 0; count < 4; count++) {
      const headers = { authorization: 'Bearer sk-local-new', connection: 'close' }
      expect((await fetch(`${gateway.url}/v1/models`, { headers })).status).toBe(200)
    }
    expect(await load.end()).toEqual([])
    expect(gateway.output()).toContain('server.host stays \\"127.0.0.1\\" until a restart')
    expect(await gateway.stop()).toBe(0)
  })

  it('finish all their streams at SIGTERM, and end with 0', { ...LONG, tags: ['full'] }, async () => {
    const upstream = await startUpstream()
    const { gateway } = await startWorkers(upstream.baseUrl)
    const streams = Array.from({ length: 8 }, () => chat(gateway, true))
    await vi.waitUntil(() => upstream.streams.length === 8, { timeout: 60_000 })
    gateway.child.kill('SIGTERM')
    await vi.waitUntil(() => gateway.output().includes('finishing open requests'), { timeout: 60_000 })
    await vi.waitUntil(() =>
      ask(gateway, '/healthz').then(
        () => false,
        () => true,
      ),
    )
    for (const stream of upstream.streams) stream.end(END)
    for (const { text } of await Promise.all(streams)) expect(text).toMatch(/data: \[DONE\]\n\n$/)
    expect(await gateway.exit).toEqual([0, null])
    expect(processes(gateway).filter(isRunning)).toEqual([])
    expect(served(gateway)).toHaveLength(8)
  })

  it('finish their streams and end when their primary process is killed', { ...LONG, tags: ['full'] }, async () => {
    const upstream = await startUpstream()
    const { gateway } = await startWorkers(upstream.baseUrl)
    const streams = Array.from({ length: 2 }, () => chat(gateway, true))
    await vi.waitUntil(() => upstream.streams.length === 2, { timeout: 60_000 })
    const pids = processes(gateway)
    const killed = once(gateway.child, 'exit')
    gateway.child.kill('SIGKILL')
    await killed
    for (const stream of upstream.streams) stream.end(END)
    for (const { text } of await Promise.all(streams)) expect(text).toMatch(/data: \[DONE\]\n\n$/)
    await vi.waitUntil(() => pids.filter(isRunning).length === 0, { timeout: 60_000 })
  })

  it('end at once at the second signal', { ...LONG, tags: ['full'] }, async () => {
    const upstream = await startUpstream()
    const { gateway } = await startWorkers(upstream.baseUrl)
    const streams = Array.from({ length: 2 }, () =>
      chat(gateway, true).then(
        () => 'whole',
        () => 'broken',
      ),
    )
    await vi.waitUntil(() => upstream.streams.length === 2, { timeout: 60_000 })
    gateway.child.kill('SIGINT')
    await vi.waitUntil(() => gateway.output().includes('finishing open requests'), { timeout: 60_000 })
    gateway.child.kill('SIGINT')
    expect(await gateway.exit).toEqual([130, null])
    expect(await Promise.all(streams)).toEqual(['broken', 'broken'])
  })

  it('are not ended twice by a signal that reaches all processes at once', { ...LONG, tags: ['full'] }, async () => {
    const upstream = await startUpstream()
    const { gateway } = await startWorkers(upstream.baseUrl)
    const stream = chat(gateway, true)
    await vi.waitUntil(() => upstream.streams.length === 1, { timeout: 60_000 })
    for (const pid of [...processes(gateway), gateway.child.pid ?? 0]) process.kill(pid, 'SIGINT')
    await vi.waitUntil(() => gateway.output().includes('finishing open requests'), { timeout: 60_000 })
    upstream.streams[0]?.end(END)
    expect((await stream).text).toMatch(/data: \[DONE\]\n\n$/)
    expect(await gateway.exit).toEqual([0, null])
  })

  it('have metrics on a port of their own as sums too', { ...LONG, tags: ['full'] }, async () => {
    const { gateway } = await startWorkers((await startUpstream()).baseUrl, { metrics: { port: 0 } })
    for (let count = 0; count < 4; count++) await chat(gateway)
    const url = /metrics +(http:\/\/127\.0\.0\.1:\d+\/metrics)/.exec(gateway.output())?.[1] ?? ''
    for (let count = 0; count < 2; count++) {
      const metrics = await (await fetch(url, { headers: { connection: 'close' } })).text()
      expect(sum(metrics, 'headgate_requests_total')).toBe(4)
    }
    expect(await gateway.stop()).toBe(0)
  })

  it('end the program when one dies again and again at the start', { ...LONG, tags: ['full'] }, async () => {
    const folder = temporaryFolder({
      'bug.mjs': 'if (process.env.HEADGATE_WORKER === "2") process.kill(process.pid, "SIGKILL")',
    })
    const environment = { NODE_OPTIONS: `--import=${folder}/bug.mjs` }
    const { code, stderr, stdout } = await run(['--port', '0', '--workers', '2'], { folder, environment })
    expect([code, stderr]).toEqual([1, 'headgate: Worker 2 ended 5 times at the start. The log shows the causes.\n'])
    // One that lives for 5 s on a machine that does much else begins the count anew.
    expect(stdout.match(/worker 2 ended \(SIGKILL\)/g)?.length).toBeGreaterThanOrEqual(5)
    expect(stdout).not.toContain('listening')
  })
})

describe('A start with workers', () => {
  it('that finds its port taken says so once', LONG, async () => {
    const other = createServer()
    onTestFinished(() => void other.close())
    other.listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const { code, stderr } = await run(['--port', String(port), '--workers', '2'], { folder: temporaryFolder() })
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `headgate: Port ${port} of 127.0.0.1 is in use. Choose another with --port or PORT.\n`,
    })
  })

  it.skipIf(process.getuid?.() === 0)('that may not have its port says so once', LONG, async () => {
    const { code, stderr } = await run(['--port', '1', '--workers', '2'], { folder: temporaryFolder() })
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'headgate: This user is not allowed to use port 1. Choose a port above 1023 with --port or PORT.\n',
    })
  })
})

/** Requests without end, over connections that are kept and over new ones. */
function startLoad(gateway: Running) {
  const failed: string[] = []
  let count = 0
  let isOver = false
  const lane = async (send: () => Promise<{ status: number }>) => {
    while (!isOver) {
      const status = await send().then((answer) => answer.status, String)
      if (status !== 200) failed.push(String(status))
      count++
    }
  }
  const kept = async () => {
    const body = JSON.stringify({ model: 'model-1', messages: [{ role: 'user', content: 'hello' }] })
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, { method: 'POST', headers: AUTHORIZATION, body })
    await answer.text()
    return answer
  }
  const lanes = [lane(kept), lane(kept), lane(() => chat(gateway)), lane(() => chat(gateway))]
  return {
    count: () => count,
    end: async () => {
      isOver = true
      await Promise.all(lanes)
      return failed
    },
  }
}
