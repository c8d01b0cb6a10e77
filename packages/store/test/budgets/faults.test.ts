import { readFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { heartbeat } from '../../src/budgets/process-runs.ts'
import { roomFor, writeLine } from '../../src/journal/line.ts'
import { journalFolder } from '../../src/journal/process-run.ts'
import { segmentFile, segmentsOf } from '../../src/journal/segment.ts'
import { retain } from '../../src/retention/retention.ts'
import { diskWith } from '../journal/journals.ts'
import { describeStores, stores } from '../support/stores.ts'
import { accountsOf, admits, DOLLAR, define, openWorld, refusal, startProcess, type Wire } from './engines.ts'
import { ask, DIME, rowOf } from './requests.ts'

const AWAY: Wire = () => Promise.reject(new Error('connection refused'))

/** A way to the store that a test changes. */
function changing() {
  const way: { wire: Wire } = { wire: (_key, _change, send) => send() }
  const wire: Wire = (key, change, send) => way.wire(key, change, send)
  return { way, wire }
}

describeStores(
  stores().filter(({ name }) => name !== 'Postgres'),
  'A budget in $name',
  ({ open }) => {
    it('goes on within its lease while the store is away, then says that it is away, and goes on when it is back', async () => {
      const world = await openWorld(await open(), { times: { away: 30 } })
      await define(world.connection)
      const { way, wire } = changing()
      const [one] = [await startProcess(world, wire), await startProcess(world)]
      expect(await admits(one, ask())).toBe(true)
      way.wire = AWAY
      for (let times = 1; times < 50; times += 1) expect(await admits(one, ask())).toBe(true)
      expect(await refusal(one, ask())).toMatchObject({ why: 'away', retryAfterMs: 30, held: 5n * DOLLAR })
      way.wire = (_key, _change, send) => send()
      await expect.poll(async () => (await refusal(one, ask())).why).toBe('limit')
    })

    it('does not keep a request waiting for a store that says nothing', async () => {
      const world = await openWorld(await open(), { times: { answer: 10, away: 60_000 } })
      await define(world.connection)
      const one = await startProcess(world, () => new Promise(() => {}))
      expect(await refusal(one, ask())).toMatchObject({ why: 'away', retryAfterMs: 60_000 })
      expect(await refusal(one, ask())).toMatchObject({ why: 'away' })
    })

    it('is leased once where the answer was lost, however late what was sent arrives', async () => {
      const world = await openWorld(await open(), { times: { away: 0 } })
      await define(world.connection)
      const { way, wire } = changing()
      const one = await startProcess(world, wire)
      const late: (() => Promise<unknown>)[] = []
      way.wire = async (_key, _change, send) => {
        late.push(send)
        await send()
        throw new Error('The connection broke.')
      }
      expect(await refusal(one, ask())).toMatchObject({ why: 'away' })
      expect(await accountsOf(world.connection)).toMatchObject([{ leased: 5n * DOLLAR }])
      way.wire = (_key, _change, send) => send()
      expect(await admits(one, ask())).toBe(true)
      for (const send of late) await send()
      expect(await accountsOf(world.connection)).toMatchObject([{ leased: 5n * DOLLAR, left: 5n * DOLLAR }])
    })

    it('is given back once, however often that is said', async () => {
      const world = await openWorld(await open(), { times: { idle: 0, away: 0 } })
      await define(world.connection)
      const { way, wire } = changing()
      const [one, other] = [await startProcess(world, wire), await startProcess(world)]
      const request = ask()
      await admits(one, request)
      await heartbeat({ connection: world.connection, node: 'test' }, other.run)
      const late: (() => Promise<unknown>)[] = []
      way.wire = async (_key, _change, send) => {
        late.push(send)
        await send()
        return send()
      }
      await one.engine.heartbeat()
      await expect.poll(async () => (await accountsOf(world.connection))[0]?.leased).toBe(BigInt(DIME))
      for (const send of late) await send()
      expect(await accountsOf(world.connection)).toMatchObject([{ leased: BigInt(DIME), left: BigInt(DIME) }])
      for (let times = 0; times < 49; times += 1) expect(await admits(other, ask())).toBe(true)
      expect(await admits(other, ask())).toBe(false)
    })

    it('stays with a process that is stopped, and is nobody else’s before that one is dead', async () => {
      const world = await openWorld(await open(), { times: { recall: 0 } })
      await define(world.connection)
      const [stopped, other] = [await startProcess(world), await startProcess(world)]
      const request = ask()
      await admits(stopped, request)
      await other.ingestEnded()
      expect(await refusal(other, ask())).toMatchObject({ held: 5n * DOLLAR, retryAfterMs: 1_000 })
      expect(await admits(stopped, ask())).toBe(true)
    })

    it('goes by the clock of the store in a process whose own clock is an hour ahead or behind', async () => {
      let now = Date.UTC(2026, 10, 22, 23, 59)
      const world = await openWorld(await open(), { now: () => now })
      await define(world.connection)
      const early = await startProcess({ ...world, ownNow: () => now + 3_600_000 })
      expect(await admits(early, ask(DIME, { at: now + 3_600_000 }))).toBe(true)
      expect(early.problems).toEqual([expect.stringContaining('clock')])
      expect(await refusal(early, ask(50 * DIME, { at: now + 3_600_000 }))).toMatchObject({
        why: 'limit',
        resetAt: Date.UTC(2026, 10, 23),
      })
      early.kill()
      now += 120_000
      const late = await startProcess({ ...world, ownNow: () => now - 3_600_000 })
      expect(await admits(late, ask(50 * DIME, { at: now - 3_600_000 }))).toBe(true)
      await late.heartbeat()
      expect(await refusal(late, ask(DIME, { at: now - 3_600_000 }))).toMatchObject({
        why: 'limit',
        resetAt: Date.UTC(2026, 10, 24),
      })
      expect((await accountsOf(world.connection)).map(({ win }) => win)).toEqual(['2026-11-22@UTC', '2026-11-23@UTC'])
    })

    it('is not granted again to a process whose clock jumps forward and back, and all of it can be spent', async () => {
      const now = Date.UTC(2026, 10, 22, 12)
      const clock = { skew: 0 }
      const world = await openWorld(await open(), {
        now: () => now,
        ownNow: () => now + clock.skew,
        times: { forget: 0 },
      })
      await define(world.connection)
      const one = await startProcess(world)
      let admitted = 0
      for (let nth = 0; nth < 60; nth += 1) {
        const request = ask(DIME, { at: now })
        if (await admits(one, request)) {
          admitted += 1
          await one.ledger.settle(rowOf(request, DIME))
        }
        if (nth % 5 > 0) continue
        for (const skew of [48 * 3_600_000, 0]) {
          clock.skew = skew
          await one.heartbeat()
          await one.heartbeat()
        }
      }
      expect(admitted).toBe(50)
    })

    it('is not granted again once retention has run while the clock was a month ahead, or two years', async () => {
      const clock = { now: Date.UTC(2026, 10, 22, 12) }
      const world = await openWorld(await open(), { now: () => clock.now })
      await define(world.connection)
      const one = await startProcess(world)
      expect(await admits(one, ask(50 * DIME, { at: clock.now }))).toBe(true)
      for (const days of [30, 730]) {
        clock.now += days * 86_400_000
        await one.heartbeat()
        expect(await admits(one, ask(DIME, { at: clock.now }))).toBe(true)
        await retain(world.connection, { now: clock.now })
        clock.now -= days * 86_400_000
      }
      await one.heartbeat()
      expect(await accountsOf(world.connection)).toMatchObject([{ leased: 5n * DOLLAR }, {}, {}])
      expect(await admits(await startProcess(world), ask(DIME, { at: clock.now }))).toBe(false)
    })

    it('is that of the day in which a request began, also after midnight', async () => {
      let now = Date.UTC(2026, 10, 22, 23, 59)
      const world = await openWorld(await open(), { now: () => now })
      await define(world.connection, { limit: DOLLAR })
      const one = await startProcess(world)
      const request = ask(6 * DIME)
      expect(await admits(one, request)).toBe(true)
      await one.engine.reserve(ask(4 * DIME))
      now += 120_000
      // Its own day: the next one is untouched.
      expect(await refusal(one, { ...request, bound: 1 })).toMatchObject({ resetAt: Date.UTC(2026, 10, 23), spent: 0n })
      expect(await admits(one, ask(10 * DIME))).toBe(true)
      await one.ledger.settle(rowOf(request, 5 * DIME))
      await one.ledger.ingest()
      expect(await accountsOf(world.connection)).toMatchObject([
        { win: '2026-11-22@UTC', spent: 500_000_000n },
        { win: '2026-11-23@UTC', spent: 0n, leased: DOLLAR },
      ])
    })

    it('admits nothing whose begin can not be written down, and gives it back', async () => {
      const { write, room } = diskWith(1_000_000)
      const world = await openWorld(await open(), { times: { away: 7 } })
      await define(world.connection, { limit: BigInt(DIME) })
      const one = await startProcess({ ...world, write })
      const request = ask()
      expect(await admits(one, request)).toBe(true)
      one.engine.release(request.id)
      room(0)
      expect(await refusal(one, ask())).toMatchObject({ why: 'away', retryAfterMs: 7, held: 0n })
      expect(await refusal(one, ask())).toMatchObject({ why: 'away' })
      room(1_000_000)
      await expect.poll(() => admits(one, ask()), { timeout: 20_000 }).toBe(true)
      one.kill()
      const next = await startProcess(world)
      await next.ingestEnded()
      expect(await accountsOf(world.connection)).toMatchObject([{ spent: BigInt(DIME), leased: 0n }])
    })

    it('counts a row that the store refuses', async () => {
      const world = await openWorld(await open())
      await define(world.connection)
      const one = await startProcess(world)
      const request = ask()
      await admits(one, request)
      await one.ledger.settle({ ...rowOf(request, DIME), durationMs: Number.NaN })
      await one.ledger.ingest()
      one.kill()
      const next = await startProcess(world)
      await next.ingestEnded()
      expect(await accountsOf(world.connection)).toMatchObject([
        { spent: 100_000_000n, leased: 0n, counted: 100_000_000n },
      ])
    })

    it('holds what a process had whose machine has lost its power: its journal may lack its end', async () => {
      const world = await openWorld(await open(), { times: { recall: 0 } })
      await define(world.connection)
      const one = await startProcess(world)
      const request = ask()
      await admits(one, request)
      await one.ledger.settle(rowOf(request, DIME))
      one.kill()
      asOfAnotherBoot(`${journalFolder(world.dataDir)}/${one.run}`)
      const next = await startProcess(world)
      expect(await refusal(next, ask())).toMatchObject({ spent: 100_000_000n, held: 4_900_000_000n })
      expect(await accountsOf(world.connection)).toMatchObject([{ spent: 100_000_000n, leased: 4_900_000_000n }])
    })
  },
)

/** Has the machine been started again since. */
function asOfAnotherBoot(folder: string): void {
  for (const segment of segmentsOf(folder)) {
    const file = segmentFile(folder, segment)
    const lines = readFileSync(file)
    const end = lines.indexOf('\n')
    const header = { ...JSON.parse(lines.toString('utf8', 9, end)), boot: 'another' }
    const text = JSON.stringify(header)
    const line = Buffer.alloc(roomFor(text))
    writeFileSync(file, Buffer.concat([line.subarray(0, writeLine(line, 0, text)), lines.subarray(end + 1)]))
  }
}
