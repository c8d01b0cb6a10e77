import { describe, expect, it } from 'vitest'
import { check } from '../../src/backup/check.ts'
import { heldAmounts, releaseHeld } from '../../src/budgets/held.ts'
import { nextLostRunSearch } from '../../src/budgets/lost-run-watch.ts'
import { bookLostRun, createLostRunSearch, LOST_AFTER } from '../../src/budgets/lost-runs.ts'
import type { StoreConnection } from '../../src/database/connection.ts'
import { temporaryFolder } from '../journal/journals.ts'
import { describeStores, stores } from '../support/stores.ts'
import { accountsOf, admits, DOLLAR, define, refusal, startProcess, type World } from './engines.ts'
import { ask, DIME, rowOf } from './requests.ts'

const DIMES = BigInt(DIME)
const LIMIT = 5n * DOLLAR

/** A node that has leased all of a budget, another one, and clocks that stand still until a test moves them. */
async function twoNodes(connection: StoreConnection) {
  const clock = { now: Date.now(), elapsed: 0 }
  const problems: string[] = []
  const times = { recall: 0, away: 0, confirmed: 45_000 }
  const clocks = { now: () => clock.now, elapsed: () => clock.elapsed }
  const worldIn = (dataDir: string): World => ({ connection, dataDir, times, ...clocks })
  const budget = await define(connection)
  const [dataDir, elsewhere] = [temporaryFolder(), temporaryFolder()]
  const parts = { connection, zone: 'UTC', now: () => clock.now, onProblem: (text: string) => void problems.push(text) }
  return {
    connection,
    budget,
    problems,
    lost: await startProcess(worldIn(dataDir)),
    /** Another process of the lost node. */
    restart: () => startProcess(worldIn(dataDir)),
    startElsewhere: () => startProcess(worldIn(elsewhere)),
    /** What other nodes search with. */
    parts: { ...parts, dataDir: elsewhere },
    partsHere: { ...parts, dataDir },
    pass(ms: number) {
      clock.now += ms
      clock.elapsed += ms
    },
    request: (bound = DIME) => ask(bound, { at: clock.now }),
  }
}

const account = async (connection: StoreConnection) => (await accountsOf(connection))[0]
const faults = async (connection: StoreConnection) => (await check(connection)).filter(({ level }) => level === 'fault')

describe('The next search for lost processes', () => {
  it('leaves 90 s for all of it, and is done twice a second by a few dozen processes', () => {
    for (const runs of [1, 2, 10, 24, 100, 1_000])
      for (const random of [0, 1]) {
        const wait = nextLostRunSearch({ runs, isPending: false }, random)
        const again = nextLostRunSearch({ runs, isPending: true }, random)
        expect(LOST_AFTER + wait + again).toBeLessThan(90_000)
        expect(runs / (wait / 1_000)).toBeLessThan(Math.max(2.6, runs / 9))
      }
  })
})

