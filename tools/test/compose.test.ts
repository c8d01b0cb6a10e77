import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { parse } from 'yaml'
import { temporaryFolder } from '../../apps/server/test/temporary.ts'
import { NODE_COMPILE_CACHE, PROGRAM } from '../../apps/server/test/tested.ts'
import { composeFile, readCompose } from '../compose.ts'
import { freePort, startPostgres } from '../postgres.ts'
import { findProgram } from '../programs.ts'
import { startRedis } from '../redis.ts'

const VARIABLES = {
  POSTGRES_PASSWORD: 'password-of-postgres',
  VALKEY_PASSWORD: 'password-of-valkey',
  HEADGATE_SECRET: 'secret-of-the-gateways-of-this-test-0123456789',
  METRICS_KEY: 'sk-local-of-prometheus',
  GRAFANA_PASSWORD: 'password-of-grafana',
}
const GATEWAYS = ['gateway-1', 'gateway-2', 'gateway-3'] as const
const FULL = { tags: ['full'], timeout: 300_000 }

describe('The Compose file', () => {
  const { services, networks } = readCompose(VARIABLES)

  it('needs each secret from the environment', () => {
    for (const name of Object.keys(VARIABLES)) {
      const { [name as keyof typeof VARIABLES]: _, ...others } = VARIABLES
      expect(() => readCompose(others), name).toThrow(`${name} is not set`)
    }
  })

  it('mounts files that exist', () => {
    const mounted = Object.values(services).flatMap(({ volumes = [] }) => volumes.map((one) => one.split(':')[0] ?? ''))
    const files = mounted.filter((path) => path.startsWith('./compose/'))
    expect(files.length).toBeGreaterThan(5)
    expect(files.filter((path) => !existsSync(composeFile(path)))).toEqual([])
  })

  it('runs gateways without a writable root, rights or a volume', () => {
    for (const name of GATEWAYS) {
      expect(services[name]).toMatchObject({ read_only: true, cap_drop: ['ALL'], user: '65532:65532' })
      expect(services[name]?.volumes?.every((volume) => volume.endsWith(':ro'))).toBe(true)
    }
    for (const [name, service] of Object.entries(services)) {
      expect(service.privileged, name).toBeUndefined()
      if (name !== 'postgres') expect(service.security_opt, name).toEqual(['no-new-privileges:true'])
    }
  })

  it('opens ports of this machine only, and keeps stores off the network of providers', () => {
    const ports = Object.values(services).flatMap(({ ports: own = [] }) => own)
    expect(ports.every((port) => port.startsWith('127.0.0.1:'))).toBe(true)
    for (const name of ['postgres', 'valkey', 'backup', 'prometheus'])
      expect(services[name]?.networks.filter((one) => networks[one]?.internal !== true)).toEqual([])
  })

  it('waits for the end of streams', () => {
    const { times } = JSON.parse(readFileSync(composeFile('compose/headgate.config.json'), 'utf8'))
    const seconds = Number.parseInt(services['gateway-1']?.stop_grace_period ?? '', 10)
    expect(seconds * 1_000).toBeGreaterThanOrEqual(times.drain + times.shutdown + 15_000)
  })

  it('scrapes each gateway', () => {
    const { scrape_configs } = parse(readFileSync(composeFile('compose/prometheus.yaml'), 'utf8'))
    expect(scrape_configs[0].static_configs[0].targets).toEqual(GATEWAYS.map((name) => `${name}:8787`))
  })
})

interface Place {
  readonly postgres: string
  readonly valkey: string
}

/** Starts a program until the end of the test. */
function launch(
  command: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  cwd: string,
): ChildProcess {
  const child = spawn(command, args, { cwd, env: environment, stdio: ['ignore', 'ignore', 'pipe'] })
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  })
  return child
}

/** Environment of a service, with the addresses of processes instead of containers. */
function environmentOf(name: string, { postgres, valkey }: Place): Record<string, string> {
  const { services } = readCompose(VARIABLES)
  const pairs = Object.entries(services[name]?.environment ?? {}).map(([variable, value]) => [
    variable,
    String(value).replace('postgres:5432', postgres).replace('valkey:6379', valkey),
  ])
  return Object.assign(Object.fromEntries(pairs), { PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE })
}

async function startGatewayProcess(name: string, place: Place): Promise<{ child: ChildProcess; address: string }> {
  const folder = temporaryFolder({})
  const port = await freePort()
  const own = {
    HEADGATE_CONFIG: composeFile('compose/headgate.config.json'),
    HEADGATE_DATA_DIR: join(folder, 'data'),
    HOST: '127.0.0.1',
    PORT: String(port),
  }
  const { command = [] } = readCompose(VARIABLES).services[name] ?? {}
  const environment = Object.assign(environmentOf(name, place), own)
  const child = launch(process.execPath, [...PROGRAM, ...command], environment, folder)
  if (!child.stderr) throw new TypeError('The program has no output.')
  const output = text(child.stderr)
  await vi.waitUntil(async () => child.exitCode !== null || (await isReady(port)), { timeout: 120_000, interval: 100 })
  if (child.exitCode !== null) throw new Error(await output)
  return { child, address: `127.0.0.1:${port}` }
}

function isReady(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  )
}

/** Starts the stores with the arguments of the Compose file. Undefined if a program is missing. */
async function startStores(): Promise<Place | undefined> {
  const { services } = readCompose(VARIABLES)
  const settings = (services['postgres']?.command ?? []).filter((word) => word.includes('='))
  expect(settings).toContain('max_connections=300')
  const postgres = await startPostgres(settings)
  if (!postgres) return undefined
  onTestFinished(() => postgres.remove())
  postgres.database('headgate')
  const valkey = await startRedis({ args: services['valkey']?.command?.slice(1) ?? [] })
  if (!valkey) return undefined
  onTestFinished(() => valkey.remove())
  return { postgres: new URL(postgres.url).host, valkey: `127.0.0.1:${valkey.port}` }
}

