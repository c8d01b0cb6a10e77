import { measureAllocations } from '../packages/fleet/src/measurement.ts'
import { startHeadgate } from './headgate.ts'
import { compare } from './rounds.ts'
import { scenarios } from './scenarios.ts'
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

/**
 * Measures the CPU time of two limits that several nodes share, and the CPU time that two budgets and two limits add to
 * a request, compared with a gateway without them: `pnpm bench limits [scenario ...]`. Exits with 1 if one exceeds its
 * maximum.
 */
export async function benchLimits(names: readonly string[]): Promise<void> {
  await showAllocations()
  await withStarted(async ({ origin, start }) => {
    const without = await start(startHeadgate(root, origin, { config: PRICED }))
    const limited = await start(startHeadgate(root, origin, { config: { ...PRICED, ...LIMITED } }))
    const chosen = scenarios.filter(({ name }) =>
      names.length === 0 ? name.includes('unary, 1 KB') : names.some((part) => name.includes(part)),
    )
    for (const scenario of chosen) {
      const [bare, own] = await compare(scenario, [
        { name: 'without', process: without, shot: scenario.headgate },
        { name: 'limited', process: limited, shot: scenario.headgate },
      ])
      const added = (own?.main ?? Number.NaN) - (bare?.main ?? Number.NaN)
      process.stdout.write(
        `${scenario.name}: two budgets and two limits add ${added.toFixed(1)} µs on the main thread\n`,
      )
      if (!(added <= MOST)) process.exitCode = 1
    }
  })
}

async function showAllocations(): Promise<void> {
  const before = process.threadCpuUsage()
  const { requests } = await measureAllocations({ limits: 2 })
  const { user, system } = process.threadCpuUsage(before)
  const each = (user + system) / requests
  process.stdout.write(`two shared limits of requests, tokens and places: ${each.toFixed(2)} µs on the main thread\n`)
  if (!(each <= MOST_SHARED)) process.exitCode = 1
}
