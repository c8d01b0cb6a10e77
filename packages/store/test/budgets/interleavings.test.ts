import fc from 'fast-check'
import { expect, it } from 'vitest'
import { windowAt } from '../../src/budgets/window.ts'
import type { StoreConnection } from '../../src/database/connection.ts'
import { describeStores, stores } from '../support/stores.ts'
import { accountsOf, clear, define, openWorld, startProcess, type TestProcess, type Wire } from './engines.ts'
import { ask, rowOf } from './requests.ts'

const PROCESSES = 3
const LIMIT = 100
const DAY = 86_400_000
const START = Date.UTC(2026, 10, 22, 12)
/** Steps of a clock, in milliseconds. */
const STEPS = [5_000, -5_000, 3_600_000, -3_600_000, 2 * DAY, -2 * DAY]

/** What goes wrong between a process and its store. */
const faults = ['none', 'none', 'none', 'unsent', 'unanswered', 'doubled'] as const
type Fault = (typeof faults)[number]

const process = fc.nat({ max: PROCESSES - 1 })
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant('reserve'), process, bound: fc.constantFrom(0, 1, 7, 10, 25, 60, 101) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('again'), process, bound: fc.constantFrom(1, 7, 25) }) },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('settle'), process, part: fc.option(fc.constantFrom(0, 0.5, 1)) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('release'), process }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('take', 'hear', 'beat', 'over', 'wait'), process }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('fault'), process, fault: fc.constantFrom(...faults) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('kill'), process }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('clock'), process, skew: fc.constantFrom(0, 0, ...STEPS) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('midnight'), process }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('step'), process, by: fc.constantFrom(...STEPS) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('jump'), process }) },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

interface Request {
  readonly asked: ReturnType<typeof ask>
  readonly win: string
  /** Of each of its calls. */
  readonly bounds: number[]
}

interface Seat {
  process: TestProcess
  readonly open: Request[]
  pending: Promise<void>[]
  fault: Fault
  skew: number
}

