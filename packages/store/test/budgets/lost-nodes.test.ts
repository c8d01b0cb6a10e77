import fc from 'fast-check'
import { expect, it } from 'vitest'
import { check } from '../../src/backup/check.ts'
import { createLostRunSearch } from '../../src/budgets/lost-runs.ts'
import type { StoreConnection } from '../../src/database/connection.ts'
import { temporaryFolder } from '../journal/journals.ts'
import { describeStores, stores } from '../support/stores.ts'
import { accountsOf, clear, define, startProcess, type TestProcess } from './engines.ts'
import { ask, rowOf } from './requests.ts'

const NODES = 3
const LIMIT = 1_000
const START = Date.UTC(2026, 10, 22, 12)

const node = fc.nat({ max: NODES - 1 })
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant('reserve'), node, amount: fc.constantFrom(1, 7, 40, 100, 300) }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('settle'), node, amount: fc.constantFrom(0, 50, 100) }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('pass'), node, amount: fc.constantFrom(1, 5, 20, 46, 61) }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom('ingest', 'suspend', 'cut', 'resume', 'kill', 'lose'), node }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

interface Request {
  readonly asked: ReturnType<typeof ask>
  readonly bound: number
}

/** A process with the requests that it has begun and that have not ended. */
interface Seat {
  readonly process: TestProcess
  readonly open: Request[]
}

interface Node {
  dataDir: string
  seat: Seat
  /** Closed processes of this node whose requests are in progress. */
  readonly earlier: Seat[]
  search: ReturnType<typeof createLostRunSearch>
  isSuspended: boolean
  isCut: boolean
}

