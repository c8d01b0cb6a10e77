import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { transact } from '../../src/database/transaction.ts'
import { recordChange } from '../../src/keys/changes.ts'
import { queueCalls } from '../../src/threads/call-queue.ts'
import { pollInterval, watchStore } from '../../src/threads/watch.ts'
import { describeStores, stores } from '../support/stores.ts'

describe('The interval of reads', () => {
  it('grows with the number of nodes, so that 1,000 read less than 2,000 times a second', () => {
    expect([1, 10, 100, 1_000].map((nodes) => pollInterval(nodes, true))).toEqual([40, 40, 400, 700])
    expect([10, 1_000, 5_000].map((nodes) => pollInterval(nodes, false))).toEqual([502, 700, 700])
    expect((1_000 * 1_000) / pollInterval(1_000, true)).toBeLessThan(2_000)
  })
})

describeStores(
  stores().filter(({ openTwice }) => openTwice),
  'a watcher of $name',
  ({ openTwice }) => {
    it('announces everything at first, then changes of another connection, and recalls once it is told to', async () => {
      const [connection, other] = (await openTwice?.()) ?? []
      if (!connection || !other) return expect.fail('There is only one connection.')
      const watch = {
        onKeys: vi.fn(),
        onConfirm: vi.fn(),
        onBudgets: vi.fn(),
        onPrices: vi.fn(),
        onCredentials: vi.fn(),
        onRecall: vi.fn(),
      }
      const counts = () =>
        [watch.onKeys, watch.onBudgets, watch.onPrices, watch.onRecall].map(({ mock }) => mock.calls.length)
      const watcher = watchStore(connection, watch)
      await expect.poll(counts, { interval: 5 }).toEqual([1, 1, 1, 0])
      await transact(other, (trx) => recordChange(other, trx, 'budgets'))
      await transact(other, (trx) => recordChange(other, trx, 'recalls'))
      await expect.poll(counts, { interval: 5 }).toEqual([1, 2, 1, 0])
      watcher.watchRecalls()
      watcher.watchRecalls()
      await expect.poll(counts, { interval: 5 }).toEqual([1, 2, 1, 1])
      const since = performance.now()
      await transact(other, (trx) => recordChange(other, trx, 'recalls'))
      await expect.poll(counts, { interval: 5 }).toEqual([1, 2, 1, 2])
      expect(performance.now() - since).toBeLessThan(450)
      await transact(other, (trx) => recordChange(other, trx, 'keys'))
      await expect.poll(counts, { interval: 5 }).toEqual([2, 2, 1, 2])
      expect(watch.onConfirm).toHaveBeenCalled()
    })
  },
)

describe('Queued calls', () => {
  it('run in their order, a few at a time, also after a failure', async () => {
    const running = new Set<number>()
    const order: number[] = []
    let most = 0
    const calls = queueCalls(
      {
        async run(number: number): Promise<number> {
          running.add(number)
          order.push(number)
          most = Math.max(most, running.size)
          await wait(1)
          running.delete(number)
          if (number === 2) throw new Error('The second one fails.')
          return number * 10
        },
      },
      2,
    )
    const results = await Promise.allSettled([1, 2, 3, 4, 5].map((number) => calls.run(number)))
    expect(results.map((result) => (result.status === 'fulfilled' ? result.value : 0))).toEqual([10, 0, 30, 40, 50])
    expect([most, order]).toEqual([2, [1, 2, 3, 4, 5]])
  })
})