function startBalancer(program: string, port: number, addresses: readonly string[]): ChildProcess {
  const variables = Object.fromEntries(addresses.map((address, index) => [`GATEWAY_${index + 1}`, address]))
  const environment = Object.assign({ LISTEN: `127.0.0.1:${port}` }, variables)
  return launch(program, ['-W', '-db', '-f', composeFile('compose/haproxy.cfg')], environment, temporaryFolder({}))
}

const missing = (what: string): string => `${what} is not installed: the services of Compose are not started here`

describe('The services of the Compose file, as processes', () => {
  it(
    'serve through HAProxy, are scraped, restart without a failed request, and are backed up',
    FULL,
    async (context) => {
      const haproxy = findProgram('haproxy')
      if (haproxy === undefined) return context.skip(missing('HAProxy'))
      const place = await startStores()
      if (!place) return context.skip(missing('Postgres or Redis'))
      // As the job of the chart before an upgrade.
      expect(await runCommand(['store', 'migrate'], place)).toMatch(/^The store has the tables of headgate /)
      const gateways = await Promise.all(GATEWAYS.map((name) => startGatewayProcess(name, place)))
      const port = await freePort()
      startBalancer(
        haproxy,
        port,
        gateways.map(({ address }) => address),
      )
      const url = `http://127.0.0.1:${port}`
      await vi.waitUntil(() => isReady(port), { timeout: 30_000, interval: 50 })

      const key = await createKey(place)
      const chat = () => chatThrough(url, key)
      expect(await Promise.all([chat(), chat(), chat(), chat(), chat(), chat()])).toEqual(
        Array.from({ length: 6 }, () => 200),
      )
      for (const { address } of gateways) {
        const metrics = await readMetrics(address, VARIABLES.METRICS_KEY)
        expect(metrics.status).toBe(200)
        expect(metrics.body).toContain('headgate_rates_shared 1')
      }
      expect((await readMetrics(gateways[0]?.address ?? '', 'sk-wrong-key')).status).toBe(401)
      expect(await chatThrough(url, VARIABLES.METRICS_KEY)).toBe(403)

      const [first] = gateways
      const ended = first && once(first.child, 'exit')
      first?.child.kill('SIGTERM')
      const answers: number[] = []
      while (first?.child.exitCode === null) answers.push(await chat())
      expect(await ended).toEqual([0, null])
      expect(answers.length).toBeGreaterThan(3)
      expect(answers.every((status) => status === 200)).toBe(true)

      await checkBackup(place)
    },
  )
})

/** Output of a command of the program, with the stores of the gateways. */
async function runCommand(words: readonly string[], place: Place): Promise<string> {
  const child = spawn(process.execPath, [...PROGRAM, ...words], {
    cwd: temporaryFolder({}),
    env: environmentOf('gateway-1', place),
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return text(child.stdout)
}

async function createKey(place: Place): Promise<string> {
  const [key = ''] = /hg_\S+|sk-\S+/.exec(await runCommand(['keys', 'create', '--name', 'caller'], place)) ?? []
  expect(key).not.toBe('')
  return key
}

async function chatThrough(url: string, key: string): Promise<number> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'demo', messages: [{ role: 'user', content: 'hello' }] }),
  })
  const body = await response.text()
  // The reason of a refusal that no one expects.
  if (response.status === 400) throw new Error(body)
  return response.status
}

async function readMetrics(address: string, key: string): Promise<{ readonly status: number; readonly body: string }> {
  const response = await fetch(`http://${address}/metrics`, { headers: { authorization: `Bearer ${key}` } })
  return { status: response.status, body: await response.text() }
}

/** Runs the service `backup` three times with two dumps to keep, and restores the last one into another database. */
async function checkBackup(place: Place): Promise<void> {
  const folder = temporaryFolder({})
  const backups = join(folder, 'backups')
  mkdirSync(backups)
  const [host = '', port = ''] = place.postgres.split(':')
  const own = { PGHOST: host, PGPORT: port, BACKUP_FOLDER: backups, BACKUP_SECONDS: '0', BACKUP_KEEP: '2' }
  const environment = Object.assign(environmentOf('backup', place), own)
  const run = (command: string, ...args: readonly string[]): string => {
    const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', env: environment })
    expect(status, stderr).toBe(0)
    return stdout
  }
  const script = composeFile('compose/backup.sh')
  const dumps = (): string[] => readdirSync(backups).sort()
  run('/bin/sh', script)
  const [first = ''] = dumps()
  expect(first).toMatch(/^headgate-\d{8}T\d{6}Z\.dump$/)
  const older = ['headgate-20200101T000000Z.dump', 'headgate-20200102T000000Z.dump']
  for (const name of older) copyFileSync(join(backups, first), join(backups, name))
  run('/bin/sh', script)
  expect(dumps()).toHaveLength(2)
  expect(dumps()).not.toContain(older[0])
  const newest = dumps()[1] ?? ''
  run('createdb', 'restored')
  run('pg_restore', '--no-owner', '--dbname', 'restored', join(backups, newest))
  expect(run('psql', '--dbname', 'restored', '-Atc', 'SELECT count(*) > 0 FROM keys').trim()).toBe('t')

  const broken = spawnSync('/bin/sh', [script], {
    encoding: 'utf8',
    env: Object.assign(environment, { PGDATABASE: 'absent' }),
  })
  expect([broken.status, dumps().length]).toEqual([1, 2])
}
