import { expect, it, vi } from 'vitest'
import { check } from '../../src/backup/check.ts'
import { heldAmounts, releaseHeld } from '../../src/budgets/held.ts'
import type { StoreConnection } from '../../src/database/connection.ts'
import { runSql } from '../../src/database/transaction.ts'
import { describeStores, stores } from '../support/stores.ts'
import { accountsOf, admits, DOLLAR, define, openWorld, refusal, startProcess, type TestProcess } from './engines.ts'
import { ask, DIME, rowOf } from './requests.ts'

/** A key of a project that has budgets. */
const keyOf = (id: string) => ({ principal: { id, owners: { project: 'site' } } })
const project = { scope: 'project', owner: 'site' } as const

/** A request of a key that was sent, and of which no cost is known. */
async function failUnknown(one: TestProcess, key = 'key_1', bound = DIME) {
  const request = ask(bound, keyOf(key))
  if (!(await admits(one, request))) return undefined
  const row = rowOf(request, null, { charged: 0, why: 'failed' })
  await one.ledger.settle(row)
  return row
}

const problems = async (connection: StoreConnection) =>
  (await check(connection)).filter(({ level }) => level === 'fault')
const spentOf = async (connection: StoreConnection) =>
  (await accountsOf(connection)).map(({ spent, counted }) => [spent, counted])

describeStores(stores(), 'Held amounts in $name', ({ open }) => {
  it('are listed by key, and are released once, in every budget, by a correction', async () => {
    const world = await openWorld(await open())
    const { connection } = world
    await define(connection)
    await define(connection, { ...project, counts: 'cost' })
    const one = await startProcess(world)
    const [row] = [await failUnknown(one), await failUnknown(one, 'key_2')]
    if (!row) throw new Error('It was refused.')
    await one.ledger.ingest()
    const amount = { id: row.id, principal: 'key_1', at: row.startedAt, why: 'failed', held: BigInt(DIME) }
    expect(await heldAmounts(connection, { principal: 'key_1' })).toMatchObject([amount])
    expect(await heldAmounts(connection)).toHaveLength(2)
    const parts = { connection, zone: 'UTC' }
    expect(await releaseHeld(parts, { id: row.id })).toMatchObject(amount)
    expect(await releaseHeld(parts, { id: row.id })).toBeUndefined()
    expect(await heldAmounts(connection, { principal: 'key_1' })).toEqual([])
    expect((await spentOf(connection)).toSorted()).toEqual(
      [
        [0n, 0n],
        [BigInt(DIME), BigInt(DIME)],
      ].toSorted(),
    )
    await expect(releaseHeld(parts, { id: 'no-row' })).rejects.toMatchObject({ kind: 'not-found' })
    expect(await problems(connection)).toEqual([])
    await runSql(connection.db, 'UPDATE budget_held SET held = held + 1')
    expect(await problems(connection)).toMatchObject([{ kind: 'budgets-differ' }, { kind: 'budgets-differ' }])
  })

  it('become the cost that a provider charged, which is never more than what was held', async () => {
    const world = await openWorld(await open())
    const { connection } = world
    await define(connection)
    const one = await startProcess(world)
    const [first, second] = [await failUnknown(one), await failUnknown(one)]
    await one.ledger.ingest()
    const parts = { connection, zone: 'UTC' }
    await releaseHeld(parts, { id: first?.id ?? '', cost: 30_000_000n })
    await releaseHeld(parts, { id: second?.id ?? '', cost: DOLLAR })
    expect(await spentOf(connection)).toEqual([[130_000_000n, 130_000_000n]])
    expect(await problems(connection)).toEqual([])
  })

  it('of one key take at most 20 % of a shared budget: then only this key is refused, also after a restart and elsewhere', async () => {
    const world = await openWorld(await open())
    await define(world.connection, { ...project, limit: 2n * DOLLAR })
    const one = await startProcess(world)
    let failed = 0
    while (failed < 9 && (await failUnknown(one))) failed += 1
    expect(failed).toBe(4)
    const refused = { why: 'held', held: 400_000_000n, room: 0n }
    expect(await refusal(one, ask(DIME, keyOf('key_1')))).toMatchObject(refused)
    expect(await admits(one, ask(DIME, keyOf('key_2')))).toBe(true)
    await one.ledger.ingest()
    const other = await startProcess(world)
    expect(await refusal(other, ask(DIME, keyOf('key_1')))).toMatchObject(refused)
    one.kill()
    const next = await startProcess(world)
    await next.ingestEnded()
    expect(await admits(next, ask(DIME, keyOf('key_2')))).toBe(true)
    expect(await refusal(next, ask(DIME, keyOf('key_1')))).toMatchObject(refused)
    const [first] = await heldAmounts(world.connection, { principal: 'key_1' })
    await releaseHeld({ connection: world.connection, zone: 'UTC' }, { id: first?.id ?? '' })
    await vi.waitFor(async () => {
      await next.heartbeat()
      expect(await admits(next, ask(DIME, keyOf('key_1')))).toBe(true)
    }, 10_000)
  })

  it('of a key are not limited in a budget that is its own, and as configured in others', async () => {
    const world = await openWorld(await open())
    await define(world.connection, { limit: DOLLAR })
    const one = await startProcess(world)
    for (let failed = 0; failed < 10; failed += 1) expect(await failUnknown(one)).toBeDefined()
    expect(await refusal(one, ask(DIME, keyOf('key_1')))).toMatchObject({ why: 'limit' })
    await define(world.connection, { ...project, limit: DOLLAR })
    await one.learn()
    one.engine.limitHeld(0.5)
    let failed = 0
    while (failed < 9 && (await failUnknown(one, 'key_2'))) failed += 1
    expect(failed).toBe(5)
  })
})
