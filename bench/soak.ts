import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createRandom } from '../packages/gateway/test/faults/random.ts'
import { startUpstream } from '../packages/gateway/test/faults/upstream.ts'
import { freePort } from './process.ts'
import { createTraffic, playSoak, soakConfig } from './soak-traffic.ts'

const MINUTES = 20
const RATE = 40
/** Minutes until everything is compiled, and pools and caches have reached their size; a quarter of a short run. */
const WARM_UP_MINUTES = 5
const SAMPLE_MS = 20_000
/** Maximum growth of memory in megabytes per ten minutes. */
const BUDGET = 1

const root = resolve(import.meta.dirname, '..')
const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms))

/** Memory of the program after a full collection, in megabytes. */
interface Sample {
  readonly minutes: number
  /** Heap and external memory. */
  readonly used: number
  readonly resident: number
}

async function measure(child: ChildProcess, minutes: number): Promise<Sample> {
  const answered = once(child, 'message')
  child.send('measure')
  const [memory] = (await answered) as [NodeJS.MemoryUsage]
  return { minutes, used: (memory.heapUsed + memory.external) / 2 ** 20, resident: memory.rss / 2 ** 20 }
}

/** Megabytes per ten minutes: the slope of the regression line. */
function growthOf(samples: readonly Sample[]): number {
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
  const [time, used] = [mean(samples.map((one) => one.minutes)), mean(samples.map((one) => one.used))]
  const rise = samples.reduce((sum, one) => sum + (one.minutes - time) * (one.used - used), 0)
  const run = samples.reduce((sum, one) => sum + (one.minutes - time) ** 2, 0)
  return (10 * rise) / run
}

async function startProgram(
  folder: string,
  origin: string,
): Promise<{ child: ChildProcess; port: number; log: () => string }> {
  const file = join(folder, 'headgate.config.json')
  writeFileSync(file, JSON.stringify(soakConfig(origin)))
  const port = await freePort()
  const probe = join(root, 'bench/memory-probe.ts')
  const child = spawn(process.execPath, ['--expose-gc', '--import', probe, join(root, 'apps/server/dist/cli.js')], {
    cwd: root,
    env: {
      PATH: process.env['PATH'] ?? '',
      HEADGATE_CONFIG: file,
      HEADGATE_DATA_DIR: join(folder, 'data'),
      PORT: String(port),
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let log = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (log = `${log}${chunk}`.slice(-4_000)))
  for (let tries = 0; tries < 200; tries++) {
    if (child.exitCode !== null) break
    const ready = await fetch(`http://127.0.0.1:${port}/readyz`).then(
      (answer) => answer.ok,
      () => false,
    )
    if (ready) return { child, port, log: () => log }
    await pause(100)
  }
  child.kill('SIGKILL')
  throw new Error(`The program did not start:\n${log}`)
}

/**
 * Calls the built program 40 times a second in all formats, `pnpm bench soak [20]`, for a number of minutes, and
 * monitors its memory. Exits with 1 if it grows, if a call hangs, or if the program does not exit properly.
 */
export async function benchSoak(args: readonly string[]): Promise<void> {
  const minutes = Number(args[0] ?? MINUTES)
  if (!(minutes > 0)) throw new Error(`"${args[0]}" is not a number of minutes.`)
  const warmUp = Math.min(WARM_UP_MINUTES, minutes / 4)
  const folder = mkdtempSync(join(tmpdir(), 'headgate-soak-'))
  const upstream = await startUpstream()
  playSoak(upstream, createRandom(1))
  const { child, port, log } = await startProgram(folder, `http://127.0.0.1:${upstream.port}`)
  const traffic = createTraffic(port, createRandom(2))
  const samples: Sample[] = []
  const start = performance.now()
  const elapsed = (): number => (performance.now() - start) / 60_000
  try {
    console.log('minute   heap and external MB   resident MB')
    while (elapsed() < minutes && child.exitCode === null) {
      const began = performance.now()
      for (let sent = 0; performance.now() - began < SAMPLE_MS; ) {
        for (; sent < ((performance.now() - began) * RATE) / 1_000; sent++) traffic.send()
        await pause(10)
      }
      await traffic.quiet()
      // The gateway reads the rest of abandoned upstream responses for up to two seconds.
      await pause(2_500)
      const sample = await measure(child, elapsed())
      samples.push(sample)
      console.log(
        `${sample.minutes.toFixed(1).padStart(6)}   ${sample.used.toFixed(2).padStart(20)}   ${sample.resident.toFixed(0).padStart(11)}`,
      )
    }
  } finally {
    traffic.close()
    child.kill('SIGTERM')
    if (child.exitCode === null)
      await Promise.race([once(child, 'exit'), pause(40_000).then(() => child.kill('SIGKILL'))])
    await upstream.close()
    rmSync(folder, { recursive: true, force: true })
  }
  judge(
    samples.filter((sample) => sample.minutes >= warmUp),
    { tally: traffic.tally, code: child.exitCode, log: log() },
  )
}

function judge(
  samples: readonly Sample[],
  end: { tally: ReadonlyMap<string, number>; code: number | null; log: string },
): void {
  const growth = growthOf(samples)
  const ends = [...end.tally].sort(([, a], [, b]) => b - a).map(([what, count]) => `${count} × ${what}`)
  console.log(`calls: ${ends.join(', ')}`)
  const problems = [
    ...(samples.length < 3 ? ['the run was too short'] : []),
    ...(growth < BUDGET ? [] : [`memory grows by ${growth.toFixed(2)} MB in 10 minutes`]),
    ...(end.tally.has('hung') ? [`${end.tally.get('hung')} calls did not end`] : []),
    ...(end.code === 0 ? [] : [`the program ended with ${end.code}:\n${end.log}`]),
  ]
  console.log(`growth after the warm-up: ${growth.toFixed(2)} MB in 10 minutes (budget: ${BUDGET})`)
  for (const problem of problems) console.log(`failed: ${problem}`)
  if (problems.length > 0) process.exitCode = 1
}
