import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { chmodSync, chownSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

/** Postgres server for tests, on loopback, in a separate folder. */
export interface PostgresServer {
  /** URL in the form of DATABASE_URL. */
  readonly url: string
  /** Creates a database and returns its URL. */
  database(name: string): string
  /** Stops it immediately, as in a power failure: connections break. */
  stop(): void
  start(): void
  /** Id of its first process while it runs. */
  pid(): number
  /** Stops it and removes its folder. */
  remove(): void
}

/** User id to run as instead of root, which Postgres rejects. */
const NOBODY = 65_534
/** Ports that systems do not assign automatically, so that a restarted server finds its port free. */
const PORTS = [20_000, 30_000] as const
/** Number of attempts, because another process can take a port meanwhile. */
const TRIES = 5

/**
 * Starts the installed Postgres. Undefined if it is not installed.
 * @param settings further settings, such as `max_connections=300`; default: none
 */
export async function startPostgres(settings: readonly string[] = []): Promise<PostgresServer | undefined> {
  const programs = findPrograms()
  if (!programs) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'headgate-postgres-'))
  const isRoot = process.getuid?.() === 0
  if (isRoot) chownSync(folder, NOBODY, NOBODY)
  chmodSync(folder, 0o700)
  let port = 0
  const [data, log] = [join(folder, 'data'), join(folder, 'log')]
  const run = (program: string, ...args: readonly string[]): void => {
    const command = [join(programs, program), ...args]
    const user = String(NOBODY)
    const [file = '', ...rest] = isRoot
      ? ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups', ...command]
      : command
    const { status, stderr, error } = spawnSync(file, rest, {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    if (status !== 0) throw new Error(`${program} failed: ${error?.message ?? stderr}`)
  }
  const start = (): void => {
    const own = ['listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`, 'fsync=off', ...settings]
    const options = `-p ${port} ${own.map((setting) => `-c ${setting}`).join(' ')}`
    try {
      run('pg_ctl', '-D', data, '-w', '-o', options, '-l', log, 'start')
    } catch (error) {
      throw new Error(
        `${error instanceof Error ? error.message : error}${existsSync(log) ? readFileSync(log, 'utf8') : ''}`,
      )
    }
  }
  const stop = (): void => run('pg_ctl', '-D', data, '-w', '-m', 'immediate', 'stop')
  run('initdb', '--no-sync', '-A', 'trust', '-U', 'headgate', '-E', 'UTF8', '-D', data)
  for (let tries = 1; port === 0; tries += 1) {
    port = await freePort()
    try {
      start()
    } catch (error) {
      if (tries === TRIES) throw error
      port = 0
    }
  }
  const urlOf = (name: string): string => `postgres://headgate@127.0.0.1:${port}/${name}`
  return {
    url: urlOf('postgres'),
    database(name) {
      run('createdb', '-h', '127.0.0.1', '-p', String(port), '-U', 'headgate', name)
      return urlOf(name)
    },
    stop,
    start,
    pid: () => Number.parseInt(readFileSync(join(data, 'postmaster.pid'), 'utf8'), 10),
    remove() {
      try {
        stop()
      } catch {
        // It was already stopped.
      }
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Newest version of Debian's packages, otherwise the programs in the path. */
function findPrograms(): string | undefined {
  const debian = globSync('/usr/lib/postgresql/*/bin').sort(
    (a, b) => Number.parseInt(b.split('/')[4] ?? '', 10) - Number.parseInt(a.split('/')[4] ?? '', 10),
  )
  const path = (process.env['PATH'] ?? '').split(delimiter)
  return [...debian, ...path].find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'pg_ctl')))
}

/** Free port of the loopback interface that systems do not assign automatically: it stays free for a restart. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(...PORTS)
    const server = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false))
      server.listen(port, '127.0.0.1', () => resolve(true))
    })
    if (!isFree) continue
    await new Promise((resolve) => server.close(resolve))
    return port
  }
}