/** Plays steps, and says what upstreams have charged at most, in each window. */
async function play(connection: StoreConnection, steps: readonly Step[]): Promise<void> {
  let now = START
  const world = await openWorld(connection, {
    now: () => now,
    times: { away: 0, denied: 0, recall: 4, look: 1, idle: 0, forget: 0 },
  })
  await define(connection, { limit: BigInt(LIMIT), counts: 'cost' })
  /** What was charged for requests that have ended, and may be for those that have not. */
  const charged = new Map<string, number>()
  const charge = (win: string, amount: number): void => void charged.set(win, (charged.get(win) ?? 0) + amount)
  const sumOf = (bounds: readonly number[]): number => bounds.reduce((sum, bound) => sum + bound, 0)

  const sit = async (seat: Omit<Seat, 'process'>): Promise<TestProcess> => {
    const wire: Wire = async (_key, _change, send) => {
      if (seat.fault === 'unsent') throw new Error('The store is away.')
      if (seat.fault === 'doubled') await send()
      const answer = await send()
      if (seat.fault === 'unanswered') throw new Error('The connection broke.')
      return answer
    }
    return startProcess({ ...world, ownNow: () => now + seat.skew }, wire)
  }
  const newSeat = async (): Promise<Seat> => {
    const seat: Omit<Seat, 'process'> = { open: [], pending: [], fault: 'none', skew: 0 }
    return Object.assign(seat, { process: await sit(seat) })
  }
  const seats: Seat[] = []
  for (let index = 0; index < PROCESSES; index += 1) seats.push(await newSeat())

  const check = (): void => {
    const most = new Map(charged)
    for (const { open } of seats)
      for (const { win, bounds } of open) most.set(win, (most.get(win) ?? 0) + sumOf(bounds))
    for (const sum of most.values()) expect(sum).toBeLessThanOrEqual(LIMIT)
  }
  const quiet = (): Promise<unknown> => Promise.all(seats.flatMap(({ pending }) => pending.splice(0)))
  /** What is reserved is found out by what the process does: its promise says when. */
  const reserve = (seat: Seat, bound: number, request?: Request): void => {
    const asked = request ? { ...request.asked, bound } : ask(bound, { at: now + seat.skew })
    const own = seat.process
    const answer = Promise.resolve(own.engine.reserve(asked)).then((refused) => {
      if (refused) return
      if (request) request.bounds.push(bound)
      else seat.open.push({ asked, win: own.windowOf(asked.id), bounds: [bound] })
    })
    seat.pending.push(answer)
  }
  const end = (request: Request, part: number | null) => {
    const bound = sumOf(request.bounds)
    const cost = part === null ? null : Math.floor(bound * part)
    charge(request.win, cost ?? bound)
    return rowOf(request.asked, cost)
  }

  const act = async (seat: Seat, one: Step): Promise<void> => {
    const { process: own, open } = seat
    if (one.kind === 'reserve' && 'bound' in one) return reserve(seat, one.bound)
    if (one.kind === 'fault' && 'fault' in one) seat.fault = one.fault
    if (one.kind === 'take') await own.ledger.ingest()
    if (one.kind === 'hear') await own.hear()
    if (one.kind === 'beat') await own.heartbeat()
    if (one.kind === 'over') await own.ingestEnded()
    if (!['again', 'settle', 'release', 'wait', 'kill', 'clock', 'midnight', 'step', 'jump'].includes(one.kind)) return
    await quiet()
    if (one.kind === 'again' && 'bound' in one && open[0]) {
      reserve(seat, one.bound, open[0])
      await quiet()
    }
    if (one.kind === 'settle' && 'part' in one) {
      const request = open.shift()
      if (request) await own.ledger.settle(end(request, one.part))
    }
    if (one.kind === 'release') {
      const request = open.pop()
      if (request) own.engine.release(request.asked.id)
    }
    if (one.kind === 'clock' && 'skew' in one) seat.skew = one.skew
    if (one.kind === 'midnight') now += DAY / 2
    if (one.kind === 'jump') {
      for (const skew of [2 * DAY, 0]) {
        seat.skew = skew
        await own.heartbeat()
        await own.heartbeat()
      }
    }
    if (one.kind === 'step' && 'by' in one) now += one.by
    if (one.kind === 'kill') {
      // Whoever is called goes on, and charges all it may.
      own.kill()
      for (const request of open.splice(0)) end(request, null)
      seat.process = await sit(seat)
    }
  }

  /** Once clocks and connections are right again, one process can spend all that is left. */
  const spendRest = async (): Promise<void> => {
    for (const seat of seats) Object.assign(seat, { fault: 'none', skew: 0 })
    // Around midnight a process whose clock was off by seconds may still be in the window before.
    now += 10_000
    const [seat] = seats
    const left = LIMIT - (charged.get(windowAt('day', 'UTC', now).id) ?? 0)
    if (!seat || left <= 0) return
    for (let tries = 0; seat.open.length === 0 && tries < 10; tries += 1) {
      reserve(seat, left)
      await quiet()
      if (seat.open.length > 0) break
      for (const { process: own } of seats) {
        await own.ledger.ingest()
        await own.hear()
        await own.heartbeat()
      }
      await seat.process.ingestEnded()
    }
    expect({ left, spent: seat.open.map(({ bounds }) => sumOf(bounds)) }).toEqual({ left, spent: [left] })
    for (const request of seat.open.splice(0)) await seat.process.ledger.settle(end(request, 1))
  }

  for (const one of steps) {
    const seat = seats[one.process]
    if (!seat) continue
    await act(seat, one)
    check()
  }
  await quiet()
  check()
  for (const { process: own, open } of seats)
    for (const request of open.splice(0)) await own.ledger.settle(end(request, 1))
  await spendRest()
  for (const { process: own } of seats) own.kill()
  const last = await newSeat()
  await last.process.ingestEnded()
  for (const { win, spent, leased, left, counted } of await accountsOf(connection))
    expect({ win, spent, leased, left, counted }).toEqual({
      win,
      spent: BigInt(charged.get(win) ?? 0),
      leased: 0n,
      left: 0n,
      counted: BigInt(charged.get(win) ?? 0),
    })
  last.process.kill()
}

/** A process forgot an account over which a request that had reserved nothing yet was still under way. */
const FORGOTTEN: Step[] = [
  { kind: 'reserve', process: 1, bound: 60 },
  { kind: 'release', process: 1 },
  { kind: 'reserve', process: 1, bound: 7 },
  { kind: 'reserve', process: 1, bound: 25 },
  { kind: 'step', process: 1, by: -3_600_000 },
  { kind: 'kill', process: 2 },
  { kind: 'reserve', process: 2, bound: 0 },
  { kind: 'settle', process: 1, part: 0.5 },
  { kind: 'release', process: 1 },
  { kind: 'jump', process: 2 },
  { kind: 'beat', process: 0 },
  { kind: 'jump', process: 1 },
  { kind: 'again', process: 2, bound: 1 },
  { kind: 'midnight', process: 1 },
]

describeStores(stores(), 'What several processes spend in $name, whatever happens to them', ({ name, open }) => {
  const runs = name === 'SQLite' ? 25 : 3
  const check = async (numRuns: number): Promise<void> => {
    const connection = await open()
    const property = fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 80, size: 'max' }), async (steps) => {
      await clear(connection)
      await play(connection, steps)
    })
    await fc.assert(property, {
      numRuns,
      interruptAfterTimeLimit: 100_000,
      endOnFailure: true,
      examples: [[FORGOTTEN]],
    })
  }
  it('is never more than the limit, and exactly what upstreams may have charged once all journals are read', () =>
    check(runs))
  it('the same, for long', { tags: ['full'], timeout: 600_000 }, () => check(runs * 14))
})
