import { startHeadgate } from './headgate.ts'
import { load, median } from './load.ts'
import { childrenOf, cpuOf, type Measured } from './process.ts'
import { largeTranslated } from './scenarios.ts'
import { root, withStarted } from './started.ts'

const ROUNDS = 7
const REQUESTS = 300
const CONNECTIONS = 64
/** Minimum throughput of two workers, in multiples of one. */
const GOAL = 1.6

/** Measures the translated bodies of 1 MB per second of one worker and of several, in turn, on all cores. */
export async function benchWorkers([count = '2']: readonly string[]): Promise<void> {
  const workers = Number(count)
  await withStarted(async ({ origin, start }) => {
    const one = await start(startHeadgate(root, origin))
    const several = await start(startHeadgate(root, origin, { environment: { HEADGATE_WORKERS: count } }))
    for (const target of [one, several]) await measure(target)
    const served: number[] = []
    const capacity: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const [single, multiple] = [await measure(one), await measure(several)]
      served.push(multiple.perSecond / single.perSecond)
      capacity.push(single.busiest / multiple.busiest)
      process.stdout.write(`1 worker: ${told(single)}; ${workers} workers: ${told(multiple)}\n`)
    }
    process.stdout.write(
      `${workers} workers serve ${median(served).toFixed(2)} x the throughput of one on this machine, where load and upstream share the cores.\n` +
        `According to CPU time, with one core each, they would serve ${median(capacity).toFixed(2)} x (goal for 2: ${GOAL}).\n`,
    )
  })
}

interface Round {
  readonly perSecond: number
  /**
   * CPU time of the busiest process per request of all processes, in microseconds: the bottleneck with enough cores.
   */
  readonly busiest: number
}

async function measure({ pid, port }: Measured): Promise<Round> {
  const pids = [pid, ...childrenOf(pid)]
  const before = pids.map((one) => cpuOf(one).process)
  const start = performance.now()
  const { failures } = await load(port, largeTranslated, { requests: REQUESTS, connections: CONNECTIONS })
  const seconds = (performance.now() - start) / 1_000
  if (failures > 0) throw new Error(`${failures} of ${REQUESTS} requests failed`)
  return {
    perSecond: REQUESTS / seconds,
    busiest: Math.max(...pids.map((one, i) => cpuOf(one).process - (before[i] ?? 0))) / REQUESTS,
  }
}

function told({ perSecond, busiest }: Round): string {
  return `${perSecond.toFixed(0)} a second, ${busiest.toFixed(0)} µs of the busiest process per request`
}
