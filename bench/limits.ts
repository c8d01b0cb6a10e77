import { measureAllocations } from '../packages/fleet/src/measurement.ts'
import { startHeadgate } from './headgate.ts'
import type { Shot } from './load.ts'
import type { Measured } from './process.ts'
import { type Contender, compare } from './rounds.ts'
import { type Scenario, scenarios } from './scenarios.ts'
import { root, withStarted } from './started.ts'

/** Maximum CPU time that budgets and limits add to a request on the main thread, in microseconds. */
const MOST = 10

/** Maximum CPU time of limits that several nodes share, per request, in microseconds. */
const MOST_SHARED = 5

/** Limits that the benchmark never reaches. */
const LIMITED = {
  keys: [
    {
      key: 'sk-bench',
      budgets: ['1000000/day', '10000000/month'],
      limits: { requestsPerMinute: 1_000_000_000, tokensPerMinute: 1_000_000_000 },
    },
  ],
}
/** A price is required to reserve costs. */
const PRICED = {
  prices: { 'chat-up/bench-model': { input: 1, output: 5 }, 'messages-up/claude-bench': { input: 1, output: 5 } },
}

/** Maximum CPU time that the class, idempotency and affinity of a request take on the main thread, in microseconds. */
const MOST_OPTIONS = 5

/** Without affinity, and without a look at the header `idempotency-key`. */
const WITHOUT_OPTIONS = { routing: { affinity: false }, idempotency: false }

/**
 * Measures the CPU time of two limits that several nodes share, of two budgets and two limits, and of a class,
 * idempotency and affinity, per request, compared with a gateway without them: `pnpm bench limits [scenario ...]`. Exits
 * with 1 if one exceeds its maximum.
 */
export async function benchLimits(names: readonly string[]): Promise<void> {
  await showAllocations()
  await withStarted(async ({ origin, start }) => {
    const gateway = (config: object): Promise<Measured> => start(startHeadgate(root, origin, { config }))
    const [plain, limited] = [await gateway(PRICED), await gateway({ ...PRICED, ...LIMITED })]
    const bare = await gateway({ ...PRICED, ...WITHOUT_OPTIONS })
    const chosen = scenarios.filter(({ name }) =>
      names.length === 0 ? name.includes('unary, 1 KB') : names.some((part) => name.includes(part)),
    )
    for (const scenario of chosen) {
      const shot = scenario.headgate
      const classed: Shot = { ...shot, headers: { ...shot.headers, 'headgate-class': 'batch' } }
      await showAdded(scenario, MOST, 'two budgets and two limits', [
        { name: 'without', process: plain, shot },
        { name: 'limited', process: limited, shot },
      ])
      await showAdded(scenario, MOST_OPTIONS, 'a class, idempotency and affinity', [
        { name: 'without options', process: bare, shot },
        { name: 'with options', process: plain, shot: classed },
      ])
    }
  })
}

/** Prints what the second contender takes more than the first. */
async function showAdded(
  scenario: Scenario,
  most: number,
  what: string,
  contenders: readonly [Contender, Contender],
): Promise<void> {
  const [bare, own] = await compare(scenario, contenders)
  const added = (own?.main ?? Number.NaN) - (bare?.main ?? Number.NaN)
  process.stdout.write(`${scenario.name}: ${what} add ${added.toFixed(1)} µs on the main thread\n`)
  if (!(added <= most)) process.exitCode = 1
}

async function showAllocations(): Promise<void> {
  const before = process.threadCpuUsage()
  const { requests } = await measureAllocations({ limits: 2 })
  const { user, system } = process.threadCpuUsage(before)
  const each = (user + system) / requests
  process.stdout.write(`two shared limits of requests, tokens and places: ${each.toFixed(2)} µs on the main thread\n`)
  if (!(each <= MOST_SHARED)) process.exitCode = 1
}
