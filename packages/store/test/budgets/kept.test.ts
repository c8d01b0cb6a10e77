import { expect, it } from 'vitest'
import { check } from '../../src/backup/check.ts'
import { silentRuns } from '../../src/budgets/orphaned-leases.ts'
import { lockWindow } from '../../src/budgets/windows.ts'
import { runSql, transact } from '../../src/database/transaction.ts'
import { retain } from '../../src/retention/retention.ts'
import { describeStores, stores } from '../support/stores.ts'
import { accountsOf, admits, define, openWorld, startProcess } from './engines.ts'
import { ask, DIME, rowOf } from './requests.ts'

const DAY = 86_400_000

describeStores(stores(), 'What is spent of budgets in $name', ({ open }) => {
  it('is compared with rows and leases by a check', async () => {
    const world = await openWorld(await open())
    await define(world.connection)
    const one = await startProcess(world)
    const request = ask()
    await admits(one, request)
    await one.ledger.settle(rowOf(request, DIME))
    await one.ledger.ingest()
    const findings = async () => (await check(world.connection)).filter(({ kind }) => kind === 'budgets-differ')
    expect(await findings()).toEqual([])
    await runSql(world.connection.db, 'UPDATE budget_windows SET spent = spent + 7, leased = leased - 1')
    expect(await findings()).toMatchObject([
      { level: 'fault', details: { spent: '100000000 ≠ 100000007', leased: '4900000000 ≠ 4899999999' } },
    ])
  })

  it('is kept for 13 months; leases are deleted two days after their window, except those of the three newest windows and of windows without an end', async () => {
    let now = Date.now()
    const world = await openWorld(await open(), { now: () => now })
    const day = await define(world.connection)
    const forever = await define(world.connection, { period: 'forever' })
    const one = await startProcess(world)
    const request = ask(DIME, { at: now })
    await admits(one, request)
    await one.ledger.settle(rowOf(request, DIME))
    await one.ledger.ingest()
    one.vanish()
    now += 4 * DAY
    const leases = () => runSql(world.connection.db, `SELECT win FROM budget_leases WHERE budget = '${day.id}'`)
    await retain(world.connection, { now, usageDays: null })
    expect(await leases()).toHaveLength(1)
    await transact(world.connection, async (trx) => {
      for (const days of [1, 2, 3]) {
        const startsAt = now - days * DAY
        await lockWindow(world.connection, trx, {
          budget: day.id,
          win: `newer-${days}`,
          startsAt,
          endsAt: startsAt + DAY,
        })
      }
    })
    await retain(world.connection, { now, usageDays: null })
    const [left, held] = [day.id, forever.id]
    const accounts = await accountsOf(world.connection)
    expect(accounts.find(({ budget, spent }) => budget === left && spent > 0n)).toMatchObject({
      spent: 100_000_000n,
      leased: 0n,
      left: 0n,
    })
    expect(accounts.find(({ budget }) => budget === held)).toMatchObject({
      leased: 4_900_000_000n,
      left: 4_900_000_000n,
    })
    expect(await silentRuns({ ...world, now: () => now, zone: 'UTC' })).toMatchObject([
      { run: one.run, leases: [{ budget: held }] },
    ])
    // Partitions of other months would stay with those that share this Postgres.
    if (world.connection.kind === 'postgres') return
    await retain(world.connection, { now: now + 430 * DAY, usageDays: null })
    const rest = await accountsOf(world.connection)
    expect(rest.filter(({ spent }) => spent > 0n).map(({ budget }) => budget)).toEqual([held])
  })
})
