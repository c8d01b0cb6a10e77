import type { RateExchange, RateExchangeReply, SharedRates } from '@headgate/gateway/ports'
import fc from 'fast-check'
import { expect } from 'vitest'
import { createMemorySharedRates } from '../src/counts.ts'

export interface ConformOptions {
  /** Number of random histories; default 40. */
  readonly runs?: number | undefined
  /** Seed of the histories; default 1. */
  readonly seed?: number | undefined
  /**
   * Moves the clock of the store ahead by a number of milliseconds. Without it all of a history happens within a
   * moment, and slots never leave.
   */
  readonly advance?: ((ms: number) => void | Promise<void>) | undefined
}

/** Change of a window: distance of its slot from the slot of the last reply, and amount. */
type DrawnChange = readonly [distance: number, amount: number]

/** Step of a history. Limits and nodes are numbers. */
interface DrawnExchange {
  readonly waitMs: number
  readonly node: number
  readonly allocationMs: number
  readonly windows: readonly {
    readonly limit: number
    readonly least: number
    readonly more: number
    readonly changes: readonly DrawnChange[]
  }[]
  readonly places: readonly { readonly held: number; readonly demand: number; readonly want: number }[]
}

const NODES = 4
/** Limits of the windows and places of a history. */
const WINDOW_LIMITS = [1, 10, 1_000] as const
const PLACES_LIMITS = [1, 4, 7] as const

const exchanges: fc.Arbitrary<readonly DrawnExchange[]> = fc.array(
  fc.record({
    // No sums of these are 10 seconds, whose edge depends on the precision of the store's clock.
    waitMs: fc.constantFrom(0, 0, 1, 101, 249, 997, 4_993, 11_003, 30_011, 61_007),
    node: fc.integer({ min: 0, max: NODES - 1 }),
    allocationMs: fc.constantFrom(250, 1_000, 2_000),
    windows: fc.tuple(...WINDOW_LIMITS.map((limit) => drawnWindow(limit))),
    places: fc.tuple(
      ...PLACES_LIMITS.map((limit) =>
        fc.record({
          held: fc.integer({ min: 0, max: limit }),
          demand: fc.integer({ min: 0, max: limit }),
          want: fc.integer({ min: 0, max: limit }),
        }),
      ),
    ),
  }),
  { minLength: 1, maxLength: 30 },
)

function drawnWindow(limit: number) {
  return fc.record({
    limit: fc.constant(limit),
    least: fc.integer({ min: 0, max: limit }),
    more: fc.integer({ min: 0, max: limit }),
    changes: fc.array(
      fc.tuple(fc.constantFrom(-250, -240, -239, -7, -1, 0, 0, 3, 7), fc.integer({ min: -limit, max: limit })),
      { maxLength: 3 },
    ),
  })
}

function exchangeOf(prefix: string, drawn: DrawnExchange, slot: number): RateExchange {
  const { node, allocationMs, windows, places } = drawn
  return {
    node: `${prefix}node-${node}`,
    allocationMs,
    windows: windows.map(({ limit, least, more, changes }, index) => ({
      key: `${prefix}key\n${index}\nrequests`,
      limit,
      least,
      want: least + more,
      changes: changes.map(([distance, amount]) => ({ slot: slot + distance, amount })),
    })),
    places: places.map(({ held, demand, want }, index) => ({
      key: `${prefix}key\n${index}\nconcurrent`,
      limit: PLACES_LIMITS[index] ?? 1,
      held,
      demand,
      want,
    })),
  }
}

function countsOf({ windows, places }: RateExchangeReply) {
  return { windows, places }
}

/**
 * Compares shared rates with the model in memory, exchange by exchange, in random histories. Throws with the shortest
 * history in which they differ. Each history uses its own limits and nodes.
 */
export async function conform(shared: SharedRates, options: ConformOptions = {}): Promise<void> {
  const { runs = 40, seed = 1, advance } = options
  const run = Math.random().toString(36).slice(2)
  let histories = 0
  await fc.assert(
    fc.asyncProperty(exchanges, async (history) => {
      const prefix = `${run}-${++histories}\n`
      let now = 0
      let slot = 0
      const model = createMemorySharedRates({ now: () => now })
      // Nodes of earlier histories are forgotten.
      await advance?.(20_011)
      const hello: RateExchange = { node: `${prefix}node-0`, allocationMs: 1_000, windows: [], places: [] }
      const first = await shared.exchange(hello)
      now = first.now
      model.exchangeNow(hello)
      slot = Math.floor(now / 250)
      for (const drawn of history) {
        if (advance) await advance(drawn.waitMs)
        const exchange = exchangeOf(prefix, drawn, slot)
        const reply = await shared.exchange(exchange)
        now = reply.now
        slot = Math.floor(now / 250)
        const expected = model.exchangeNow(exchange)
        expect(countsOf(reply)).toEqual(countsOf(expected))
        expect(reply.instance).toBe(first.instance)
        if (advance) expect(reply.nodes).toBe(expected.nodes)
        else expect(reply.nodes).toBeGreaterThanOrEqual(expected.nodes)
      }
    }),
    { numRuns: runs, seed },
  )
}
