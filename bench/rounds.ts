import { load, median, medianInterval, percentile, type Shot } from './load.ts'
import { cpuOf, type Measured, memoryOf } from './process.ts'
import type { Figure } from './report.ts'
import type { Scenario } from './scenarios.ts'

const ROUNDS = 9
/** Rounds that are not counted: V8 needs some 15,000 requests to compile everything. */
const WARM_UP = 3
const CONNECTIONS = 64

/** Target of a scenario, and the request to send. */
export interface Contender {
  readonly name: string
  readonly process: Measured
  readonly shot: Shot
}

/** Microseconds per request. */
interface Round {
  readonly cpu: number
  readonly main: number
  readonly latencies: number[]
}

/**
 * Maximum number of attempts. A round with a failed request does not count: a connection can close while it is reused.
 */
const TRIES = 3

async function round(contender: Contender, requests: number, tries = TRIES): Promise<Round> {
  const before = cpuOf(contender.process.pid)
  const { latencies, failures } = await load(contender.process.port, contender.shot, {
    requests,
    connections: CONNECTIONS,
  })
  const after = cpuOf(contender.process.pid)
  if (failures === 0)
    return { cpu: (after.process - before.process) / requests, main: (after.main - before.main) / requests, latencies }
  if (tries > 1) return round(contender, requests, tries - 1)
  throw new Error(`${contender.name}: ${failures} of ${requests} requests failed`)
}

/** Measures contenders in turn, round by round. The first one is the floor. */
export async function compare(scenario: Scenario, contenders: readonly Contender[]): Promise<Figure[]> {
  const rounds = new Map<Contender, Round[]>(contenders.map((contender) => [contender, []]))
  for (const contender of contenders) await round(contender, scenario.requests * WARM_UP)
  for (let i = 0; i < ROUNDS; i++) {
    for (const contender of contenders) rounds.get(contender)?.push(await round(contender, scenario.requests))
  }
  const [floor] = contenders
  const floors = (floor && rounds.get(floor)) ?? []
  return contenders.map((contender) => {
    const own = rounds.get(contender) ?? []
    const mainRatios = own.map((one, i) => one.main / (floors[i]?.main ?? Number.NaN))
    const latencies = own.flatMap((one) => one.latencies).sort((a, b) => a - b)
    const figure: Figure = {
      scenario: scenario.name,
      target: contender.name,
      cpu: median(own.map((one) => one.cpu)),
      ratio: median(own.map((one, i) => one.cpu / (floors[i]?.cpu ?? Number.NaN))),
      main: median(own.map((one) => one.main)),
      mainRatio: median(mainRatios),
      mainInterval: medianInterval(mainRatios),
      ...(contender.name === 'headgate' && { budget: scenario.budget }),
      p50: percentile(latencies, 50),
      p99: percentile(latencies, 99),
      memory: memoryOf(contender.process.pid),
    }
    process.stdout.write(
      `${scenario.name} · ${figure.target}: main thread ${figure.main.toFixed(0)} µs, ${figure.mainRatio.toFixed(2)} × ${floor?.name ?? ''}; process ${figure.cpu.toFixed(0)} µs, ${figure.ratio.toFixed(2)} ×\n`,
    )
    return figure
  })
}
