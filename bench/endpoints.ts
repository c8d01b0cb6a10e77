import { join } from 'node:path'
import { startHeadgate } from './headgate.ts'
import { type Measured, startNode } from './process.ts'
import type { Figure } from './report.ts'
import { compare } from './rounds.ts'
import { chat, type Scenario } from './scenarios.ts'
import { root, type Started, withStarted } from './started.ts'

/** Maximum CPU time of the main thread that the choice among three endpoints adds to a request, in microseconds. */
export const MOST_ADDED = 5

const ONE = 'headgate, 1 endpoint'
const PLAIN = 'headgate, without a policy'
/** More than a measurement uses, so that the limits only count. */
const LIMITS = { concurrent: 10_000, requestsPerMinute: 1_000_000_000, tokensPerMinute: 2_000_000_000 }
const PRICE = { input: 3, cacheRead: 0.3, output: 15 }
const plain = chat('chat-up/bench-model', 1, false)
const routed = chat('routed-up/bench-routed', 1, false)

/** A request with a policy and conditions, to a model at three endpoints with limits. */
export const endpointsScenario: Scenario = {
  name: 'bypass, unary, 1 KB, 3 endpoints',
  floor: 'pass',
  requests: 5_000,
  budget: 1.7,
  headgate: { ...routed, headers: { ...routed.headers, 'headgate-policy': 'cheapest; zdr=true' } },
  direct: chat('bench-model', 1, false),
  peers: false,
}

function configOf(upstream: string): object {
  const adapter = { adapter: 'openai-compatible', baseUrl: `${upstream}/v1` }
  return {
    providers: {
      'chat-up': { ...adapter, apiKey: 'sk-upstream', models: ['bench-model'] },
      'routed-up': {
        ...adapter,
        models: ['bench-routed'],
        endpoints: ['a', 'b', 'c'].map((name, place) => ({
          name,
          apiKey: `sk-upstream-${name}`,
          weight: place + 1,
          labels: { zdr: true },
          limits: LIMITS,
        })),
      },
    },
    prices: { 'routed-up/bench-routed': PRICE, 'chat-up/bench-model': PRICE },
  }
}

/** Figures of a request to three endpoints, and of the same request to one. Both are served by one process, in turn. */
export async function measureEndpoints(
  start: Started['start'],
  origin: string,
  floor: Measured,
): Promise<readonly Figure[]> {
  const process = await start(startHeadgate(root, origin, { config: configOf(origin) }))
  return compare(endpointsScenario, [
    { name: 'floor', process: floor, shot: endpointsScenario.direct },
    { name: 'headgate', process, shot: endpointsScenario.headgate },
    { name: PLAIN, process, shot: routed },
    { name: ONE, process, shot: plain },
  ])
}

/** CPU time of the main thread that three endpoints add, with and without a policy, in microseconds. */
export function addedByEndpoints(figures: readonly Figure[]): { readonly whole: number; readonly plain: number } {
  const mainOf = (target: string): number =>
    figures.find((one) => one.scenario === endpointsScenario.name && one.target === target)?.main ?? Number.NaN
  return { whole: mainOf('headgate') - mainOf(ONE), plain: mainOf(PLAIN) - mainOf(ONE) }
}

/** Measures the cost of the choice among three endpoints. Exits with 1 if it is above the maximum. */
export async function benchEndpoints(): Promise<void> {
  await withStarted(async ({ origin, start }) => {
    const floor = await start(startNode([join(root, 'bench/floor.ts'), origin, 'pass']))
    const { whole, plain: without } = addedByEndpoints(await measureEndpoints(start, origin, floor))
    console.log(
      `Three endpoints add ${whole.toFixed(1)} µs of the main thread to a request with a policy and conditions, and ${without.toFixed(1)} µs to others (maximum: ${MOST_ADDED}).`,
    )
    if (!(whole <= MOST_ADDED)) process.exitCode = 1
  })
}
