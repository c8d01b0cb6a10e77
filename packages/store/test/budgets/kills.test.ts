import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { createRandom } from '../../../gateway/test/faults/random.ts'
import { setBudget } from '../../src/budgets/defined.ts'
import { openCommandStore } from '../../src/command-store.ts'
import { openConnection } from '../../src/database/connection.ts'
import { migrate } from '../../src/database/migrate.ts'
import { locationOf } from '../../src/store.ts'
import { temporaryFolder } from '../journal/journals.ts'
import { temporaryDatabase } from '../support/stores.ts'
import { accountsOf } from './engines.ts'

const SPENDER = join(import.meta.dirname, 'spender.ts')
/** What was compiled once is kept. */
const NODE_COMPILE_CACHE = join(import.meta.dirname, '../../node_modules/.cache/compiled')
const LIMIT = 40_000n
const DATABASE_URL = process.env['TEST_DATABASE_URL']

describe('A budget that three processes spend of', () => {
  const kinds = [
    ['SQLite', () => undefined] as const,
    ...(DATABASE_URL ? [['Postgres', temporaryDatabase] as const] : []),
  ]
  it.each(kinds)(
    'holds in %s while they are killed at any moment, and come back',
    { timeout: 600_000, tags: ['full'] },
    async (_, url) => {
      const databaseUrl = await url()
      const seed = Date.now() % 1e6
      const place = { dataDir: temporaryFolder(), ...(databaseUrl && { databaseUrl }) }
      const connection = await openConnection(locationOf(place))
      try {
        await migrate(connection)
        await setBudget(
          connection,
          { scope: 'key', owner: 'key_1', limit: LIMIT, period: 'forever', counts: 'cost' },
          'UTC',
        )
        const lanes = await Promise.all([0, 1, 2].map((lane) => killInTurn(3, createRandom(seed * 3 + lane), place)))
        const archive = await openCommandStore({ ...place, onProblem: () => {} })
        await archive.ingest().finally(() => archive.close())
        const [account] = await accountsOf(connection)
        const truth = lanes.reduce((sum, { charged }) => sum + charged, 0)
        const { spent = 0n, leased, counted } = account ?? {}
        expect({ seed, problems: lanes.map(({ problems }) => problems).join('') }).toEqual({ seed, problems: '' })
        expect({ seed, isWithin: spent <= LIMIT, isAll: spent >= BigInt(truth), leased }).toEqual({
          seed,
          isWithin: true,
          isAll: true,
          leased: 0n,
        })
        expect(counted).toBe(spent)
        // It was spent for the most part: they were not kept from it.
        expect(Number(spent) / Number(LIMIT)).toBeGreaterThan(0.3)
      } finally {
        await connection.close()
      }
    },
  )
})

/** What upstreams have charged: what has ended as it says, all else as much as it may. */
async function killInTurn(
  kills: number,
  random: ReturnType<typeof createRandom>,
  place: { dataDir: string; databaseUrl?: string },
) {
  let charged = 0
  const problems: string[] = []
  for (let kill = 0; kill < kills; kill += 1) {
    const args = [
      '--conditions=@headgate/source',
      SPENDER,
      place.dataDir,
      ...(place.databaseUrl ? [place.databaseUrl] : []),
    ]
    const child = spawn(process.execPath, args, { env: { NODE_COMPILE_CACHE }, stdio: ['ignore', 'pipe', 'pipe'] })
    const [gone, said] = [once(child, 'close'), text(child.stderr)]
    const last = 1 + random.below(300)
    let count = 0
    for await (const line of createInterface({ input: child.stdout })) {
      const [kind, bound, cost] = line.split(' ')
      if (kind === 'b') charged += Number(bound)
      if (kind === 'e' && cost !== undefined) charged += Number(cost) - Number(bound)
      count += 1
      if (count >= last) child.kill('SIGKILL')
    }
    await gone
    problems.push(await said)
  }
  return { charged, problems: problems.join('') }
}
