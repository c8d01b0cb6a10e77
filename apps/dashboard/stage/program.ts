import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as passed } from 'node:timers/promises'

const CLI = resolve(import.meta.dirname, '../../server/dist/cli.js')
/** How long a start may take on a machine that does much else, in milliseconds. */
const STARTED = 60_000

/** The built program, in a folder of its own. */
export interface Program {
  /** As browsers know it. */
  readonly origin: string
  /** Where it listens; differs from `origin` if the configuration has a public URL. */
  readonly address: string
  readonly folder: string
  /** The page of the first account. */
  readonly firstLink: string
  /** The key of the first start; empty if the store was filled before. */
  readonly firstKey: string
  /** Ends it, and removes its folder. */
  stop(): Promise<void>
}

/**
 * Starts the built program on a free port.
 * @param prepare what is in its folder before.
 * @param folder an empty one, which is removed at the end; default: one for temporary files.
 */
export async function startProgram(
  config: object,
  prepare: (folder: string) => Promise<void> = async () => {},
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'headgate-browser-'))),
): Promise<Program> {
  if (!existsSync(CLI))
    throw new Error('The program is not built, and the built one is what browsers are shown: run `pnpm build`.')
  mkdirSync(join(folder, '.headgate'), { recursive: true, mode: 0o700 })
  writeFileSync(join(folder, 'headgate.config.json'), JSON.stringify(config))
  await prepare(folder)
  const child = spawn(process.execPath, [CLI, '--port', '0', '--no-print-key', '--log-level', 'warn'], {
    cwd: folder,
    env: { PATH: process.env['PATH'] },
  })
  let [out, error] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (error += text))
  const end = once(child, 'close')
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    const late = new AbortController()
    passed(20_000, undefined, { signal: late.signal }).then(
      () => child.kill('SIGKILL'),
      () => {},
    )
    await end
    late.abort()
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
  const isUp = (): boolean => /listening +\S+/.test(error) && /first-account-link|users first-link/.test(error)
  await new Promise<void>((resolve) => {
    const late = setTimeout(resolve, STARTED)
    const done = (): void => {
      clearTimeout(late)
      resolve()
    }
    child.stderr.on('data', () => isUp() && done())
    child.once('close', done)
  })
  if (!isUp()) {
    await stop()
    throw new Error(`The program did not start: ${out}${error}`)
  }
  const dataDir = join(folder, '.headgate')
  const file = (name: string): string => {
    const path = join(dataDir, name)
    return existsSync(path) ? readFileSync(path, 'utf8').trim() : ''
  }
  // A store that was filled before has no first start.
  const command = [CLI, 'users', 'first-link', '--data-dir', dataDir]
  const firstLink =
    file('first-account-link') ||
    (/http\S+/.exec(execFileSync(process.execPath, command, { cwd: folder, encoding: 'utf8' }))?.[0] ?? '')
  const address = `http://${/listening +(?:https?:\/\/)?([^\s/]+)/.exec(error)?.[1] ?? ''}`
  return { origin: new URL(firstLink).origin, address, folder, firstLink, firstKey: file('first-api-key'), stop }
}
