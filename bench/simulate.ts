import { parseArgs } from 'node:util'
import type { OutageReport } from './simulate/outages.ts'
import type { RateReport } from './simulate/rates.ts'
import { type SimulationSize, simulate } from './simulate/simulation.ts'

const SIZE: Omit<SimulationSize, 'seed'> = {
  nodes: 1_000,
  callers: 100_000,
  perSecond: 1_000,
  ratesMs: 120_000,
  providers: 60,
  callsPerSecond: 1_000,
  outageMs: 60_000,
  readsMs: 30_000,
}
const SEED = 1
/** Maximum unused part of a limit whose callers ask for more, and maximum reads of the store per second. */
const [UNUSED, READS] = [0.03, 2_000]
/** Maximum time until all nodes know a revocation, in milliseconds. */
const SPREAD = 1_000

/**
 * Simulates 1,000 nodes by virtual time, with the modules of the gateway and of the fleet: `pnpm bench simulate [1000]
 * [--seed N]`. Exits with 1 if a limit is exceeded, if more than 3 % of a saturated limit are unused, or if the nodes
 * read the store more than 2,000 times a second.
 */
export async function benchSimulate(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { seed: { type: 'string' } },
    allowPositionals: true,
  })
  const size: SimulationSize = {
    ...SIZE,
    nodes: Number(positionals[0] ?? SIZE.nodes),
    seed: Number(values.seed ?? SEED),
  }
  const before = process.cpuUsage()
  const { rates, away, outages, reads, events } = await simulate(size)
  const { user, system } = process.cpuUsage(before)
  const { nodes, callers, providers, seed } = size
  console.log(`seed ${seed}: ${nodes} nodes, ${callers} callers, ${providers} providers, ${events} events`)
  console.log(`CPU: ${((user + system) / 1e6).toFixed(0)} s`)
  console.log(`rates: ${rateText(rates)}`)
  console.log(`rates, shared store unreachable for 10 s: ${rateText(away)}`)
  for (const outage of outages) console.log(outageText(outage))
  console.log(
    `store: ${reads.readsPerSecond.toFixed(0)} reads a second, at most ${reads.peak} in one second; ` +
      `a revocation reaches all nodes after ${reads.spread.median.toFixed(0)} ms (median), at most ${reads.spread.most.toFixed(0)} ms`,
  )
  // Refused callers do not wait: places are idle until the next caller, also with a single node.
  const unused = Math.max(...[rates.unused.requests, rates.unused.tokens].filter((part) => !Number.isNaN(part)))
  const wrong = [
    ...(rates.over > 0 ? [`${rates.over} limits are exceeded`] : []),
    ...(unused > UNUSED
      ? [`${(unused * 100).toFixed(1)} % of a limit are unused, at most ${UNUSED * 100} % are allowed`]
      : []),
    ...(reads.readsPerSecond > READS ? [`more than ${READS} reads a second`] : []),
    ...(reads.spread.most > SPREAD ? [`a revocation takes more than ${SPREAD} ms`] : []),
  ]
  for (const one of wrong) console.log(`  ${one}`)
  if (wrong.length > 0) process.exitCode = 1
}

function rateText(report: RateReport): string {
  const { requests, admitted, over, mostOver, saturated, unused, exchangesPerSecond, exchangesPerLimit } = report
  const percent = (part: number): string => (Number.isNaN(part) ? 'no' : `${(part * 100).toFixed(1)} %`)
  return [
    `${requests} requests, ${admitted} admitted`,
    `${over} limits exceeded${over > 0 ? ` by at most ${percent(mostOver)}` : ''}`,
    `of ${saturated} saturated limits ${percent(unused.requests)} of requests, ${percent(unused.tokens)} of tokens and ${percent(unused.concurrent)} of places unused`,
    `${exchangesPerSecond.toFixed(0)} exchanges a second, ${exchangesPerLimit.toFixed(3)} per second and limit`,
  ].join('; ')
}

function outageText({ name, requests, failures, furtherCalls, load, peak, returnMs }: OutageReport): string {
  const percent = (part: number): string => `${(part * 100).toFixed(1)} %`
  return (
    `${name}: ${requests} requests, ${percent(failures / requests)} failed, ${(furtherCalls / requests).toFixed(2)} further calls each; ` +
    `calls of the affected endpoints: ${percent(load)} of the usual, in the worst second ${percent(peak)}, usual again after ${(returnMs / 1_000).toFixed(0)} s`
  )
}
