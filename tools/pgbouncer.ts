import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePort } from './postgres.ts'

/** PgBouncer in transaction mode for tests, on loopback. */
export interface PgBouncer {
  /** URL of a database of the server through PgBouncer. */
  urlOf(databaseUrl: string): string
  /** Stops it and removes its folder. */
  remove(): Promise<void>
}

export interface PgBouncerOptions {
  /** Connections to the server for each database; default 4. */
  readonly connections?: number
}

/** User id to run as instead of root, which PgBouncer rejects. */
const NOBODY = 65_534

/** Starts the installed PgBouncer in front of a Postgres server. Undefined if it is not installed. */
export async function startPgBouncer(
  serverUrl: string,
  { connections = 4 }: PgBouncerOptions = {},
): Promise<PgBouncer | undefined> {
  const program = findProgram()
  if (!program) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'headgate-pgbouncer-'))
  const port = await freePort()
  const file = join(folder, 'pgbouncer.ini')
  writeFileSync(file, configOf(new URL(serverUrl), port, connections))
  const isRoot = process.getuid?.() === 0
  if (isRoot) for (const path of [folder, file]) chownSync(path, NOBODY, NOBODY)
  const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {}
  const child = spawn(program, [file], { ...user, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
  await isUp(child)
  return {
    urlOf(databaseUrl) {
      const url = new URL(databaseUrl)
      url.hostname = '127.0.0.1'
      url.port = String(port)
      return url.href
    },
    async remove() {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function findProgram(): string | undefined {
  const folders = ['/usr/sbin', ...(process.env['PATH'] ?? '').split(delimiter)]
  return folders.map((folder) => join(folder, 'pgbouncer')).find((path) => existsSync(path))
}

/** Every client is the server's user, without a password. */
function configOf({ hostname, port, username, password }: URL, ownPort: number, connections: number): string {
  const secret = password === '' ? '' : ` password=${decodeURIComponent(password)}`
  return `[databases]
* = host=${hostname} port=${port || 5432} user=${decodeURIComponent(username)}${secret}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${ownPort}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${connections}
max_client_conn = 200
`
}

/** Resolves when PgBouncer accepts connections. Rejects if it ends. */
async function isUp(child: ChildProcess): Promise<void> {
  const lines: string[] = []
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  child.once('error', reject)
  child.once('exit', () => reject(new Error(`PgBouncer ended: ${lines.join('\n')}`)))
  if (child.stderr)
    createInterface({ input: child.stderr }).on('line', (line) => {
      lines.push(line)
      if (line.includes('process up')) resolve()
    })
  await promise
}
