import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

/** Runtimes stay from run to run: 100 MB each. */
const FOLDER = resolve(import.meta.dirname, '../../../../node_modules/.cache/headgate-runtimes')

/** npm packages by runtime. esbuild bundles a Worker, as Cloudflare's tool does. */
export const PACKAGES = {
  bun: { bun: '1.4.5' },
  workerd: { workerd: '1.20261117.1', esbuild: '0.28.2' },
} as const

export const RUNTIMES = ['bun', 'workerd'] as const
export type Runtime = (typeof RUNTIMES)[number]

/**
 * Installs a runtime from npm where it is missing. Returns the folder of its commands; undefined, after one line, where
 * npm cannot install it.
 */
export function installRuntime(runtime: Runtime): string | undefined {
  const packages = Object.entries(PACKAGES[runtime]).map((one) => one.join('@'))
  const folder = join(FOLDER, packages.join('+'))
  const commands = join(folder, 'node_modules/.bin')
  try {
    if (!existsSync(join(commands, runtime))) {
      mkdirSync(folder, { recursive: true })
      const args = [
        'install',
        '--prefix',
        folder,
        '--no-audit',
        '--no-fund',
        '--no-save',
        '--loglevel=error',
        ...packages,
      ]
      execFileSync('npm', args, { stdio: 'ignore', timeout: 280_000 })
    }
    execFileSync(join(commands, runtime), ['--version'], { stdio: 'ignore' })
    return commands
  } catch {
    process.stderr.write(`${packages.join(' ')} cannot be installed from npm here: its tests are left out.\n`)
    return undefined
  }
}

/** A program that serves in a runtime. */
export interface RunningProgram {
  readonly url: string
  stop(): Promise<void>
}

/**
 * Starts a program on a free port: a module whose default export is a Worker. Its settings are variables in Bun,
 * bindings in workerd.
 */
export async function startRuntime(
  runtime: Runtime,
  commands: string,
  program: string,
  settings: Readonly<Record<string, string>>,
): Promise<RunningProgram> {
  const folder = mkdtempSync(join(tmpdir(), `headgate-${runtime}-`))
  const args = runtime === 'bun' ? bunArguments(program) : workerdArguments(commands, folder, program, settings)
  const child = spawn(join(commands, runtime), args, {
    env: { PATH: process.env['PATH'], ...settings },
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
  })
  const exited = new Promise<void>((done) => child.once('exit', () => done()))
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL')
    await exited
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
  for await (const line of createInterface(child.stdio[3] as Readable)) {
    const { event, port } = JSON.parse(line)
    if (event === 'listen') return { url: `http://127.0.0.1:${port}`, stop }
  }
  await stop()
  throw new Error(`${runtime} ended before it listened.`)
}

function bunArguments(program: string): string[] {
  return ['--conditions=@headgate/source', join(import.meta.dirname, 'bun.ts'), program]
}

/** @see https://github.com/cloudflare/workerd/blob/main/src/workerd/server/workerd.capnp */
function workerdArguments(
  commands: string,
  folder: string,
  program: string,
  settings: Readonly<Record<string, string>>,
): string[] {
  const conditions = '--conditions=@headgate/source,workerd,worker,browser'
  const options = [
    '--bundle',
    '--format=esm',
    '--external:node:*',
    '--log-level=warning',
    `--outfile=${join(folder, 'worker.js')}`,
  ]
  execFileSync(join(commands, 'esbuild'), [program, conditions, ...options])
  const bindings = Object.entries(settings).map(([name, text]) => `(name = "${name}", text = ${JSON.stringify(text)})`)
  writeFileSync(
    join(folder, 'worker.capnp'),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .main), (name = "internet", network = (allow = ["public", "private"]))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
);
const main :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.js")],
  compatibilityDate = "2026-07-01",
  compatibilityFlags = ["nodejs_compat", "enable_request_signal"],
  bindings = [${bindings.join(', ')}]
);
`,
  )
  return ['serve', join(folder, 'worker.capnp'), '--control-fd=3']
}
