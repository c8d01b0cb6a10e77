import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { startHeadgate } from './headgate.ts'
import { compare } from './rounds.ts'
import { scenarios } from './scenarios.ts'
import { root, withStarted } from './started.ts'

/**
 * Measures this checkout and another built checkout in turn, and prints the cost of a request relative to the other.
 */
export async function benchBefore([folder, ...names]: readonly string[]): Promise<void> {
  const before = resolve(folder ?? '')
  if (folder === undefined || !existsSync(join(before, 'apps/server/dist/cli.js')))
    throw new Error('Name the folder of another built checkout: pnpm bench before ../headgate-before [scenario ...]')
  await withStarted(async ({ origin, start }) => {
    // Older checkouts do not know all settings of the benchmark's configuration.
    const old = await start(startHeadgate(before, origin, { config: { times: undefined } }))
    const own = await start(startHeadgate(root, origin))
    for (const scenario of scenarios.filter(
      ({ name }) => names.length === 0 || names.some((part) => name.includes(part)),
    )) {
      const [, figure] = await compare(scenario, [
        { name: 'before', process: old, shot: scenario.headgate },
        { name: 'now', process: own, shot: scenario.headgate },
      ])
      process.stdout.write(
        `${scenario.name}: main thread ${figure?.mainRatio.toFixed(3)} (95 %: ${figure?.mainInterval.map((one) => one.toFixed(3)).join(' to ')}), process ${figure?.ratio.toFixed(3)} x before\n`,
      )
    }
  })
}
