import { parseArgs } from 'node:util'
import { leftovers } from '../packages/gateway/test/faults/leftovers.ts'
import { explainReport, playSeeds } from '../packages/gateway/test/faults/run.ts'
import { sequenceOf } from '../packages/gateway/test/faults/sequence.ts'

const COUNT = 10_000
const SHOWN = 40

/**
 * Runs seeded sequences of faults: `pnpm bench faults [--count 10000] [--seed N] [--from N]`. Exits with 1 if one of
 * them ends unexpectedly when it is repeated alone, and prints the command for it.
 */
export async function benchFaults(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      count: { type: 'string' },
      seed: { type: 'string' },
      from: { type: 'string' },
      concurrency: { type: 'string' },
    },
  })
  const start = performance.now()
  const from = Number(values.seed ?? values.from ?? 0)
  const count = values.seed === undefined ? Number(values.count ?? COUNT) : 1
  const uncaught: string[] = []
  const note = (error: unknown): void =>
    void uncaught.push(error instanceof Error ? (error.stack ?? error.message) : String(error))
  process.on('uncaughtException', note)
  process.on('unhandledRejection', note)
  const resources = process.getActiveResourcesInfo()
  const seeds = Array.from({ length: count }, (_, index) => from + index)
  let done = 0
  const { failed, faults, hedged } = await playSeeds(seeds, {
    ...(values.concurrency !== undefined && { concurrency: Number(values.concurrency) }),
    onReport: () => {
      done++
      if (done % 1_000 === 0)
        console.log(`${done} of ${count} after ${((performance.now() - start) / 1_000).toFixed(0)} s`)
    },
  })
  // Their times are short, so that a sequence can fail because the machine is busy.
  const { failed: alone } = await playSeeds(
    failed.map(({ seed }) => seed),
    { concurrency: 1 },
  )
  for (const report of alone.slice(0, SHOWN))
    console.log(`${explainReport(report)}\n    again: pnpm bench faults --seed ${report.seed}`)
  if (alone.length > SHOWN) {
    const others = alone.slice(SHOWN).map(({ seed }) => seed)
    console.log(`… and ${others.length} more: ${others.join(', ')}`)
  }
  for (const error of uncaught) console.log(`nobody caught: ${error}`)
  const left = await leftovers(resources)
  if (left.length > 0) console.log(`left open: ${left.join(', ')}`)
  const seconds = (performance.now() - start) / 1_000
  const routed = seeds.filter((seed) => sequenceOf(seed).routing !== undefined).length
  console.log(
    `${count} sequences (${routed} with endpoints and policies, ${hedged} with second calls), ${faults.size} kinds of fault, ${[...faults.values()].reduce((sum, one) => sum + one, 0)} calls in ${seconds.toFixed(0)} s: ${failed.length} failed, ${alone.length} of them also alone`,
  )
  if (alone.length > 0 || uncaught.length > 0 || left.length > 0) process.exitCode = 1
}
