import { join } from 'node:path'
import { openCommandStore } from '@headgate/store'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openConnection } from '../../../packages/store/src/database/connection.ts'
import { runSql } from '../../../packages/store/src/database/transaction.ts'
import { startPostgres } from '../../../tools/postgres.ts'
import { rollingRestart } from './rolling/restart.ts'
import { temporaryFolder } from './temporary.ts'
import { SOURCE } from './tested.ts'

const TIMEOUT = { timeout: 300_000 }
/** Preload that turns the program into its next version, whose table `usage` has one more column. */
const NEXT = join(import.meta.dirname, '../../../packages/store/test/support/next-version.ts')

describe('Three programs behind HAProxy', { tags: ['full'] }, () => {
  it('are restarted one after the other without a stream or request that fails', TIMEOUT, async ({ skip }) => {
    const result = await rollingRestart({ streams: 20, streamMs: 2_500, interval: 100, drain: 1_000 })
    if (!result) return skip(missing('HAProxy'))
    const { streams, requests, ...rest } = result
    expect(rest).toEqual({ cut: [], failed: [], codes: [0, 0, 0] })
    expect(Math.min(streams, requests)).toBeGreaterThan(60)
  })

  it('are upgraded and go back on one Postgres without a stream or request that fails', TIMEOUT, async ({ skip }) => {
    const postgres = await startPostgres()
    if (!postgres) return skip(missing('Postgres'))
    onTestFinished(() => postgres.remove())
    const databaseUrl = postgres.database('versions')
    const now = { DATABASE_URL: databaseUrl, HEADGATE_SECRET: 'secret-of-the-gateways-of-this-test-0123456789' }
    const next = { ...now, NODE_OPTIONS: `--import=${NEXT}` }
    const result = await rollingRestart({
      streams: 10,
      streamMs: 500,
      interval: 100,
      drain: 1_000,
      program: SOURCE,
      environments: [now, next, now],
    })
    if (!result) return skip(missing('HAProxy'))
    const { streams, requests, ...rest } = result
    expect(rest).toEqual({ cut: [], failed: [], codes: Array(6).fill(0) })

    const connection = await openConnection({ url: databaseUrl })
    onTestFinished(() => connection.close())
    const counts = await runSql(connection.db, 'SELECT sample, count(*) AS count FROM usage GROUP BY sample')
    const byVersion = new Map(counts.map((row) => [Object(row).sample, Number(Object(row).count)]))
    expect([...byVersion.keys()].sort()).toEqual(['next', null])
    expect([...byVersion.values()].reduce((sum, count) => sum + count, 0)).toBe(streams + requests)
    const store = await openCommandStore({ dataDir: temporaryFolder(), databaseUrl, onProblem: () => {} })
    onTestFinished(() => store.close())
    expect(await store.check()).toEqual([])
  })
})

function missing(program: string): string {
  process.stderr.write(`${program} is not installed here: NOTHING is shown of a rolling restart.\n`)
  return `${program} is not installed`
}
