import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { median } from './load.ts'
import { cpuOf } from './process.ts'
import { root } from './started.ts'

const ROUNDS = 9
/** Maximum milliseconds until the program is ready. */
const GOAL = 1_000

/** Measures the start of the built program with many installed adapters without configuration, compared with none. */
export async function benchStart([count = '75']: readonly string[]): Promise<void> {
  const folders = [projectWith(0), projectWith(Number(count))]
  try {
    for (const folder of folders) await started(folder)
    const rounds: Start[][] = []
    for (let round = 0; round < ROUNDS; round++) {
      const here: Start[] = []
      for (const folder of folders) here.push(await started(folder))
      rounds.push(here)
    }
    const of = (index: number, what: keyof Start): string =>
      median(rounds.map((round) => round[index]?.[what] ?? 0)).toFixed(0)
    process.stdout.write(
      `Ready with ${count} adapters that are not configured after ${of(1, 'ready')} ms (goal: ${GOAL}), `,
    )
    process.stdout.write(
      `${of(1, 'cpu')} ms of CPU; with none of them after ${of(0, 'ready')} ms, ${of(0, 'cpu')} ms of CPU.\n`,
    )
  } finally {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  }
}

/** Milliseconds. */
interface Start {
  readonly ready: number
  readonly cpu: number
}

async function started(cwd: string): Promise<Start> {
  const begun = performance.now()
  const child = spawn(process.execPath, [join(root, 'apps/server/dist/cli.js'), '--port', '0'], {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', HEADGATE_API_KEYS: 'sk-local', NODE_COMPILE_CACHE: join(cwd, '.compiled') },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  try {
    const url = await addressOf(child.stderr)
    while (!(await fetch(`${url}/readyz`)).ok);
    return { ready: performance.now() - begun, cpu: cpuOf(child.pid ?? 0).process / 1_000 }
  } finally {
    child.kill('SIGTERM')
    await text(child.stderr)
  }
}

async function addressOf(output: Readable): Promise<string> {
  let said = ''
  for await (const chunk of output.iterator({ destroyOnReturn: false })) {
    said += chunk
    const address = /listening +(\S+)/.exec(said)?.[1]
    if (address) return address
  }
  throw new Error(`The program did not start: ${said}`)
}

/** Creates a project with many adapters, as `pnpm new` creates them. */
function projectWith(count: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-start-'))
  write(join(folder, 'package.json'), { private: true, headgate: { adapters: ['adapters/*'] } })
  for (let index = 0; index < count; index++) {
    const id = `acme-${index}`
    const env = { apiKey: [`ACME_${index}_API_KEY`], baseUrl: [`ACME_${index}_BASE_URL`] }
    mkdirSync(join(folder, 'adapters', id), { recursive: true })
    write(join(folder, 'adapters', id, 'package.json'), {
      name: `headgate-provider-${id}`,
      version: '1.0.0',
      type: 'module',
      exports: './index.js',
      headgate: { adapter: 'provider', id, title: id, env, requires: ['apiKey'] },
    })
  }
  return folder
}

function write(file: string, content: object): void {
  writeFileSync(file, JSON.stringify(content))
}
