import { randomBytes } from 'node:crypto'
import { POLICIES } from '../packages/gateway/src/ports/routing.ts'
import { createAffinity, prefixOf, tenantKeyOf } from '../packages/gateway/src/routing/affinity/index.ts'
import { createRanking, type RankInput, type RankTarget } from '../packages/gateway/src/routing/policies/rank.ts'
import { compare, tableOf } from '../packages/gateway/test/routing/simulation/table.ts'
import { createTrace } from '../packages/gateway/test/routing/simulation/trace.ts'

/** Maximum CPU time that the default policy adds to a request of 1 KB, in microseconds. */
const MOST = 2
/** Bodies of requests, in bytes. */
const BODIES = [1_000, 20_000, 200_000]
const TARGETS = [1, 3, 12]
/** Requests of one measurement, and the number of measurements; the median counts. */
const REQUESTS = 3_000
const ROUNDS = 7
const PRICE = { id: 'p', input: 3_000_000_000, cacheRead: 300_000_000, output: 15_000_000_000 }

function targetsOf(count: number): RankTarget[] {
  return Array.from({ length: count }, (_, i) => ({
    key: `provider-${i % 3}\nendpoint-${i}\nmodel`,
    tier: i < count / 2 ? 0 : 1,
    weight: 1 + (i % 3),
    price: PRICE,
    inFlight: i % 4,
    limit: 100,
    state: 'well',
  }))
}

/**
 * Microseconds of a decision. `hash` is the cost of the prefix; `decide` is lookup, rank, count and record. Requests
 * are turns of 50 conversations.
 */
function measure(bytes: number, count: number, policy: RankInput['policy']): { hash: number; decide: number } {
  const affinity = createAffinity()
  const ranking = createRanking()
  const key = tenantKeyOf('secret', 'tenant')
  const bodies = Array.from({ length: 50 }, () => randomBytes(bytes))
  const pieces = bodies.map((body) => [body.subarray(0, bytes / 2), body.subarray(bytes / 2)])
  const prefixes = pieces.map((one) => prefixOf(key, one))
  const targets = targetsOf(count)
  const keys = targets.map(({ key }) => key)
  const tokens = Math.round(bytes / 4)
  const use = { input: tokens, cacheRead: Math.round(tokens * 0.9) }
  const expected = { input: tokens, output: 300 }
  let now = 1_700_000_000_000
  const decide = (i: number): void => {
    now += 3
    const prefix = prefixes[i % prefixes.length] ?? { hashes: [], bytes: 0 }
    const warm = affinity.lookup(prefix, keys, now)
    const some = warm.length === 0 ? targets : targets.map((target, place) => ({ ...target, warm: warm[place] }))
    const input: RankInput = { policy, targets: some, expected, now }
    const first = ranking.rank(input)[0]?.target.key ?? ''
    ranking.picked(input, first)
    ranking.measured(first, 0, 100 + (i % 7), now)
    affinity.record(prefix, first, use, undefined, now)
  }
  const hash = (i: number): void => void prefixOf(key, pieces[i % pieces.length] ?? [])
  return { hash: medianOf(hash), decide: medianOf(decide) }
}

/** Median CPU time of one call in microseconds, after as many calls to warm up. */
function medianOf(call: (i: number) => void): number {
  const times: number[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const begin = process.cpuUsage()
    for (let i = 0; i < REQUESTS; i++) call(i)
    const { user, system } = process.cpuUsage(begin)
    if (round > 0) times.push((user + system) / REQUESTS)
  }
  return times.sort((one, other) => one - other)[ROUNDS >> 1] ?? Number.NaN
}

/**
 * Prints the cost of a routing decision, and the table of a simulated trace: `node
 * --conditions=@headgate/source bench/routing.ts [sessions]`. Exits with 1 if the default policy costs more than the
 * maximum at 1 KB.
 */
export async function benchRouting([sessions = '1000']: readonly string[]): Promise<void> {
  console.log('| body | policy | targets | hashes, µs | decision, µs |\n| --- | --- | ---: | ---: | ---: |')
  for (const bytes of BODIES) {
    for (const policy of bytes === 1_000 ? POLICIES : (['priority'] as const)) {
      for (const count of TARGETS) {
        const { hash, decide } = measure(bytes, count, policy)
        console.log(`| ${bytes / 1_000} KB | ${policy} | ${count} | ${hash.toFixed(1)} | ${decide.toFixed(2)} |`)
        if (bytes === 1_000 && policy === 'priority' && !(hash + decide <= MOST)) process.exitCode = 1
      }
    }
  }
  console.log(`\n${tableOf(compare(createTrace(Number(sessions)), true))}`)
}
