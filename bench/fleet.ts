import { parseArgs } from 'node:util'
import type { FleetServers } from './fleet/deployment.ts'
import { measureExactness } from './fleet/exact.ts'
import { FAULTS, type Fault } from './fleet/faults.ts'
import { type FaultReport, runFault } from './fleet/run.ts'
import { openServers } from './fleet/servers.ts'

const SEEDS = 20
const SECONDS = 30
/** Duration of the measurement of limits: two windows, and the time until they are in use. */
const EXACT_SECONDS = 180
/** Maximum growth of the p99 of responses while Redis is away, in milliseconds. */
const SLACK = 60
const SHOWN = 20

/**
 * Runs three programs of two workers over Postgres and Redis, with faults by seed: `pnpm bench fleet
 * [<fault>|all|exact] [20 seeds] [30 seconds] [--seed N] [--store redis|postgres]`. `exact` exhausts rate limits without
 * a fault. The upstream, the callers and the store are the evidence. Exits with 1 if a limit or a budget is exceeded, if
 * a usage row is missing or doubled, if a revoked key is served, or if responses fail or wait because of a fault.
 */
export async function benchFleet(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { seed: { type: 'string' }, store: { type: 'string' } },
    allowPositionals: true,
  })
  const [what = 'all', seeds, seconds] = positionals
  const opened = await openServers({ withRedis: values.store !== 'postgres' })
  if (!opened) {
    console.log('Postgres is not installed.')
    return
  }
  const { servers, close } = opened
  try {
    if (!servers.redis)
      console.log('Without Redis: rates are shared through Postgres, and faults of Redis are left out.')
    if (what === 'exact') {
      await showExactness(servers, Number(seconds ?? EXACT_SECONDS))
      return
    }
    const chosen = FAULTS.filter(
      ({ name, needsRedis }) => (what === 'all' || name === what) && (servers.redis || !needsRedis),
    )
    if (chosen.length === 0)
      console.log(`Unknown fault "${what}". Available: ${FAULTS.map(({ name }) => name).join(', ')}`)
    const first = Number(values.seed ?? Date.now() % 1e6)
    const count = values.seed === undefined ? Number(seeds ?? SEEDS) : 1
    let wrong = chosen.length === 0 ? 1 : 0
    for (const fault of chosen)
      for (let nth = 0; nth < count; nth += 1)
        wrong += await show(fault, servers, { seed: first + nth, seconds: Number(seconds ?? SECONDS) })
    if (wrong > 0) process.exitCode = 1
  } finally {
    await close()
  }
}

async function showExactness(servers: FleetServers, seconds: number): Promise<void> {
  const { violations, lines } = await measureExactness({ servers, seconds, isBuilt: true })
  for (const line of lines) console.log(line)
  for (const one of violations.slice(0, SHOWN)) console.log(`  ${one}`)
  if (violations.length > 0) process.exitCode = 1
}

/** Returns the number of violations. */
async function show(
  fault: Fault,
  servers: FleetServers,
  { seed, seconds }: { readonly seed: number; readonly seconds: number },
): Promise<number> {
  const report = await runFault(fault, { servers, seed, seconds, isBuilt: true, slack: SLACK, isPatient: true })
  console.log(`${fault.name}, seed ${seed}, ${seconds} s: ${textOf(report)}`)
  for (const one of report.violations.slice(0, SHOWN)) console.log(`  ${one}`)
  for (const one of report.notes.slice(0, SHOWN)) console.log(`    ${one}`)
  if (report.violations.length > 0) console.log(`    again: pnpm bench fleet ${fault.name} 1 ${seconds} --seed ${seed}`)
  return report.violations.length
}

function textOf({ answers, served, kills, figures, p99, redisCalls, backMs, violations }: FaultReport): string {
  const used = (name: string, unit: 'requests' | 'tokens' | 'concurrent'): number =>
    figures.find((one) => one.name === name)?.[unit] ?? 0
  return [
    `${answers} answers, ${served} served`,
    ...(kills > 0 ? [`${kills} kills`] : []),
    `at most ${used('requests', 'requests')} requests and ${used('tokens', 'tokens')} tokens in 60 s`,
    `${used('concurrent', 'concurrent')} at the same time`,
    `p99 ${p99.before.toFixed(0)} ms before and ${p99.during.toFixed(0)} ms in the fault`,
    ...(redisCalls === undefined ? [] : [`${redisCalls.toFixed(2)} calls of Redis per second and limit`]),
    ...(backMs === undefined ? [] : [`shared again after ${backMs.toFixed(0)} ms`]),
    violations.length === 0 ? 'nothing is wrong' : `${violations.length} violations`,
  ].join('; ')
}
