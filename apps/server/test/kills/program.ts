import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { API_KEY } from '../sdk/gateway.ts'
import { BUILT, NODE_COMPILE_CACHE, PROGRAM } from '../tested.ts'

export interface VictimOptions {
  /** Where it is started, with its configuration. */
  readonly folder: string
  readonly workers: number
  /** Where it listens; by default it picks a free port. */
  readonly port?: number
  /** The program as it ships, whatever is tested. */
  readonly built?: boolean
  /** What is started, by default what is tested: arguments of Node. */
  readonly program?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
}

/** The program in a group of processes of its own. */
export interface Victim {
  readonly url: string
  /** Ids of the workers that live now; none of a program that is one process. */
  workers(): number[]
  /** `kill -9` of all processes before it returns; resolves when none is left. */
  kill(): Promise<void>
  /** Ends it in order. Resolves with its exit code. */
  stop(): Promise<number | null>
  /** Lines of its log so far. */
  log(): string[]
}

/** A folder whose configuration names one upstream. */
export function victimFolder(
  origin: string,
  rest: object = {},
): { readonly path: string; readonly dataDir: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'headgate-'))
  const openai = { apiKey: 'key-of-the-provider', baseUrl: `${origin}/v1`, models: ['gpt-4.1'] }
  writeFileSync(join(path, 'headgate.config.json'), JSON.stringify({ keys: [API_KEY], providers: { openai }, ...rest }))
  return {
    path,
    dataDir: join(path, '.headgate'),
    remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 3 }),
  }
}

/** Starts the program on a free port. Rejects with what it said when it does not listen. */
export async function startVictim({
  folder,
  workers,
  port = 0,
  built = false,
  program = built ? BUILT : PROGRAM,
  environment,
}: VictimOptions): Promise<Victim> {
  const child = spawn(
    process.execPath,
    [...program, '--port', String(port), '--log-level', 'warn', '--workers', String(workers)],
    {
      cwd: folder,
      env: { PATH: `${dirname(process.execPath)}:${process.env['PATH']}`, NODE_COMPILE_CACHE, ...environment },
      detached: true,
    },
  )
  const { pid = 0, stdout, stderr } = child
  // Not before the last of its processes has let go of its output.
  const gone = once(child, 'close')
  let said = ''
  const kill = async (): Promise<void> => {
    try {
      process.kill(-pid, 'SIGKILL')
    } catch {
      // They are gone.
    }
    await gone
  }
  const url = await new Promise<string>((resolve, reject) => {
    const listen = (chunk: Buffer): void => {
      said += chunk.toString()
      const found = /listening +(\S+)/.exec(said)?.[1]
      if (found) resolve(found)
    }
    stdout.on('data', listen)
    stderr.on('data', listen)
    child.on('exit', () => reject(new Error(`The gateway did not start: ${said}`)))
  })
  return {
    url,
    workers: () => {
      const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
      return children.map(Number)
    },
    kill,
    async stop() {
      child.kill('SIGTERM')
      await gone
      return child.exitCode
    },
    log: () => said.split('\n').filter((line) => line.startsWith('{"level"')),
  }
}
