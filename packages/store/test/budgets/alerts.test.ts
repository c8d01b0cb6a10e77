import { expect, it } from 'vitest'
import { createAlerts } from '../../src/budgets/alerts.ts'
import type { StoreConnection } from '../../src/database/connection.ts'
import { transact } from '../../src/database/transaction.ts'
import { retain } from '../../src/retention/retention.ts'
import { writeRows, writeWithin } from '../../src/usage/write.ts'
import { ledgerRow } from '../support/rows.ts'
import { describeStores, stores } from '../support/stores.ts'
import { accountsOf, admits, DOLLAR, define, openWorld, refusal, startProcess, type TestProcess } from './engines.ts'
import { ask, DIME, rowOf } from './requests.ts'

const DAY = 86_400_000

/** Spends, and says what is told then for the first time. */
async function announced(connection: StoreConnection, act: () => Promise<unknown>): Promise<number[]> {
  const alerts = createAlerts({ connection })
  const known = new Set((await alerts.list()).map(({ id }) => id))
  await act()
  return (await alerts.list())
    .filter(({ id }) => !known.has(id))
    .map(({ percent }) => percent)
    .sort((one, other) => one - other)
}

async function spend(one: TestProcess, amount: number): Promise<void> {
  const request = ask(amount)
  if (!(await admits(one, request))) throw new Error('There is enough.')
  await one.ledger.settle(rowOf(request, amount))
  await one.ledger.ingest()
}

