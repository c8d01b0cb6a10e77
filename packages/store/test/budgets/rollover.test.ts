import type { BudgetRequest } from '@headgate/gateway/ports'
import { expect, it } from 'vitest'
import { describeStores, stores } from '../support/stores.ts'
import { accountsOf, clear, DOLLAR, define, openWorld, startProcess } from './engines.ts'
import { ask, DIME, rowOf } from './requests.ts'

const MINUTE = 60_000
/** Minutes before and after midnight, and requests that begin in each. */
const AROUND = 20
const REQUESTS = 6

describeStores(stores(), 'A budget of a day that ends under load in $name', ({ open }) => {
  it.each([
    ['Europe/Berlin', 'before a day of 25 hours', '2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z'],
    ['Europe/Berlin', 'after a day of 23 hours', '2026-03-29T22:00:00Z', '2026-03-30T22:00:00Z'],
    ['Africa/Cairo', 'before a day that has no midnight', '2026-04-23T22:00:00Z', '2026-04-24T21:00:00Z'],
  ])('in %s %s is spent to the end on both sides of it, and not beyond', async (zone, _, text, next) => {
    const midnight = Date.parse(text)
    let now = midnight - AROUND * MINUTE
    const connection = await open()
    await clear(connection)
    const world = await openWorld(connection, { now: () => now })
    await define(connection, { limit: 2n * DOLLAR, zone })
    const processes = await Promise.all([1, 2, 3].map(() => startProcess(world)))
    const begun = { before: 0, after: 0 }
    /** What is under way ends three minutes later, at the process that began it: some of it on the other side. */
    const underway: { readonly request: BudgetRequest; readonly nth: number; readonly until: number }[] = []
    const settle = async (upTo: number): Promise<void> => {
      const due = underway.filter(({ until }) => until <= upTo)
      for (const one of due) underway.splice(underway.indexOf(one), 1)
      await Promise.all(due.map(({ request, nth }) => processes[nth]?.ledger.settle(rowOf(request, DIME))))
    }
    for (let minute = 0; minute < 2 * AROUND; minute += 1) {
      await settle(now)
      const asked = Array.from({ length: REQUESTS }, async (_, index) => {
        const nth = index % processes.length
        const request = ask(DIME, { at: now })
        const refused = await processes[nth]?.engine.reserve(request)
        if (refused) {
          expect(refused).toMatchObject({ why: 'limit', resetAt: now < midnight ? midnight : Date.parse(next) })
          return
        }
        begun[now < midnight ? 'before' : 'after'] += 1
        underway.push({ request, nth, until: now + 3 * MINUTE })
      })
      await Promise.all(asked)
      for (const one of processes) await one.heartbeat()
      now += MINUTE
    }
    await settle(Number.POSITIVE_INFINITY)
    for (const one of processes) await one.ledger.ingest()
    expect(begun).toEqual({ before: 20, after: 20 })
    const spent = { spent: 2n * DOLLAR, leased: 0n, counted: 2n * DOLLAR }
    expect(await accountsOf(connection)).toMatchObject([spent, spent])
  })
})
