import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CommandStore, openCommandStore } from '../../packages/store/src/index.ts'
import type { PostgresServer } from '../../tools/postgres.ts'
import type { RedisServer } from '../../tools/redis.ts'
import type { CheckedKey } from './checker.ts'
import { createFleetNode, type FleetNode } from './node.ts'
import { type Link, startLink } from './partition.ts'
import { type LoggingUpstream, OUTPUT_PRICE } from './upstream.ts'

/** Servers that fleets share, one after the other. */
export interface FleetServers {
  readonly upstream: LoggingUpstream
  readonly postgres: PostgresServer
  /** Absent: nodes share rates through Postgres. */
  readonly redis?: RedisServer | undefined
}

export interface FleetOptions {
  readonly servers: FleetServers
  /** True: the built program; false: what the tests use. */
  readonly isBuilt: boolean
  /** Variables of one node, such as a preload that fills its disk. Default: none. */
  readonly environment?: ((node: number) => Readonly<Record<string, string>>) | undefined
}

/** Three programs of two workers, each with a link to Postgres and to Redis. */
export interface Fleet {
  readonly servers: FleetServers
  readonly nodes: readonly FleetNode[]
  readonly postgresLinks: readonly Link[]
  /** Empty without Redis. */
  readonly redisLinks: readonly Link[]
  readonly databaseUrl: string
  /** Store that does not use the links. */
  readonly store: CommandStore
  urls(): readonly string[]
  createKey(key: CheckedKey): Promise<{ readonly id: string; readonly secret: string }>
  /** Resolves when all nodes are ready. */
  ready(): Promise<void>
  /** Sum of a metric over all nodes and labels; undefined if none of them has it. */
  metric(name: string): Promise<number | undefined>
  /** Kills what still runs, and removes the folders. */
  close(): Promise<void>
}

export const NODES = 3
export const WORKERS = 2
/** Key in the configuration, which may read metrics. */
const OPERATOR = 'sk-fleet-operator'
/** Interval of checks, and maximum wait for all nodes, in milliseconds. */
const LOOK = 50
const READY = 60_000

let databases = 0

export async function startFleet({ servers, isBuilt, environment = () => ({}) }: FleetOptions): Promise<Fleet> {
  const { postgres, redis, upstream } = servers
  databases += 1
  const databaseUrl = postgres.database(`fleet_${process.pid}_${databases}`)
  const secret = randomBytes(32).toString('hex')
  // Its journal is empty: only nodes have journals.
  const folder = mkdtempSync(join(tmpdir(), 'headgate-fleet-'))
  const store = await openCommandStore({ dataDir: folder, databaseUrl, onProblem: () => {} })
  const postgresLinks: Link[] = []
  const redisLinks: Link[] = []
  const nodes: FleetNode[] = []
  for (let nth = 0; nth < NODES; nth += 1) {
    const link = await startLink(portOf(databaseUrl))
    postgresLinks.push(link)
    const variables: Record<string, string> = {
      DATABASE_URL: withPort(databaseUrl, link.port),
      HEADGATE_SECRET: secret,
      ...environment(nth),
    }
    if (redis) {
      const own = await startLink(portOf(redis.url))
      redisLinks.push(own)
      variables['HEADGATE_REDIS_URL'] = withPort(redis.url, own.port)
    }
    nodes.push(
      await createFleetNode({ config: configOf(upstream.origin), environment: variables, workers: WORKERS, isBuilt }),
    )
  }
  await Promise.all(nodes.map((node) => node.start()))
  const urls = nodes.map(({ url }) => url)
  return {
    servers,
    nodes,
    postgresLinks,
    redisLinks,
    databaseUrl,
    store,
    urls: () => urls,
    createKey: (key) => createKey(store, key),
    ready: () => untilReady(urls),
    metric: (name) => sumOf(urls, name),
    async close() {
      await Promise.all(nodes.map((node) => node.kill()))
      await store.close()
      await Promise.all([...postgresLinks, ...redisLinks].map((link) => link.close()))
      for (const node of nodes) node.remove()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Times at which a node did not reach the shared counts, from its log. One line for each node and reason. */
export function outagesOf({ nodes }: Pick<Fleet, 'nodes'>): readonly string[] {
  return nodes.flatMap((node, nth) => {
    const alone = node.log().filter((line) => line.includes('uses its part of each rate limit'))
    const byReason = Map.groupBy(alone, (line) => String(Object(JSON.parse(line))['reasons']))
    return [...byReason].map(([reason, lines]) => `node ${nth} was alone ${lines.length} times: ${reason}`)
  })
}

function configOf(origin: string): object {
  const mock = { adapter: 'openai-compatible', baseUrl: `${origin}/v1`, apiKey: 'sk-upstream', models: ['fleet'] }
  return {
    keys: [OPERATOR],
    providers: { mock },
    // All processes share the cores: a program must not refuse requests because it gets too little CPU time.
    limits: { eventLoopDelay: false },
    // The benchmark is not a load balancer, although it reads `/readyz`.
    times: { drain: 0 },
    prices: { 'mock/fleet': { input: 0, output: OUTPUT_PRICE / 1_000 } },
  }
}

async function createKey(store: CommandStore, key: CheckedKey): Promise<{ id: string; secret: string }> {
  const { name, requestsPerMinute, tokensPerMinute, concurrent, budget } = key
  const { key: secret, stored } = await store.keys.create({
    name,
    limits: {
      ...(requestsPerMinute !== undefined && { requestsPerMinute }),
      ...(tokensPerMinute !== undefined && { tokensPerMinute }),
      ...(concurrent !== undefined && { concurrent }),
    },
    ...(budget !== undefined && { budgets: [{ limit: BigInt(budget), period: 'forever' as const }] }),
  })
  return { id: stored.id, secret }
}

async function untilReady(urls: readonly string[]): Promise<void> {
  const until = performance.now() + READY
  for (const url of urls) {
    while (!(await isReady(url))) {
      if (performance.now() > until) throw new Error(`${url} is not ready after ${READY / 1_000} s`)
      await new Promise((resolve) => setTimeout(resolve, LOOK))
    }
  }
}

async function isReady(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5_000) })
    await response.arrayBuffer()
    return response.ok
  } catch {
    return false
  }
}

async function sumOf(urls: readonly string[], name: string): Promise<number | undefined> {
  const found = await Promise.all(urls.map((url) => metricOf(url, name)))
  const known = found.filter((one) => one !== undefined)
  return known.length === 0 ? undefined : known.reduce((sum, one) => sum + one, 0)
}

async function metricOf(url: string, name: string): Promise<number | undefined> {
  try {
    const headers = { authorization: `Bearer ${OPERATOR}` }
    const response = await fetch(`${url}/metrics`, { headers, signal: AbortSignal.timeout(5_000) })
    const lines = (await response.text())
      .split('\n')
      .filter((line) => line.startsWith(name) && /[{ ]/.test(line[name.length] ?? ''))
    if (lines.length === 0) return undefined
    return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
  } catch {
    return undefined
  }
}

function portOf(url: string): number {
  return Number(new URL(url).port)
}

function withPort(url: string, port: number): string {
  const changed = new URL(url)
  changed.port = String(port)
  return changed.href
}
