import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { freePort } from './postgres.ts'

/** Redis server for tests, on loopback, in a separate folder, without persistence. */
export interface RedisServer {
  /** URL in the form of HEADGATE_REDIS_URL. */
  readonly url: string
  readonly port: number
  /** Id of its process while it runs. */
  pid(): number
  /** Stops answering, while connections stay open (SIGSTOP). */
  pause(): void
  /** Continues after `pause` (SIGCONT). */
  resume(): void
  /** Kills it, as in a power failure: connections break, and its data are lost. */
  kill(): Promise<void>
  /** Starts it again after `kill`, empty, on the same port. */
  start(): Promise<void>
  /** Kills it and removes its folder. */
  remove(): Promise<void>
}

export interface RedisServerOptions {
  /** Further arguments, such as `['--requirepass', 'secret']`. */
  readonly args?: readonly string[] | undefined
  /** Port; default: a free one. */
  readonly port?: number | undefined
  /** Starts a Sentinel of the server on this port, which it calls `main`. Default: a server. */
  readonly sentinelOf?: number | undefined
}

/** Number of attempts, because another process can take a port meanwhile. */
const TRIES = 5

/** Starts the installed Redis. Undefined if it is not installed. */
export async function startRedis(options: RedisServerOptions = {}): Promise<RedisServer | undefined> {
  const { args = [], port: given, sentinelOf } = options
  const program = findProgram('redis-server')
  if (program === undefined) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'headgate-redis-'))
  let child: ChildProcess | undefined
  let port = given ?? 0

  const start = async (): Promise<void> => {
    const own = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, ...args]
    child = await launch(
      program,
      sentinelOf === undefined
        ? [...own, '--save', '', '--appendonly', 'no']
        : [sentinelFile(folder, sentinelOf), '--sentinel', ...own],
    )
  }
  const kill = async (): Promise<void> => {
    const ending = child
    child = undefined
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return
    const ended = once(ending, 'exit')
    ending.kill('SIGKILL')
    await ended
  }
  for (let tries = 1; child === undefined; tries += 1) {
    port = given ?? (await freePort())
    try {
      await start()
    } catch (error) {
      if (tries === TRIES) throw error
    }
  }
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    pid: () => child?.pid ?? 0,
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    kill,
    start,
    async remove() {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Writes the configuration of a Sentinel, which changes the file itself. */
function sentinelFile(folder: string, port: number): string {
  const file = join(folder, 'sentinel.conf')
  writeFileSync(file, `sentinel monitor main 127.0.0.1 ${port} 1\n`)
  return file
}

/** Starts a server, and resolves when it accepts connections. Its end with this process is certain. */
async function launch(program: string, args: readonly string[]): Promise<ChildProcess> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'] })
  const end = (): void => void child.kill('SIGKILL')
  process.once('exit', end)
  child.once('exit', () => process.off('exit', end))
  let log = ''
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>()
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    log += piece
    if (/Ready to accept connections|Sentinel ID is/.test(log)) resolve()
  })
  child.once('error', reject)
  child.once('exit', () => reject(new Error(`redis-server ended: ${log}`)))
  await ready
  return child
}

function findProgram(name: string): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((file) => existsSync(file))
}
