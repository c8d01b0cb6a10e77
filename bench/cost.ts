import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type FirstText, firstText } from './first-text.ts'
import { load, median, percentile, type Shot } from './load.ts'
import { portkeyHeaders, startPortkey } from './peers.ts'
import { cpuOf, freePort, type Measured, memoryOf, startNode } from './process.ts'
import { type Figure, report } from './report.ts'
import { type Scenario, scenarios } from './scenarios.ts'
import { openStreams } from './streams.ts'

const ROUNDS = 9
/** Rounds that are not counted: the compiler of V8 needs some 15,000 requests. */
const WARM_UP = 3
const CONNECTIONS = 64
/** The gateway has a core of its own; upstream and load share the other. */
const GATEWAY_CORE = 0
const LOAD_CORE = 1

const root = resolve(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'headgate-bench-'))

async function startHeadgate(upstream: string): Promise<Measured> {
  const config = {
    keys: ['sk-bench'],
    providers: {
      'chat-up': { adapter: 'openai-compatible', baseUrl: `${upstream}/v1`, apiKey: 'sk-upstream', models: ['bench-model'] },
      'messages-up': { adapter: 'anthropic', baseUrl: upstream, apiKey: 'sk-upstream', models: ['claude-bench'] },
    },
  }
  const file = join(folder, 'headgate.config.json')
  writeFileSync(file, JSON.stringify(config))
  const port = await freePort()
  const env = { HEADGATE_CONFIG: file, HEADGATE_DATA_DIR: join(folder, 'data'), PORT: String(port) }
  return startNode([join(root, 'apps/server/dist/cli.js')], { core: GATEWAY_CORE, env, cwd: root, port, probe: '/readyz' })
}

/** A target of one scenario and what to send it. */
interface Contender {
  readonly name: string
  readonly process: Measured
  readonly shot: Shot
}

interface Round {
  readonly cpu: number
  readonly latencies: number[]
}

/** A round in which a request failed does not count: a connection may be closed just as it is used again. */
const TRIES = 3

async function round(contender: Contender, requests: number, tries = TRIES): Promise<Round> {
  const before = cpuOf(contender.process.pid)
  const { latencies, failures } = await load(contender.process.port, contender.shot, { requests, connections: CONNECTIONS })
  if (failures === 0) return { cpu: (cpuOf(contender.process.pid) - before) / requests, latencies }
  if (tries > 1) return round(contender, requests, tries - 1)
  throw new Error(`${contender.name}: ${failures} of ${requests} requests failed`)
}

async function compare(scenario: Scenario, contenders: readonly Contender[]): Promise<Figure[]> {
  const rounds = new Map<Contender, Round[]>(contenders.map((contender) => [contender, []]))
  for (const contender of contenders) await round(contender, scenario.requests * WARM_UP)
  for (let i = 0; i < ROUNDS; i++) {
    for (const contender of contenders) rounds.get(contender)?.push(await round(contender, scenario.requests))
  }
  const [floor] = contenders
  const floors = (floor && rounds.get(floor)) ?? []
  return contenders.map((contender) => {
    const own = rounds.get(contender) ?? []
    const latencies = own.flatMap((one) => one.latencies).sort((a, b) => a - b)
    const figure: Figure = {
      scenario: scenario.name,
      target: contender.name,
      cpu: median(own.map((one) => one.cpu)),
      ratio: median(own.map((one, i) => one.cpu / (floors[i]?.cpu ?? Number.NaN))),
      ...(contender.name === 'headgate' && { budget: scenario.budget }),
      p50: percentile(latencies, 50),
      p99: percentile(latencies, 99),
      memory: memoryOf(contender.process.pid),
    }
    process.stdout.write(`${scenario.name} · ${figure.target}: ${figure.cpu.toFixed(0)} µs, ${figure.ratio.toFixed(2)} × floor\n`)
    return figure
  })
}

function versionOf(file: string): string {
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}

const processes: Measured[] = []
const start = async <T extends Measured | undefined>(starting: Promise<T>): Promise<T> => {
  const started = await starting
  if (started) processes.push(started)
  return started
}

try {
  const upstream = await start(startNode([join(root, 'bench/upstream.ts')], { core: LOAD_CORE }))
  const origin = `http://127.0.0.1:${upstream.port}`
  const floors = {
    pass: await start(startNode([join(root, 'bench/floor.ts'), origin, 'pass'], { core: GATEWAY_CORE })),
    parse: await start(startNode([join(root, 'bench/floor.ts'), origin, 'parse'], { core: GATEWAY_CORE })),
  }
  const headgate = await start(startHeadgate(origin))
  const portkey = await start(startPortkey(root, GATEWAY_CORE))
  const notes: string[] = []
  if (!portkey) notes.push('The npm package of Portkey’s gateway could not be installed here, so it is not in the tables.')
  else notes.push('Portkey’s gateway 1.15.2 answers streams with an error on these versions, so it is compared on unary requests alone.')

  const figures: Figure[] = []
  for (const scenario of scenarios) {
    const contenders: Contender[] = [
      { name: 'floor', process: floors[scenario.floor], shot: scenario.direct },
      { name: 'headgate', process: headgate, shot: scenario.headgate },
    ]
    if (scenario.peers && portkey) {
      contenders.push({
        name: 'portkey',
        process: portkey,
        shot: { ...scenario.direct, headers: { ...scenario.direct.headers, ...portkeyHeaders(origin) } },
      })
    }
    figures.push(...(await compare(scenario, contenders)))
  }
  const firstTexts: FirstText[] = []
  for (const scenario of scenarios.filter(({ name }) => name.includes('stream'))) {
    const direct = { port: floors[scenario.floor].port, shot: scenario.direct }
    const figure = await firstText(scenario.name, direct, { port: headgate.port, shot: scenario.headgate })
    process.stdout.write(`${scenario.name} · first text: ${figure.added.toFixed(0)} µs more than the floor\n`)
    firstTexts.push(figure)
  }
  const streams = await openStreams(headgate, 5_000)
  process.stdout.write(`${streams.open} open streams: ${streams.memory.toFixed(0)} MB\n`)
  const versions = {
    'Node.js': process.versions.node,
    undici: versionOf(join(root, 'node_modules/undici/package.json')),
    headgate: versionOf(join(root, 'apps/server/package.json')),
  }
  writeFileSync(join(root, 'docs/performance.md'), report(figures, { versions, firstTexts, streams, notes }))
  const over = figures.filter((figure) => figure.budget !== undefined && figure.ratio > figure.budget)
  for (const figure of over) process.stdout.write(`over budget: ${figure.scenario}: ${figure.ratio.toFixed(2)} > ${figure.budget}\n`)
} finally {
  await Promise.all(processes.map((one) => one.stop()))
  rmSync(folder, { recursive: true, force: true })
}
