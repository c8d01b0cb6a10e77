import { describe, expect, it } from 'vitest'
import { check } from '../../src/backup/check.ts'
import { createAlerts } from '../../src/budgets/alerts.ts'
import { endSilentRun, silentRuns } from '../../src/budgets/orphaned-leases.ts'
import { retain } from '../../src/retention/retention.ts'
import { openStore } from '../../src/store.ts'
import { temporaryFolder } from '../journal/journals.ts'
import { openForCommand } from '../opened.ts'
import { describeStores, stores } from '../support/stores.ts'
import { accountsOf, admits, DOLLAR, define, openWorld, refusal, startProcess } from './engines.ts'
import { ask, DIME, rowOf } from './requests.ts'

const MINUTE = 60_000

describeStores(stores(), 'What a process held of budgets that is gone with its folder, in $name', ({ open }) => {
  /**
   * One that has spent a dime of the five dollars that it holds twice, and is gone; and what is known of it after a
   * minute.
   */
  const vanished = async () => {
    const clock = { now: Date.now() }
    const world = await openWorld(await open(), { now: () => clock.now, times: { recall: 0 } })
    const { connection } = world
    const budget = await define(connection, { name: 'team' })
    const project = await define(connection, { scope: 'project', owner: 'p', period: 'forever' })
    const principal = { id: 'key_1', owners: { project: 'p' } }
    const [gone, next] = [await startProcess(world), await startProcess(world)]
    const request = ask(DIME, { principal, at: clock.now })
    await admits(gone, request)
    await gone.ledger.settle(rowOf(request, DIME))
    await gone.ledger.ingest()
    gone.vanish()
    const heard = clock.now
    const asked = () => ask(DIME, { principal, at: clock.now })
    const parts = { connection, dataDir: world.dataDir, now: () => clock.now, zone: 'UTC' }
    const silent = () => silentRuns(parts)
    const end = (how: 'spent' | 'free', run = gone.run) => endSilentRun(parts, run, how)
    return { clock, connection, silent, budget, project, gone, next, heard, asked, end }
  }

  it('is shown with its leases, its machine, and since when it is not heard of', async () => {
    const { silent, clock, gone, heard, budget, project, next, asked } = await vanished()
    expect(await refusal(next, asked())).toMatchObject({
      spent: 100_000_000n,
      held: 4_900_000_000n,
      retryAfterMs: 1_000,
    })
    clock.now += MINUTE
    expect(await silent()).toEqual([])
    clock.now += 1
    const leases = [
      { budget: budget.id, name: 'team', window: expect.stringContaining('@UTC'), endsAt: expect.any(Number) },
      { budget: project.id, name: '$5', window: 'forever' },
    ].map((lease) => ({ ...lease, granted: 5n * DOLLAR, used: BigInt(DIME) }))
    expect(await silent()).toEqual([
      {
        run: gone.run,
        node: 'test',
        since: heard,
        isOver: false,
        leases: expect.toSatisfy((own) => isSame(own, leases)),
      },
    ])
  })

  it('counts as spent, or may be spent, once an owner says so; and it gets nothing more, should it be there all the same', async () => {
    for (const how of ['spent', 'free'] as const) {
      const { connection, silent, clock, gone, next, asked, end } = await vanished()
      clock.now += MINUTE + 1
      expect([await end(how), await end(how), await end('free'), await end('spent')]).toEqual([
        true,
        false,
        false,
        false,
      ])
      const spent = how === 'spent' ? 5n * DOLLAR : BigInt(DIME)
      const account = { spent, leased: 0n, left: 0n, counted: spent }
      expect(await accountsOf(connection)).toMatchObject([account, account])
      expect(await silent()).toEqual([])
      await expect.poll(() => admits(next, asked())).toBe(how === 'free')
      await gone.engine.heartbeat()
      expect(await refusal(gone, asked())).toMatchObject({ why: 'away' })
      expect(await check(connection)).toEqual([])
      const rows = await connection.db
        .selectFrom('usage')
        .select(['principal', 'why', 'cost', 'held'])
        .where('why', '=', 'unknown')
        .execute()
      const row = { why: 'unknown', cost: null, held: 4_900_000_000n }
      const booked = [
        { ...row, principal: 'key_1' },
        { ...row, principal: 'unknown' },
      ]
      expect(rows.sort((one, other) => (one.principal < other.principal ? -1 : 1))).toEqual(
        how === 'spent' ? booked : [],
      )
      expect(await createAlerts({ connection }).list()).toHaveLength(how === 'spent' ? 6 : 0)
      await retain(connection, { now: clock.now, usageDays: null })
    }
  })

  it('is not ended while it is heard of, or has its journal here, nor where nobody knows it', async () => {
    const { connection, clock, gone, next, silent, asked, end } = await vanished()
    clock.now += MINUTE
    await expect(end('free')).rejects.toMatchObject({
      kind: 'conflict',
      message: expect.stringContaining('was last seen 60 s ago'),
    })
    await expect(end('spent', 'nobody')).rejects.toMatchObject({ kind: 'not-found' })
    expect(await accountsOf(connection)).toMatchObject([{ leased: 4_900_000_000n }, { leased: 4_900_000_000n }])
    clock.now += 1
    expect(await end('free', gone.run)).toBe(true)
    expect(await admits(next, asked())).toBe(true)
    clock.now += 2 * MINUTE
    expect(await silent()).toEqual([])
    await expect(end('free', next.run)).rejects.toMatchObject({
      kind: 'conflict',
      message: expect.stringContaining('data directory'),
    })
  })
})

function isSame(own: unknown, expected: readonly { readonly budget: string }[]): boolean {
  expect(own).toEqual(expected.toSorted((one, other) => (one.budget < other.budget ? -1 : 1)))
  return true
}

describe('A command', () => {
  it('defines budgets, shows what is spent of them, and ends none that a process holds that runs', async () => {
    const dataDir = temporaryFolder()
    const store = await openStore({ dataDir, onProblem: () => {} })
    const { archive } = await openForCommand(dataDir)
    const { id } = await archive.budgets.set({ scope: 'key', owner: 'key_1', limit: DOLLAR, period: 'month' })
    await expect.poll(() => store.budgets.bounds({ id: 'key_1' })).toBe(true)
    const request = ask()
    expect(await store.budgets.reserve(request)).toBe(undefined)
    await store.ledger.settle(rowOf(request, 6 * DIME))
    await store.ledger.ingest()
    expect(await archive.budgets.list()).toMatchObject([{ id, spent: 600_000_000n, leased: 400_000_000n }])
    expect(await archive.alerts.list()).toMatchObject([{ percent: 50, budget: { id } }])
    expect([await archive.budgets.silent(), await store.budgets.silent()]).toEqual([[], []])
    await expect(store.budgets.end('nobody', 'free')).rejects.toMatchObject({ kind: 'not-found' })
    await store.close()
    expect([await archive.budgets.remove(id), await archive.budgets.list()]).toEqual([true, []])
  })
})
