import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FAULTS } from '../fleet/faults.ts'
import { runFault } from '../fleet/run.ts'
import { type OpenServers, openServers } from '../fleet/servers.ts'

const SEED = 29
/** Duration of the load of each fault, in seconds. */
const SECONDS = 3
/** Tests share the machine, so that responses can wait for other programs, in milliseconds. */
const SLACK = 1_000

/** Faults of these tests: each takes up to half a minute on a busy machine. */
const TESTED: ReadonlySet<string> = new Set([
  'kill-worker',
  'kill-primary',
  'fill-disk',
  'restart-redis',
  'pause-postgres',
])
const tested = FAULTS.filter(({ name }) => TESTED.has(name))

// `pnpm bench fleet` runs all faults, each with 20 seeds, for 30 seconds.
describe('Three programs of two workers', { tags: ['full'] }, () => {
  let opened: OpenServers | undefined
  beforeAll(async () => {
    opened = await openServers({ withRedis: true })
  }, 60_000)
  afterAll(() => opened?.close())

  it.for(tested)(
    'keep limits, budgets and rows with the fault $name',
    { timeout: 120_000 },
    async (fault, { skip }) => {
      if (!opened) return skip('Postgres is not installed')
      const { servers } = opened
      if (fault.needsRedis && !servers.redis) return skip('Redis is not installed')
      const report = await runFault(fault, {
        servers,
        seed: SEED,
        seconds: SECONDS,
        isBuilt: false,
        slack: SLACK,
        isPatient: false,
      })
      expect(report.violations).toEqual([])
      expect(report.served).toBeGreaterThan(20)
    },
  )
})