/** Plays steps on nodes with a data directory each, and compares the store with what upstreams may have charged. */
async function play(connection: StoreConnection, steps: readonly Step[]): Promise<void> {
  const clock = { now: START, elapsed: 0 }
  const clocks = { now: () => clock.now, elapsed: () => clock.elapsed }
  await define(connection, { limit: BigInt(LIMIT), counts: 'cost', period: 'forever' })
  const times = { away: 0, denied: 0, recall: 0, look: 1, confirmed: 45_000 }
  const sit = async (dataDir: string): Promise<Seat> => ({
    process: await startProcess({ connection, dataDir, times, ...clocks }),
    open: [],
  })
  const searchFrom = (dataDir: string) =>
    createLostRunSearch({ connection, dataDir, zone: 'UTC', now: clocks.now, onProblem() {} })
  const newNode = async (): Promise<Node> => {
    const dataDir = temporaryFolder()
    const parts = { dataDir, seat: await sit(dataDir), search: searchFrom(dataDir) }
    return { ...parts, earlier: [], isSuspended: false, isCut: false }
  }
  const nodes: Node[] = []
  for (let index = 0; index < NODES; index += 1) nodes.push(await newNode())
  let charged = 0
  let isAnyLost = false

  const truth = (): number => {
    const open = nodes.flatMap(({ seat, earlier }) => [seat, ...earlier].flatMap((one) => one.open))
    return open.reduce((sum, { bound }) => sum + bound, charged)
  }
  const compare = async (): Promise<void> => {
    const [account] = await accountsOf(connection)
    const { spent = 0n, leased = 0n } = account ?? {}
    const most = truth()
    const isHeld = Number(spent + leased) >= most
    expect({ isWithin: most <= LIMIT, isHeld }).toEqual({ isWithin: true, isHeld: true })
  }

  /** A process that the store has closed begins another run, as a gateway does. */
  const renew = async (own: Node): Promise<void> => {
    const { process } = own.seat
    const probe = ask(0, { at: clock.now })
    const refused = await process.engine.reserve(probe)
    if (!refused) process.engine.release(probe.id)
    if (refused?.why !== 'away' || own.isCut) return
    own.earlier.push(own.seat)
    own.seat = await sit(own.dataDir)
  }
  const beat = async (own: Node): Promise<void> => {
    if (own.isSuspended) return
    if (!own.isCut) {
      await own.search()
      for (const seat of [...own.earlier, own.seat]) await seat.process.heartbeat()
      await renew(own)
    }
  }
  const pass = async (seconds: number): Promise<void> => {
    for (let left = seconds; left > 0; left -= 5) {
      clock.now += 1_000 * Math.min(left, 5)
      clock.elapsed += 1_000 * Math.min(left, 5)
      for (const own of nodes) await beat(own)
    }
  }
  const reserve = async (own: Node, bound: number): Promise<void> => {
    if (own.isSuspended) return
    const asked = ask(bound, { at: clock.now })
    if (!(await own.seat.process.engine.reserve(asked))) own.seat.open.push({ asked, bound })
  }
  const settle = async (own: Node, percent: number): Promise<void> => {
    if (own.isSuspended) return
    const seat = own.earlier.find(({ open }) => open.length > 0) ?? own.seat
    const request = seat.open.shift()
    if (!request) return
    const cost = Math.floor((request.bound * percent) / 100)
    charged += cost
    await seat.process.ledger.settle(rowOf(request.asked, cost))
  }
  /** Upstreams may charge all of what was in progress. */
  const end = (own: Node): void => {
    for (const { process, open } of [...own.earlier.splice(0), own.seat]) {
      process.kill()
      for (const { bound } of open.splice(0)) charged += bound
    }
  }
  const restart = async (own: Node, dataDir = own.dataDir): Promise<void> => {
    const parts = { dataDir, seat: await sit(dataDir), search: searchFrom(dataDir) }
    Object.assign(own, parts, { isSuspended: false, isCut: false })
    await own.seat.process.ingestEnded()
  }
  const act = async (own: Node, one: Step): Promise<void> => {
    if (one.kind === 'reserve' && 'amount' in one) await reserve(own, one.amount)
    if (one.kind === 'settle' && 'amount' in one) await settle(own, one.amount)
    if (one.kind === 'pass' && 'amount' in one) await pass(one.amount)
    if (one.kind === 'ingest' && !own.isSuspended && !own.isCut)
      for (const seat of [...own.earlier, own.seat]) await seat.process.ledger.ingest()
    if (one.kind === 'suspend') own.isSuspended = true
    if (one.kind === 'cut') own.isCut = true
    if (one.kind === 'resume') Object.assign(own, { isSuspended: false, isCut: false })
    for (const seat of [...own.earlier, own.seat]) seat.process.cutOff(own.isCut)
    if (one.kind !== 'kill' && one.kind !== 'lose') return
    end(own)
    if (one.kind === 'lose') isAnyLost = true
    await restart(own, one.kind === 'lose' ? temporaryFolder() : own.dataDir)
  }

  for (const one of steps) {
    const own = nodes[one.node]
    if (own) await act(own, one)
    await compare()
  }
  for (const own of nodes) {
    end(own)
    await restart(own)
    await compare()
  }
  await pass(100)
  await compare()
  const [account] = await accountsOf(connection)
  if (account && !isAnyLost) expect([Number(account.spent), Number(account.leased)]).toEqual([charged, 0])
  // Nothing is leased any more, wherever its process is.
  expect(Number(account?.leased ?? 0n)).toBe(0)
  // Tests of one store leave the sums of its usage.
  expect((await check(connection)).filter(({ kind }) => kind === 'budgets-differ')).toEqual([])
  for (const own of nodes) end(own)
}

describeStores(stores(), 'What nodes spend in $name that are suspended, cut off, killed or lost', ({ name, open }) => {
  const runs = name === 'SQLite' ? 15 : 3
  const spend = async (numRuns: number): Promise<void> => {
    const connection = await open()
    const property = fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60, size: 'max' }), async (steps) => {
      await clear(connection)
      await play(connection, steps)
    })
    await fc.assert(property, { numRuns, interruptAfterTimeLimit: 100_000, endOnFailure: true })
  }
  it('is within the budget and never less than what the store has as spent or leased', () => spend(runs))
  it('the same, for long', { tags: ['full'], timeout: 600_000 }, () => spend(runs * 14))
})
