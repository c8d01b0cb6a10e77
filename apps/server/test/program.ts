import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname } from 'node:path'
import { text } from 'node:stream/consumers'
import { onTestFinished, vi } from 'vitest'
import { runCommandLine } from '../src/commands/line.ts'
import { NODE_COMPILE_CACHE, PROGRAM } from './tested.ts'

export interface ProgramOptions {
  readonly folder: string
  /** The program where it is installed; by default it is the one that is tested. */
  readonly program?: string
  readonly environment?: Readonly<Record<string, string>>
}

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

function launch(args: readonly string[], { folder, program, environment }: ProgramOptions): ChildProcess {
  const PATH = `${dirname(process.execPath)}:${process.env['PATH']}`
  const [command, first] = program === undefined ? [process.execPath, PROGRAM] : [program, []]
  const child = spawn(command, [...first, ...args], {
    cwd: folder,
    env: { PATH, NODE_COMPILE_CACHE, ...environment },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

/** Runs the program to its end. */
export async function run(args: readonly string[], options: ProgramOptions): Promise<Ended> {
  const { stdout, stderr, ...child } = pipes(launch(args, options))
  const [[code], out, error] = await Promise.all([child.exit, text(stdout), text(stderr)])
  return { code, stdout: out, stderr: error }
}

/** Runs the program until it has said something on standard error, then interrupts it as Ctrl+C does. */
export async function interrupt(args: readonly string[], said: RegExp, options: ProgramOptions): Promise<Ended> {
  const { child, exit, stdout, stderr } = pipes(launch(args, options))
  const out = text(stdout)
  let error = ''
  stderr.setEncoding('utf8').on('data', (chunk: string) => {
    const before = said.test(error)
    error += chunk
    if (!before && said.test(error)) child.kill('SIGINT')
  })
  const [code] = await exit
  return { code, stdout: await out, stderr: error }
}

/** Carries out a command that ends by itself as the program does, but in this process. */
export async function command(
  args: readonly string[],
  { folder, environment = {} }: Omit<ProgramOptions, 'program'>,
): Promise<Ended> {
  const written = { out: '', error: '' }
  const code = await runCommandLine({
    args,
    folder,
    environment,
    print: (text) => {
      written.out += text
    },
    note: (text) => {
      written.error += text
    },
  })
  return { code, stdout: written.out, stderr: written.error }
}

/** A gateway that was started, as a program or in the process of the test. */
export interface Started {
  readonly url: string
  /** Banner, first key and log so far: standard error, then standard output. */
  output(): string
  /** Standard output so far. */
  stdout(): string
  /** Lines of its log so far. */
  log(): Record<string, unknown>[]
  /** Makes it read its configuration again, as SIGHUP does. */
  reload(): void
  /** Ends it in order; resolves with the exit code of the program. */
  stop(): Promise<number | null>
}

/** A gateway that is a program. */
export interface Running extends Started {
  readonly child: ChildProcess
  /** Its exit code, and the signal that ended it. */
  readonly exit: Promise<[number | null, NodeJS.Signals | null]>
}

/** How long a start may take on a machine that does much else, in milliseconds. */
const STARTED = 120_000

/** Starts the gateway on a free port, and waits until it listens and `/readyz` says yes. */
export async function start(options: ProgramOptions & { readonly args?: readonly string[] }): Promise<Running> {
  const { child, exit, stdout, stderr } = pipes(launch(['--port', '0', ...(options.args ?? [])], options))
  const written = { out: '', error: '' }
  stdout.setEncoding('utf8').on('data', (chunk: string) => (written.out += chunk))
  stderr.setEncoding('utf8').on('data', (chunk: string) => (written.error += chunk))

  const address = () => /listening +(\S+)/.exec(written.error)?.[1]
  await vi.waitUntil(() => address() !== undefined || child.exitCode !== null, { timeout: STARTED })
  const url = address()
  if (!url) throw new Error(`The program did not start: ${written.out}${written.error}`)
  await vi.waitUntil(async () => (await fetch(`${url}/readyz`)).ok, { timeout: STARTED })

  return {
    url,
    child,
    exit,
    output: () => written.error + written.out,
    stdout: () => written.out,
    log: () => logLines(written.out),
    reload: () => void child.kill('SIGHUP'),
    stop: async () => {
      child.kill('SIGTERM')
      const [code] = await exit
      // Whoever looks at a failure sees no more than the code.
      if (code !== 0)
        process.stderr.write(`The program ended with ${code}: ${written.error}${written.out.slice(-2_000)}\n`)
      return code
    },
  }
}

/** Lines of a log in the output of a gateway. */
export function logLines(output: string): Record<string, unknown>[] {
  return output
    .split('\n')
    .filter((line) => line.startsWith('{"level"'))
    .map((line) => JSON.parse(line))
}

function pipes(child: ChildProcess) {
  const { stdout, stderr } = child
  if (!stdout || !stderr) throw new Error('The program has no output to read.')
  const exit = once(child, 'close').then(([code, signal]): [number | null, NodeJS.Signals | null] => [code, signal])
  return { child, exit, stdout, stderr }
}