describeStores(stores(), 'A node that is lost, in $name', ({ open }) => {
  it('has its leases counted as spent after a minute without a heartbeat, once, by rows that hold them', async () => {
    const { connection, lost, parts, problems, pass, request, budget } = await twoNodes(await open())
    await admits(lost, request())
    const search = createLostRunSearch(parts)
    pass(LOST_AFTER)
    expect(await search()).toMatchObject({ isPending: false })
    pass(1)
    expect([await search(), await account(connection)]).toMatchObject([{ isPending: true }, { leased: LIMIT }])
    expect([await search(), await account(connection)]).toMatchObject([
      { isPending: false },
      { spent: LIMIT, leased: 0n, left: 0n, counted: LIMIT },
    ])
    expect(problems).toEqual([expect.stringMatching(new RegExp(`^Process ${lost.run} of test has sent no heartbeat`))])
    for (let again = 0; again < 3; again += 1) expect(await search()).toMatchObject({ isPending: false })
    const details = { run: lost.run, node: 'test', budget: budget.id, window: expect.stringContaining('@UTC') }
    expect(await heldAmounts(connection)).toMatchObject([
      { why: 'unknown', principal: 'key_1', held: LIMIT, lost: details },
    ])
    expect(await faults(connection)).toEqual([])
  })

  it('is not lost if it had a heartbeat between two searches, or has its journal in this data directory', async () => {
    const { connection, lost, parts, partsHere, pass, request } = await twoNodes(await open())
    await admits(lost, request())
    const [search, searchHere] = [createLostRunSearch(parts), createLostRunSearch(partsHere)]
    pass(LOST_AFTER + 1)
    expect(await search()).toMatchObject({ isPending: true })
    await lost.heartbeat()
    pass(LOST_AFTER + 1)
    expect(await search()).toMatchObject({ isPending: true })
    expect([await searchHere(), await searchHere()]).toMatchObject([{ isPending: false }, { isPending: false }])
    await lost.heartbeat()
    expect([await search(), await account(connection)]).toMatchObject([{ isPending: false }, { leased: LIMIT }])
  })

  it('is corrected to what it spent when its journal comes back, also in the middle of a request', async () => {
    const { connection, lost, parts, restart, pass, request } = await twoNodes(await open())
    const [stored, late, open_] = [request(), request(), request(3 * DIME)]
    for (const one of [stored, late, open_]) expect(await admits(lost, one)).toBe(true)
    await lost.ledger.settle(rowOf(stored, DIME / 2))
    await lost.ledger.ingest()
    await lost.ledger.settle(rowOf(late, DIME / 5))
    lost.kill()
    pass(LOST_AFTER + 1)
    expect(await bookLostRun(parts, lost.run)).toBe(true)
    expect(await account(connection)).toMatchObject({ spent: LIMIT, leased: 0n })
    const next = await restart()
    const spent = DIMES / 2n + DIMES / 5n + 3n * DIMES
    for (let again = 0; again < 2; again += 1) {
      await next.ingestEnded()
      expect(await account(connection)).toMatchObject({ spent, leased: 0n, left: 0n, counted: spent })
    }
    expect(await heldAmounts(connection)).toMatchObject([{ why: 'lost', id: open_.id, held: 3n * DIMES }])
    const rows = await connection.db.selectFrom('usage').select('id').where('corrects', 'is', null).execute()
    expect(rows).toHaveLength(4)
    expect(await faults(connection)).toEqual([])
    expect(await admits(next, request())).toBe(true)
  })

  it('has its amounts released by an owner, and what comes back later counts once', async () => {
    const { connection, lost, parts, restart, startElsewhere, pass, request } = await twoNodes(await open())
    const late = request()
    await admits(lost, late)
    await lost.ledger.settle(rowOf(late, DIME))
    lost.kill()
    pass(LOST_AFTER + 1)
    await bookLostRun(parts, lost.run)
    const other = await startElsewhere()
    expect(await refusal(other, request())).toMatchObject({ why: 'limit' })
    const [held] = await heldAmounts(connection)
    expect(await releaseHeld(parts, { id: held?.id ?? '' })).toMatchObject({ held: LIMIT, lost: { node: 'test' } })
    expect(await account(connection)).toMatchObject({ spent: 0n, leased: 0n })
    pass(1_000)
    expect(await admits(other, request())).toBe(true)
    const next = await restart()
    await next.ingestEnded()
    const leased = (await account(connection))?.left
    expect(await account(connection)).toMatchObject({ spent: DIMES, leased, counted: DIMES })
    expect(await faults(connection)).toEqual([])
  })

  it('admits nothing once it wakes up, and what was in progress is counted exactly', async () => {
    const { connection, lost, parts, restart, pass, request } = await twoNodes(await open())
    const running = request()
    await admits(lost, running)
    pass(LOST_AFTER + 1)
    await bookLostRun(parts, lost.run)
    expect(await refusal(lost, request())).toMatchObject({ why: 'away' })
    // What no request needs is free again, and the rest is a lease until the request has ended.
    await expect.poll(() => account(connection)).toMatchObject({ spent: 0n, leased: DIMES })
    const next = await restart()
    expect(await admits(next, request())).toBe(true)
    expect(await refusal(lost, { ...running, bound: DIME })).toMatchObject({ why: 'away' })
    await lost.ledger.settle(rowOf(running, DIME / 2))
    await lost.close()
    const { spent, counted } = (await account(connection)) ?? {}
    expect([spent, counted]).toEqual([DIMES / 2n, DIMES / 2n])
    expect(await faults(connection)).toEqual([])
  })

  it('is lost again if it wakes up and goes on to be silent', async () => {
    const { connection, lost, parts, pass, request } = await twoNodes(await open())
    await admits(lost, request())
    pass(LOST_AFTER + 1)
    expect(await bookLostRun(parts, lost.run)).toBe(true)
    await lost.heartbeat()
    await expect.poll(() => account(connection)).toMatchObject({ spent: 0n, leased: DIMES })
    expect(await bookLostRun(parts, lost.run)).toBe(false)
    pass(LOST_AFTER + 1)
    expect(await bookLostRun(parts, lost.run)).toBe(true)
    expect(await account(connection)).toMatchObject({ spent: DIMES, leased: 0n, counted: DIMES })
  })
})

describeStores(stores(), 'A process without contact to $name', ({ open }) => {
  it('uses its lease for 45 s, and then only if the store answers', async () => {
    const { lost, pass, request } = await twoNodes(await open())
    expect(await admits(lost, request())).toBe(true)
    lost.cutOff(true)
    pass(45_000)
    expect(await admits(lost, request())).toBe(true)
    pass(1)
    expect(await refusal(lost, request())).toMatchObject({ why: 'away', retryAfterMs: expect.any(Number) })
    lost.cutOff(false)
    expect(await admits(lost, request())).toBe(true)
  })
})

describeStores(
  stores().flatMap(({ name, openTwice }) => (openTwice ? [{ name, openTwice }] : [])),
  'Two processes that find the same lost node in $name',
  ({ openTwice }) => {
    it('count its leases once', async () => {
      const [one, other] = await openTwice()
      const { connection, lost, parts, problems, pass, request } = await twoNodes(one)
      await admits(lost, request())
      pass(LOST_AFTER + 1)
      const booked = await Promise.all(
        [connection, other].map((own) => bookLostRun({ ...parts, connection: own }, lost.run)),
      )
      expect(booked.toSorted()).toEqual([false, true])
      expect(problems).toHaveLength(1)
      expect(await account(connection)).toMatchObject({ spent: LIMIT, leased: 0n, counted: LIMIT })
      expect(await heldAmounts(connection)).toHaveLength(1)
    })
  },
)
