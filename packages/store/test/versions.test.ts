import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runSql } from '../src/database/transaction.ts'
import { locationOf } from '../src/store.ts'
import { places } from './support/processes.ts'
import { openFor, temporaryFolder } from './support/stores.ts'
import type { VersionNews } from './support/version-traffic.ts'

/** Version of a program: the source, or the source with one more column (see `next-version.ts`). */
type Version = 'this' | 'expand' | 'contract'

/** Program that uses a store. */
interface VersionProgram {
  /** Resolves after this many further rounds. @throws Error if the program ends before */
  rounds(count: number): Promise<void>
  /** Ends it in order. Resolves with the number of its rows. @throws Error with its problems */
  stop(): Promise<number>
}

interface Place {
  readonly dataDir: string
  readonly databaseUrl?: string
}

const TIMEOUT = 120_000

describe.each(places)('Two versions of the program on one store in $name', { tags: ['full'] }, ({ url }) => {
  it('write and read at the same time, whichever starts first', { timeout: TIMEOUT }, async () => {
    const { open, databaseUrl } = await placesOf(url)
    const earlier = await start('this', 'traffic', open())
    await earlier.rounds(3)
    const next = await start('expand', 'traffic', open())
    await Promise.all([earlier.rounds(5), next.rounds(5)])
    const rowsOfEarlier = await earlier.stop()
    const again = await start('this', 'traffic', open())
    await Promise.all([again.rounds(5), next.rounds(5)])
    const [rowsOfAgain, rowsOfNext] = await Promise.all([again.stop(), next.stop()])
    for (const version of ['this', 'expand'] as const) await (await start(version, 'check', open())).stop()

    const connection = await openFor(locationOf({ ...open(), ...(databaseUrl !== undefined && { databaseUrl }) }))
    const counts = await runSql(
      connection.db,
      'SELECT sample, count(*) AS count FROM usage GROUP BY sample ORDER BY sample IS NULL',
    )
    expect(counts).toEqual([
      { sample: 'next', count: BigInt(rowsOfNext) },
      { sample: null, count: BigInt(rowsOfEarlier + rowsOfAgain) },
    ])
  })

  it('refuse the earlier one after a contract upgrade, with what to do', { timeout: TIMEOUT }, async () => {
    const { open } = await placesOf(url)
    const next = await start('contract', 'traffic', open())
    await next.rounds(1)
    const refused = start('this', 'traffic', open()).then((program) => program.rounds(1))
    await expect(refused).rejects.toThrow(
      /was written by a newer headgate \(version 2 of `store`, for programs that know version 2 or later; this one knows 1\)\. Update headgate, or restore a backup/,
    )
    await next.rounds(1)
    expect(await next.stop()).toBeGreaterThan(0)
  })
})

/** Places of programs with one store: one data directory in SQLite, one for each program in Postgres. */
async function placesOf(url: () => Promise<string | undefined>) {
  const databaseUrl = await url()
  const shared = temporaryFolder()
  const open = (): Place =>
    databaseUrl === undefined ? { dataDir: shared } : { dataDir: temporaryFolder(), databaseUrl }
  return { open, databaseUrl }
}

async function start(version: Version, mode: 'traffic' | 'check', place: Place): Promise<VersionProgram> {
  const preload = join(import.meta.dirname, 'support/next-version.ts')
  const child = fork(
    join(import.meta.dirname, 'support/version-traffic.ts'),
    [mode, version, place.dataDir, ...(place.databaseUrl === undefined ? [] : [place.databaseUrl])],
    {
      execArgv: ['--conditions=@headgate/source'],
      env: {
        PATH: process.env['PATH'],
        ...(version !== 'this' && { NODE_OPTIONS: `--import=${preload}`, HEADGATE_TEST_UPGRADE: version }),
      },
    },
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  return programOf(child)
}

function programOf(child: ChildProcess): VersionProgram {
  let last = 0
  let end: Exclude<VersionNews, { kind: 'round' }> | undefined
  // The last messages arrive before the channel closes, and maybe after the process has ended.
  const exit = Promise.all([once(child, 'exit'), once(child, 'disconnect')])
  child.on('message', (message) => {
    const news = message as VersionNews
    if (news.kind === 'round') last = news.round
    else end = news
  })
  const problemsOf = (): string => (end?.kind === 'refused' ? end.message : (end?.problems.join('\n') ?? 'no message'))
  return {
    async rounds(count) {
      const goal = last + count
      while (last < goal) {
        await Promise.race([once(child, 'message'), exit])
        if (end || !child.connected) throw new Error(`The program ended: ${problemsOf()}`)
      }
    },
    async stop() {
      if (child.connected) child.send('stop')
      await exit
      if (end?.kind !== 'end' || end.problems.length > 0) throw new Error(problemsOf())
      return end.rows
    },
  }
}
