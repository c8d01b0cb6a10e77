import { parseArgs } from 'node:util'
import { killSpenders } from '../apps/server/test/budgets/killed.ts'
import { readSpending } from '../apps/server/test/budgets/spending.ts'
import { type Outcome, spend } from '../apps/server/test/budgets/trial.ts'
import { TRIALS, type Trial } from '../apps/server/test/budgets/trials.ts'
import { openVenue, PLACES, type Place } from '../apps/server/test/budgets/venue.ts'
import { startPostgres } from '../tools/postgres.ts'

const TIMES = 20
const KILLS = 40
/** Minimum spending of requests without a limit, in nano-dollars of $5. */
const MOST = 4_500_000_000n

const dollars = (nanos: bigint): string => `$${(Number(nanos) / 1e9).toFixed(4)}`

/**
 * Spends with many concurrent callers of keys with a budget of $5, repeatedly in each setup, and again while processes
 * are killed: `pnpm bench budgets [20] [--kills 40] [--seed N]`. Exits with 1 if a budget is exceeded or the sums are
 * inconsistent.
 */
export async function benchBudgets(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { kills: { type: 'string' }, seed: { type: 'string' } },
    allowPositionals: true,
  })
  const times = Number(positionals[0] ?? TIMES)
  const kills = Number(values.kills ?? KILLS)
  const seed = Number(values.seed ?? Date.now() % 1e6)
  console.log(`seed ${seed}`)
  for (const place of PLACES) {
    if (!(await crowd(place, times))) process.exitCode = 1
    if (!(await killed(place, kills, seed))) process.exitCode = 1
  }
}

function isRight(name: string, { served, atOnce, others, paid }: Outcome, { limit }: Trial): boolean {
  if (others.length > 0 || paid > limit) return false
  if (name === 'exact') return served === 50
  return name === 'priced' ? served === 50 && atOnce >= 45 : paid >= MOST
}

async function crowd(place: Place, times: number): Promise<boolean> {
  const venue = await openVenue({ ...place, built: true })
  if (!venue) {
    console.log(`${place.name}: Postgres is not installed`)
    return true
  }
  let isSound = true
  const outcomes: Outcome[] = []
  try {
    for (const [name, trial] of Object.entries(TRIALS)) {
      const start = performance.now()
      const own: Outcome[] = []
      for (let nth = 0; nth < times; nth++) own.push(await spend(venue, trial, { isPatient: name !== 'exact' }))
      outcomes.push(...own)
      const right = own.filter((outcome) => isRight(name, outcome, trial)).length
      isSound &&= right === times
      const [least, most] = [Math.min(...own.map(({ atOnce }) => atOnce)), Math.max(...own.map(({ atOnce }) => atOnce))]
      const paid = own.map((one) => one.paid).sort((a, b) => Number(a - b))
      console.log(
        `${place.name}, ${name}: ${right} of ${times} right; ${least}-${most} served immediately, ` +
          `${dollars(paid[0] ?? 0n)}-${dollars(paid.at(-1) ?? 0n)} spent; ${((performance.now() - start) / 1_000).toFixed(0)} s`,
      )
    }
    await venue.deployment.stop()
    const { keys, findings } = await readSpending(venue.deployment)
    const unequal = outcomes.filter(({ id, paid }) => keys.get(id)?.charged !== paid || keys.get(id)?.counted !== paid)
    console.log(
      `${place.name}: ${unequal.length} of ${outcomes.length} keys differ from the upstream's charges; ${findings.length} findings`,
    )
    for (const finding of findings.slice(0, TIMES)) console.log(`  ${finding}`)
    return isSound && unequal.length === 0 && findings.length === 0
  } finally {
    await venue.close()
  }
}

async function killed({ isPostgres = false, ...place }: Place, kills: number, seed: number): Promise<boolean> {
  const postgres = isPostgres ? await startPostgres() : undefined
  if (isPostgres && !postgres) return true
  const start = performance.now()
  try {
    const shape = { ...place, built: true, ...(postgres && { databaseUrl: postgres.database('killed') }) }
    const found = await killSpenders({ shape, kills, seed })
    const wrong = [...found.over, ...found.unequal, ...found.untrue, ...found.findings]
    console.log(
      `${place.name}, killed: ${found.kills} kills, ${found.served} served, ${found.refused} refused: ${found.over.length} over, ` +
        `${found.unequal.length} unequal, ${found.untrue.length} untrue, ${found.findings.length} findings; ${((performance.now() - start) / 1_000).toFixed(0)} s`,
    )
    for (const one of wrong.slice(0, TIMES)) console.log(`  ${one}`)
    return wrong.length === 0
  } finally {
    postgres?.remove()
  }
}