describeStores(stores(), 'Alerts of budgets in $name', ({ open, openTwice }) => {
  it('are given once a window at 50, 80 and 100 %, and at its end where what is left is too little', async () => {
    const world = await openWorld(await open())
    const { connection } = world
    const budget = await define(connection, { limit: DOLLAR + 5n, name: 'team' })
    const one = await startProcess(world)
    const all: number[][] = []
    for (let dimes = 0; dimes < 10; dimes += 1) all.push(await announced(connection, () => spend(one, DIME)))
    expect(all).toEqual([[], [], [], [], [], [50], [], [], [80], []])
    await refusal(one, ask())
    await refusal(one, ask())
    await expect
      .poll(() => createAlerts({ connection }).list(1))
      .toMatchObject([
        {
          percent: 100,
          spent: DOLLAR,
          limit: DOLLAR + 5n,
          window: expect.stringMatching(/^\d{4}-\d\d-\d\d@UTC$/),
          tries: 0,
          resetAt: expect.any(Number),
          budget: { id: budget.id, name: 'team', scope: 'key', owner: 'key_1', soft: false },
        },
      ])
    expect(await announced(connection, () => spend(one, 5))).toEqual([])
  })

  it('are given for each share that is spent at one go, of soft budgets too', async () => {
    const world = await openWorld(await open())
    await define(world.connection, { soft: true, limit: BigInt(DIME) })
    const one = await startProcess(world)
    expect(await announced(world.connection, () => spend(one, 3 * DIME))).toEqual([50, 80, 100])
    expect(await announced(world.connection, () => spend(one, 3 * DIME))).toEqual([])
  })

  it('are given anew of a limit that is another one: at once where it is lower, when more is spent where it is higher', async () => {
    const world = await openWorld(await open())
    const { connection } = world
    const { id } = await define(connection, { limit: DOLLAR })
    const one = await startProcess(world)
    expect(await announced(connection, () => spend(one, 6 * DIME))).toEqual([50])
    expect(await announced(connection, () => define(connection, { id, limit: BigInt(7 * DIME) }))).toEqual([80])
    expect(await announced(connection, () => define(connection, { id, limit: 2n * DOLLAR }))).toEqual([])
    await one.heartbeat()
    expect(await announced(connection, () => spend(one, 5 * DIME))).toEqual([50])
    expect(await announced(connection, () => define(connection, { id, limit: DOLLAR }))).toEqual([80, 100])
    expect(await announced(connection, () => define(connection, { id, limit: 2n * DOLLAR }))).toEqual([])
    expect(await announced(connection, () => define(connection, { id, limit: DOLLAR }))).toEqual([])
  })

  it('are there with what is spent, or neither is', async () => {
    const connection = await open()
    const { id: budget } = await define(connection)
    const spends = [{ budget, win: 'forever', startsAt: 0, amount: String(5n * DOLLAR), isFree: true }] as const
    const batch = { rows: [{ ...ledgerRow(1), spends }], zone: 'UTC' }
    const killed = transact(connection, async (trx) => {
      expect((await writeWithin(connection, trx, batch)).alerts).toBe(3)
      throw new Error('killed')
    })
    await expect(killed).rejects.toThrow('killed')
    expect([await createAlerts({ connection }).list(), await accountsOf(connection)]).toEqual([[], []])
    expect([(await writeRows(connection, batch)).alerts, (await writeRows(connection, batch)).alerts]).toEqual([3, 0])
  })

  it('are taken by one of those who ask, and by another once the time of that one is over', async () => {
    const [here, there] = openTwice ? await openTwice() : await open().then((one) => [one, one] as const)
    const clock = { now: Date.now() }
    const [one, other] = [here, there].map((connection) => createAlerts({ connection, now: () => clock.now })) as [
      Alerts,
      Alerts,
    ]
    await giveAlerts(here, 4)
    const taken = await Promise.all([one.take(5, 1_000), other.take(5, 1_000), one.take(5, 1_000)])
    expect(new Set(taken.flat().map(({ id }) => id)).size).toBe(12)
    expect(taken.flat()).toHaveLength(12)
    expect([await other.take(20, 1_000), await other.take(0, 1_000)]).toEqual([[], []])
    clock.now += 1_000
    expect((await other.take(1_000_000, 1_000)).map(({ tries }) => tries)).toEqual(Array(12).fill(1))
    for (const { id } of taken.flat()) await one.done(id)
    clock.now += DAY
    expect(await one.take(20, 1_000)).toEqual([])
    expect(
      (await one.list(20)).every(({ deliveredAt, nextAt }) => deliveredAt !== undefined && nextAt === undefined),
    ).toBe(true)
  })

  it('are tried 12 times within a day, then kept', async () => {
    const connection = await open()
    const from = Date.now()
    const clock = { now: from }
    const alerts = createAlerts({ connection, now: () => clock.now })
    await giveAlerts(connection, 1)
    const [failing, ...others] = await alerts.take(3, 60_000)
    for (const { id } of others) await alerts.done(id)
    const id = failing?.id ?? ''
    for (let tries = 1; tries < 12; tries += 1) {
      expect(await alerts.later(id)).toBe(true)
      clock.now = (await alerts.list()).find((one) => one.id === id)?.nextAt ?? 0
      expect(await alerts.take(3, 60_000), `${tries}`).toMatchObject([{ id, tries }])
    }
    expect(clock.now - from).toBeLessThan(DAY)
    expect(clock.now - from).toBeGreaterThan(DAY / 2)
    expect(await alerts.later(id)).toBe(false)
    clock.now += DAY
    expect(await alerts.take(3, 60_000)).toEqual([])
    const [kept] = (await alerts.list()).filter((one) => one.id === id)
    expect([kept?.tries, kept?.nextAt, kept?.deliveredAt]).toEqual([12, undefined, undefined])
    expect(await alerts.later('alert_none')).toBe(false)
  })

  it('are kept for 90 days', async () => {
    const connection = await open()
    await giveAlerts(connection, 1)
    const alerts = createAlerts({ connection })
    await retain(connection, { now: Date.now() + 89 * DAY, usageDays: null })
    expect(await alerts.list()).toHaveLength(3)
    await retain(connection, { now: Date.now() + 91 * DAY, usageDays: null })
    expect(await alerts.list()).toEqual([])
  })
})

type Alerts = ReturnType<typeof createAlerts>

/** Uses up so many budgets. */
async function giveAlerts(connection: StoreConnection, count: number): Promise<void> {
  for (let nth = 1; nth <= count; nth += 1) {
    const { id: budget } = await define(connection, { owner: `key_${nth}` })
    const spends = [{ budget, win: 'forever', startsAt: 0, amount: String(5n * DOLLAR), isFree: true }] as const
    await writeRows(connection, { rows: [{ ...ledgerRow(nth), spends }], zone: 'UTC' })
  }
}
