import type { SharedRates } from '@headgate/gateway/ports'
import { describe, expect, it } from 'vitest'
import { createMemorySharedRates } from '../src/counts.ts'
import { conform } from './conformance.ts'

/** A store in memory by a clock that the suite moves. */
function store() {
  const clock = { now: 1_700_000_000_000 }
  return {
    shared: createMemorySharedRates({ now: () => clock.now }),
    advance: (ms: number) => {
      clock.now += ms
    },
  }
}

describe('The suite of shared rates', () => {
  it('accepts the store in memory, with and without a clock', async () => {
    const { shared, advance } = store()
    await conform(shared, { advance })
    await conform(createMemorySharedRates())
  })

  it.each<[string, (shared: SharedRates) => SharedRates]>([
    [
      'grants more than is left',
      (shared) => ({
        exchange: (exchange) =>
          shared.exchange({ ...exchange, windows: exchange.windows.map((one) => ({ ...one, limit: one.limit + 1 })) }),
      }),
    ],
    [
      'ignores returned units',
      (shared) => ({
        exchange: (exchange) =>
          shared.exchange({
            ...exchange,
            windows: exchange.windows.map((one) => ({
              ...one,
              changes: one.changes.filter(({ amount }) => amount > 0),
            })),
          }),
      }),
    ],
    [
      'keeps the places of lost nodes',
      (shared) => ({
        exchange: async (exchange) => {
          for (const node of ['0', '1', '2'])
            await shared.exchange({
              ...exchange,
              node: `${exchange.node.slice(0, -1)}${node}`,
              windows: [],
              places: [],
            })
          return shared.exchange(exchange)
        },
      }),
    ],
  ])('refuses a store that %s', async (_, broken) => {
    const { shared, advance } = store()
    await expect(conform(broken(shared), { advance })).rejects.toThrow()
  })
})
