import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { BUILT, NODE_COMPILE_CACHE, PROGRAM } from '../../apps/server/test/tested.ts'
import { freePort } from '../process.ts'

export interface FleetNodeOptions {
  /** Contents of its configuration file. */
  readonly config: object
  readonly environment: Readonly<Record<string, string>>
  readonly workers: number
  /** True: the built program; false: what the tests use. */
  readonly isBuilt: boolean
}

/** Program with workers, in a separate process group and folder. Restarts keep folder and port. */
export interface FleetNode {
  readonly url: string
  readonly dataDir: string
  /** Ids of its processes: the primary process first. */
  processes(): readonly number[]
  start(): Promise<void>
  /** Sends a signal to one process, or to all of them. */
  signal(name: NodeJS.Signals, process?: number): void
  /** Kills all processes. Resolves when none is left. */
  kill(): Promise<void>
  /** Resolves when no process is left. */
  gone(): Promise<void>
  /** Shuts it down. Resolves with its exit code. */
  stop(): Promise<number | null>
  removeDisk(): void
  /** Lines of its log. */
  log(): readonly string[]
  /** Removes its folder. */
  remove(): void
}

interface RunningProgram {
  readonly pid: number
  readonly gone: Promise<number | null>
}

/** Maximum time of a start, in milliseconds. */
const STARTED = 60_000

export async function createFleetNode(options: FleetNodeOptions): Promise<FleetNode> {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-fleet-'))
  writeFileSync(join(folder, 'headgate.config.json'), JSON.stringify(options.config))
  const port = await freePort()
  const dataDir = join(folder, 'data')
  let running: RunningProgram | undefined
  let written = ''
  const signal = (name: NodeJS.Signals, one?: number): void => {
    if (!running) return
    try {
      process.kill(one ?? -running.pid, name)
    } catch {
      // It has ended.
    }
  }
  const node: FleetNode = {
    url: `http://127.0.0.1:${port}`,
    dataDir,
    processes: () => (running ? [running.pid, ...childrenOf(running.pid)] : []),
    async start() {
      running = await startProgram(folder, { ...options, port, dataDir }, (text) => {
        written += text
      })
    },
    signal,
    async kill() {
      signal('SIGKILL')
      await running?.gone
    },
    gone: async () => void (await running?.gone),
    async stop() {
      if (running) process.kill(running.pid, 'SIGTERM')
      return (await running?.gone) ?? null
    },
    removeDisk: () => rmSync(dataDir, { recursive: true, force: true, maxRetries: 3 }),
    log: () => written.split('\n').filter((line) => line.startsWith('{"level"')),
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }),
  }
  return node
}

async function startProgram(
  folder: string,
  {
    port,
    dataDir,
    environment,
    workers,
    isBuilt,
  }: FleetNodeOptions & { readonly port: number; readonly dataDir: string },
  onOutput: (text: string) => void,
): Promise<RunningProgram> {
  const program = isBuilt ? BUILT : PROGRAM
  const child = spawn(
    process.execPath,
    [...program, '--port', String(port), '--log-level', 'warn', '--workers', String(workers), '--no-print-key'],
    {
      cwd: folder,
      env: {
        PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
        NODE_COMPILE_CACHE,
        HEADGATE_DATA_DIR: dataDir,
        ...environment,
      },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  // The event `close` comes after the last process has closed the output.
  const gone = once(child, 'close').then(() => child.exitCode)
  let text = ''
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`A node did not start: ${text}`)), STARTED)
    const read = (chunk: Buffer): void => {
      const piece = chunk.toString()
      text = `${text}${piece}`.slice(-4_000)
      onOutput(piece)
      if (!/listening +\S+/.test(text)) return
      clearTimeout(timer)
      resolve()
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.once('exit', (code) => reject(new Error(`A node ended with ${code}: ${text}`)))
  })
  return { pid: child.pid ?? 0, gone }
}

function childrenOf(pid: number): readonly number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}
