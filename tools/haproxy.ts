import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'

/** Program behind HAProxy. */
export interface HaproxyServer {
  /** Name in the configuration and in the states; letters, digits, `_`, `-`. */
  readonly name: string
  /** Port on the loopback interface. */
  readonly port: number
}

export interface HaproxyOptions {
  /** Port to listen on. */
  readonly port: number
  readonly servers: readonly HaproxyServer[]
  /** Interval of checks of `/readyz`, in milliseconds; default 1,000. */
  readonly interval?: number | undefined
}

/** HAProxy for tests, on loopback, in a separate folder. */
export interface Haproxy {
  readonly url: string
  /** States by name: `UP`, `DOWN`, or between them, such as `UP 1/2`. */
  states(): Promise<ReadonlyMap<string, string>>
  /** Uses other servers. Open connections continue. */
  reload(servers: readonly HaproxyServer[]): void
  /** Ends it immediately and removes its folder. */
  end(): Promise<void>
}

/** Longest stream, in seconds: HAProxy closes a silent connection after it. */
const STREAM = 900
/** Columns of a server's name and state in the CSV of `show stat`. */
const [NAME, STATUS] = [1, 17]

/**
 * Starts the installed HAProxy, with the settings of docs/operations.md. Undefined if it is not installed.
 * @throws Error with its output if it does not start
 */
export async function startHaproxy({ port, servers, interval = 1_000 }: HaproxyOptions): Promise<Haproxy | undefined> {
  const program = findProgram()
  if (!program) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'headgate-haproxy-'))
  const [file, socket] = [join(folder, 'haproxy.cfg'), join(folder, 'admin.sock')]
  const configure = (own: readonly HaproxyServer[]): void =>
    writeFileSync(file, configuration({ port, servers: own, interval }, socket))
  configure(servers)
  const child = spawn(program, ['-W', '-db', '-f', file], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  const [exit, output] = [once(child, 'exit'), text(child.stderr)]
  child.stdout.resume()
  try {
    await accepting(child, port)
  } catch (error) {
    child.kill('SIGKILL')
    await exit
    rmSync(folder, { recursive: true, force: true })
    throw new Error(`HAProxy did not start: ${await output}`, { cause: error })
  }
  return {
    url: `http://127.0.0.1:${port}`,
    states: () => statesAt(socket),
    reload(own) {
      configure(own)
      child.kill('SIGUSR2')
    },
    async end() {
      child.kill('SIGTERM')
      await exit
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function configuration({ port, servers, interval }: Required<HaproxyOptions>, socket: string): string {
  return `global
  maxconn 4000
  stats socket ${socket} mode 600 level admin
defaults
  mode http
  timeout connect 2s
  timeout client ${STREAM}s
  timeout server ${STREAM}s
  timeout http-keep-alive 60s
  timeout check 2s
  option httpchk GET /readyz
  option redispatch
  retries 3
  http-reuse safe
  default-server check inter ${interval}ms fall 2 rise 1
frontend callers
  bind 127.0.0.1:${port}
  default_backend headgate
backend headgate
  balance leastconn
${servers.map((server) => `  server ${server.name} 127.0.0.1:${server.port}\n`).join('')}`
}

/** Debian installs it outside of the path of ordinary users. */
function findProgram(): string | undefined {
  const path = (process.env['PATH'] ?? '').split(delimiter)
  return [...path, '/usr/sbin'].map((folder) => join(folder, 'haproxy')).find((file) => existsSync(file))
}

/** Resolves when a port accepts connections. @throws Error if the process ends before */
async function accepting(child: ChildProcess, port: number): Promise<void> {
  while (child.exitCode === null && child.signalCode === null) {
    const socket = connect(port, '127.0.0.1')
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (isOpen) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error(`It ended with ${child.exitCode ?? child.signalCode}.`)
}

async function statesAt(path: string): Promise<ReadonlyMap<string, string>> {
  const socket = connect(path)
  socket.write('show stat headgate 4 -1\n')
  const lines = (await text(socket)).split('\n').filter((line) => line.startsWith('headgate,'))
  return new Map(lines.map((line) => line.split(',')).map((cells) => [cells[NAME] ?? '', cells[STATUS] ?? '']))
}
