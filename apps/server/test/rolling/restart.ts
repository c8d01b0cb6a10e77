import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { type Haproxy, startHaproxy } from '../../../../tools/haproxy.ts'
import { freePort } from '../../../../tools/postgres.ts'
import { startVictim, type Victim, victimFolder } from '../kills/program.ts'
import { API_KEY } from '../sdk/gateway.ts'
import { chunk, completion, END } from '../upstream.ts'

export interface RollingOptions {
  /** Streams that are open at any time. */
  readonly streams: number
  /** Length of a stream, in milliseconds. */
  readonly streamMs: number
  /** Interval of HAProxy's checks, in milliseconds. */
  readonly interval: number
  /** `times.drain` of the programs; by default they decide. */
  readonly drain?: number
  /** What is started, by default what is tested: arguments of Node. */
  readonly program?: readonly string[]
  /** Environment of the programs at first, and after each restart of all. Default: one restart with the same one. */
  readonly environments?: readonly Environment[]
  /** Called with each step. */
  onStep?(step: string): void
}

type Environment = Readonly<Record<string, string>>

/** What callers saw while all programs were restarted. */
export interface RollingResult {
  /** Streams that ended as their upstream ended them. */
  readonly streams: number
  /** Streams that broke off, or were refused: the reason of each. */
  readonly cut: readonly string[]
  /** Other requests that were served. */
  readonly requests: number
  /** Other requests that failed: the reason of each. */
  readonly failed: readonly string[]
  /** Exit codes of the restarted programs. */
  readonly codes: readonly (number | null)[]
}

const PROGRAMS = 3
/** Callers of short requests: half of them over connections that are kept. */
const CALLERS = 6
/** Pause of a caller between two requests, in milliseconds. */
const PAUSE = 10
/** Pieces of a stream. */
const PIECES = 20
/** Interval of looks at HAProxy, in milliseconds. */
const LOOK = 20

interface RollingProgram {
  readonly name: string
  readonly port: number
  start(environment: Environment): Promise<void>
  /** Ends it in order. Resolves with its exit code. */
  stop(): Promise<number | null>
  end(): Promise<void>
}

/**
 * Restarts three programs behind HAProxy, one after the other, under load. Undefined if HAProxy is not installed.
 * @throws Error if a program does not start
 */
export async function rollingRestart(options: RollingOptions): Promise<RollingResult | undefined> {
  const { interval, streamMs, environments = [{}, {}], onStep = () => {} } = options
  const [first = {}, ...others] = environments
  const upstream = await startUpstream(streamMs)
  const origin = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`
  const names = Array.from({ length: PROGRAMS }, (_, index) => `program${index + 1}`)
  const programs: RollingProgram[] = []
  let haproxy: Haproxy | undefined
  try {
    for (const name of names) programs.push(await openProgram(name, origin, options))
    haproxy = await startHaproxy({ port: await freePort(), servers: programs, interval })
    if (!haproxy) return undefined
    const { states, url } = haproxy
    await Promise.all(programs.map((program) => program.start(first)))
    for (const { name } of programs) await isIn(states, name)
    const traffic = startTraffic(url, options)
    await traffic.isFull
    const codes: (number | null)[] = []
    for (const environment of others)
      for (const program of programs) {
        onStep(`${program.name}: SIGTERM`)
        codes.push(await program.stop())
        onStep(`${program.name}: ended with ${codes.at(-1)}`)
        await program.start(environment)
        await isIn(states, program.name)
        onStep(`${program.name}: serves again`)
      }
    const found = await traffic.end()
    // Their last rows are stored then.
    await Promise.all(programs.map((program) => program.stop()))
    return { ...found, codes }
  } finally {
    await haproxy?.end()
    for (const program of programs) await program.end()
    upstream.close()
    upstream.closeAllConnections()
  }
}

/** Resolves when HAProxy sends requests to a server. */
async function isIn(states: Haproxy['states'], name: string): Promise<void> {
  while ((await states()).get(name) !== 'UP') await wait(LOOK)
}

async function openProgram(
  name: string,
  origin: string,
  { drain, streamMs, program }: RollingOptions,
): Promise<RollingProgram> {
  const times = { shutdown: 2 * streamMs + 10_000, ...(drain !== undefined && { drain }) }
  const folder = victimFolder(origin, { times })
  const port = await freePort()
  let victim: Victim | undefined
  return {
    name,
    port,
    async start(environment) {
      victim = await startVictim({ folder: folder.path, workers: 1, port, environment, ...(program && { program }) })
    },
    stop: async () => (await victim?.stop()) ?? null,
    async end() {
      await victim?.kill()
      folder.remove()
    },
  }
}

/** An upstream whose streams last for some time. */
async function startUpstream(streamMs: number): Promise<Server> {
  const server = createServer(async (incoming, response) => {
    const pieces: Buffer[] = []
    for await (const piece of incoming) pieces.push(piece)
    const { stream } = JSON.parse(Buffer.concat(pieces).toString() || '{}')
    if (!stream)
      return void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(completion))
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (let piece = 0; piece < PIECES; piece++) {
      response.write(chunk({ delta: { role: 'assistant', content: 'Hel' }, finish_reason: null }))
      await wait(streamMs / PIECES)
    }
    response.end(END)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

function startTraffic(url: string, { streams }: RollingOptions) {
  const found = { streams: 0, cut: [] as string[], requests: 0, failed: [] as string[] }
  let isOver = false
  let open = 0
  const { promise: isFull, resolve: full } = Promise.withResolvers<void>()
  const kept = new Agent({ keepAlive: true })
  const streaming = async (): Promise<void> => {
    let isFirst = true
    while (!isOver) {
      const problem = await ask(url, true, kept, () => {
        if (isFirst) open += 1
        isFirst = false
        if (open === streams) full()
      })
      if (problem === undefined) found.streams += 1
      else found.cut.push(problem)
      // A refused stream must not spin.
      if (problem !== undefined) await wait(PAUSE)
    }
  }
  const calling = async (agent: Agent | false): Promise<void> => {
    while (!isOver) {
      const problem = await ask(url, false, agent)
      if (problem === undefined) found.requests += 1
      else found.failed.push(problem)
      await wait(PAUSE)
    }
  }
  const lanes = [
    ...Array.from({ length: streams }, streaming),
    ...Array.from({ length: CALLERS }, (_, index) => calling(index % 2 === 0 && kept)),
  ]
  return {
    /** Resolves when the first stream of each caller has begun. */
    isFull,
    async end() {
      isOver = true
      await Promise.all(lanes)
      kept.destroy()
      return found
    },
  }
}

/** Resolves with what went wrong. */
async function ask(
  url: string,
  stream: boolean,
  agent: Agent | false,
  onBegin: () => void = () => {},
): Promise<string | undefined> {
  const body = JSON.stringify({ model: 'gpt-4.1', messages: [{ role: 'user', content: 'hello' }], stream })
  const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' }
  const sent = request(`${url}/v1/chat/completions`, { method: 'POST', agent, headers })
  let text = ''
  try {
    sent.end(body)
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    response.setEncoding('utf8').once('data', onBegin)
    for await (const piece of response) text += piece
    const isWhole = response.statusCode === 200 && (stream ? text.endsWith('data: [DONE]\n\n') : text.endsWith('}'))
    return isWhole ? undefined : `${response.statusCode} ${text.slice(-500)}`
  } catch (error) {
    return `${String(error)} after ${text.length} characters`
  }
}
