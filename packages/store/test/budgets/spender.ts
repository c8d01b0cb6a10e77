import { writeSync } from 'node:fs'
import { openStore } from '../../src/store.ts'
import { ask, rowOf } from './requests.ts'

/**
 * Spends of a budget without end, and writes what its upstreams may charge: `b <bound>` before each call, and `e
 * <bound> <cost>` once it has ended, before it is settled: a kill in between leaves no more to be charged than what
 * counts; `n` where nothing was admitted.
 */
const [dataDir = '', databaseUrl] = process.argv.slice(2)
const store = await openStore({
  dataDir,
  ...(databaseUrl && { databaseUrl }),
  onProblem: (problem) => writeSync(2, `${problem}\n`),
})

/** Whoever reads may be slow. */
const say = (line: string): Promise<void> =>
  new Promise((resolve) => process.stdout.write(`${line}\n`, () => resolve()))

const spend = async (bound: number, cost: number): Promise<void> => {
  const request = ask(bound)
  if (await store.budgets.reserve(request)) return say('n')
  await say(`b ${bound}`)
  await new Promise((resolve) => setTimeout(resolve, bound % 7))
  await say(`e ${bound} ${cost}`)
  await store.ledger.settle(rowOf(request, cost))
}

for (let turn = 1; ; turn += 1) {
  const bounds = Array.from({ length: 8 }, (_, index) => 1 + ((turn * 31 + index * 17) % 100))
  await Promise.all(bounds.map((bound, index) => spend(bound, index % 3 === 0 ? bound : Math.floor(bound / 2))))
  await new Promise((resolve) => setTimeout(resolve, 5))
}
