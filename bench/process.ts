import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'

/** Process that is measured, or that serves the measurement. */
export interface Measured {
  readonly pid: number
  readonly port: number
  stop(): Promise<void>
}

/** Free port of this machine. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      const port = typeof address === 'object' && address ? address.port : 0
      server.close(() => resolve(port))
    })
  })
}

function stopper(child: ChildProcess): () => Promise<void> {
  return () =>
    new Promise((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null) {
        resolve()
        return
      }
      const hard = setTimeout(() => child.kill('SIGKILL'), 5_000)
      child.once('exit', () => {
        clearTimeout(hard)
        resolve()
      })
      child.kill('SIGTERM')
    })
}

/** Starts `node ...args`. Resolves with the port that it prints (`listening <port>`), or at which `probe` succeeds. */
export async function startNode(
  args: readonly string[],
  options: { env?: Record<string, string>; cwd?: string; port?: number; probe?: string } = {},
): Promise<Measured> {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...options.env },
    cwd: options.cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let log = ''
  const port = await new Promise<number>((resolve, reject) => {
    const deadline = setTimeout(() => reject(new Error(`${args[0]} did not start in 20 s:\n${log}`)), 20_000)
    const done = (found: number): void => {
      clearTimeout(deadline)
      clearInterval(poll)
      resolve(found)
    }
    const poll = setInterval(() => {
      if (options.port === undefined) return
      fetch(`http://127.0.0.1:${options.port}${options.probe ?? '/'}`).then(
        (answer) => answer.arrayBuffer().then(() => done(options.port ?? 0)),
        () => {},
      )
    }, 100)
    const read = (chunk: Buffer): void => {
      log = `${log}${chunk.toString()}`.slice(-4_000)
      const printed = /listening (\d+)/.exec(log)
      if (options.port === undefined && printed) done(Number(printed[1]))
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    child.once('exit', (code) => reject(new Error(`${args[0]} ended with ${code}:\n${log}`)))
  })
  return { pid: child.pid ?? 0, port, stop: stopper(child) }
}

/** Microseconds per clock tick of `/proc`. */
const TICK_US = 1_000_000 / 100

/** CPU time so far, user and system, in microseconds. */
export interface Cpu {
  readonly process: number
  /** CPU time of the main thread. */
  readonly main: number
}

export function cpuOf(pid: number): Cpu {
  return { process: spent(`/proc/${pid}/stat`), main: spent(`/proc/${pid}/task/${pid}/stat`) }
}

function spent(file: string): number {
  const stat = readFileSync(file, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_US
}

/** Running child processes of a process. */
export function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((one) => one > 0 && parentOf(one) === pid)
}

/** Parent of a process. Undefined if it has ended. */
function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return undefined
  }
}

/** Resident memory of a process in megabytes. */
export function memoryOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
}
