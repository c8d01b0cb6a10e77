import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { check } from '../../src/backup/check.ts'
import type { StoreConnection } from '../../src/database/connection.ts'
import { describeStores, stores } from '../support/stores.ts'
import {
  accountsOf,
  admits,
  DOLLAR,
  define,
  openWorld,
  refusal,
  startProcess,
  type TestProcess,
  undefine,
} from './engines.ts'
import { ask, DIME, rowOf } from './requests.ts'

/** Has processes hear of each other while something is done, as their readers do. */
async function hearing<Result>(processes: readonly TestProcess[], act: () => Promise<Result>): Promise<Result> {
  let isOver = false
  const acting = act().finally(() => {
    isOver = true
  })
  while (!isOver) {
    for (const one of processes) await one.hear()
    await turn()
  }
  return acting
}

async function spendAll(connection: StoreConnection, count: number, nth: number): Promise<void> {
  const world = await openWorld(connection)
  const principal = { id: `key_${nth}` }
  const { id } = await define(connection, { owner: principal.id })
  const processes = await Promise.all(Array.from({ length: count }, () => startProcess(world)))
  for (const one of processes) await one.heartbeat()
  // One of them has taken all there is, and does not need it.
  const [first] = processes
  const idle = ask(DIME, { principal })
  if (!first || !(await admits(first, idle))) throw new Error('There is one, and it is admitted.')
  await first.ledger.settle(rowOf(idle, 0))
  const asked = Array.from({ length: 500 }, (_, index) => ({
    one: processes[index % count] ?? first,
    request: ask(DIME, { principal }),
  }))
  const answers = await hearing(processes, () =>
    Promise.all(asked.map(({ one, request }) => one.engine.reserve(request))),
  )
  const admitted = asked.filter((_, index) => answers[index] === undefined)
  expect(admitted).toHaveLength(50)
  for (const refused of answers.filter((answer) => answer !== undefined))
    expect(refused).toMatchObject({ why: 'limit', retryAfterMs: expect.any(Number) })
  for (const { one, request } of admitted) await one.ledger.settle(rowOf(request, DIME))
  for (const one of processes) await one.ledger.ingest()
  const accounts = (await accountsOf(connection)).filter(({ budget }) => budget === id)
  expect(accounts).toMatchObject([{ spent: 5n * DOLLAR, leased: 0n, left: 0n, counted: 5n * DOLLAR }])
  // What was known when it was denied last is said for a moment.
  for (const one of processes)
    await expect.poll(() => refusal(one, ask(DIME, { principal }))).not.toHaveProperty('retryAfterMs')
}

describeStores(stores(), 'A budget of several processes in $name', ({ name, open }) => {
  const isReal = name === 'Postgres'

  it.each([1, 3])('is spent to the end, and not beyond, by 500 requests at once at %i of them', async (count) => {
    const connection = await open()
    for (let nth = 0; nth < (isReal ? 20 : 2); nth += 1) await spendAll(connection, count, nth)
  })

  it('has what a request cost that ended at another process than it began at, as that of a task, and the rest of it is free', async () => {
    const world = await openWorld(await open(), { times: { othersSettled: 0 } })
    const { connection } = world
    const principal = { id: 'key_1', owners: { project: 'p' } }
    const budgets = [
      await define(connection, { limit: DOLLAR }),
      await define(connection, { limit: DOLLAR, counts: 'cost' }),
      await define(connection, { limit: DOLLAR, scope: 'project', owner: 'p' }),
      await define(connection, { limit: DOLLAR, scope: 'project', owner: 'p', soft: true }),
    ]
    const [one, other] = [await startProcess(world), await startProcess(world)]
    const [request, unknown, goesOn] = [
      ask(5 * DIME, { principal }),
      ask(DIME, { principal }),
      ask(DIME, { principal }),
    ]
    for (const each of [request, unknown, goesOn]) expect(await admits(one, each)).toBe(true)
    // Knows nothing of the project.
    await other.ledger.settle(rowOf(request, 2 * DIME, { charged: DIME }))
    await other.ledger.settle(rowOf(unknown, null))
    await other.ledger.ingest()
    await one.heartbeat()
    expect(one.engine.underway()).toBe(1)
    for (const each of [one, one, other]) await each.ledger.ingest()
    const spent = new Map((await accountsOf(connection)).map((account) => [account.budget, account]))
    for (const [index, { id }] of budgets.entries()) {
      const amount = BigInt((index === 1 ? 3 : 2) * DIME)
      expect(spent.get(id), `${index}`).toMatchObject({ spent: amount, counted: amount })
    }
    expect(await check(connection)).toEqual([])
    await one.ledger.settle(rowOf(goesOn, 0))
    one.engine.limitHeld(1)
    expect(await admits(one, ask(7 * DIME, { principal }))).toBe(true)
    expect(await admits(one, ask(DIME, { principal }))).toBe(false)
  })

  it('goes to whoever needs it, from whoever has not used it for a while', async () => {
    const world = await openWorld(await open(), { times: { idle: 0 } })
    await define(world.connection)
    const [one, other] = [await startProcess(world), await startProcess(world)]
    const request = ask()
    await admits(one, request)
    expect(await accountsOf(world.connection)).toMatchObject([{ leased: 5n * DOLLAR }])
    // The first request of another one makes it known.
    await hearing([one], () => admits(other, ask()))
    await one.heartbeat()
    await one.ledger.settle(rowOf(request, 0))
    await one.heartbeat()
    await expect.poll(async () => (await accountsOf(world.connection))[0]?.left).toBeLessThanOrEqual(DOLLAR)
  })

  it('is felt as soon as it is raised, lowered or removed: what was admitted ends, nothing new is', async () => {
    const world = await openWorld(await open())
    const budget = await define(world.connection)
    const [one, other] = [await startProcess(world), await startProcess(world)]
    const processes = [one, other]
    const begun = ask(20 * DIME)
    expect(await admits(one, begun)).toBe(true)
    await define(world.connection, { id: budget.id, limit: DOLLAR })
    for (const each of processes) await each.heartbeat()
    expect(await refusal(one, ask())).toMatchObject({ budget: { limit: DOLLAR }, held: 2n * DOLLAR })
    expect(await hearing(processes, () => admits(other, ask()))).toBe(false)
    await one.ledger.settle(rowOf(begun, 20 * DIME))
    await define(world.connection, { id: budget.id, limit: 3n * DOLLAR })
    for (const each of processes) await each.heartbeat()
    expect(await hearing(processes, () => admits(other, ask(5 * DIME)))).toBe(true)
    await define(world.connection, { id: budget.id, limit: 0n })
    for (const each of processes) await each.heartbeat()
    expect(await hearing(processes, () => refusal(other, ask()))).not.toHaveProperty('retryAfterMs')
    await undefine(world.connection, budget)
    for (const each of processes) await each.heartbeat()
    expect(other.engine.bounds({ id: 'key_1' })).toBe(false)
    expect(await admits(other, ask())).toBe(true)
  })
})
