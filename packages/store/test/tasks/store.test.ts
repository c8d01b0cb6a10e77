import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { open } from '../opened.ts'
import { describeTasks, NOW, testTask } from './suite.ts'

describeTasks('a store with its threads', async () => (await open()).store.tasks, { runs: 3 })

describe('Tasks of a store', () => {
  it('are there for whoever asks, once they were added or changed', async () => {
    const { tasks } = (await open()).store
    for (let number = 0; number < 50; number += 1) {
      await tasks.add(testTask(number), 0)
      expect((await tasks.get(testTask(number).id))?.version).toBe(1)
      await tasks.change(testTask(number, { status: 'running', version: 2 }))
      expect((await tasks.get(testTask(number).id))?.version).toBe(2)
      const { tasks: running, total } = await tasks.list({
        family: 'video',
        owner: 'key_1',
        status: 'running',
        offset: 0,
        limit: 1,
      })
      expect([running[0]?.id, total]).toEqual([testTask(number).id, number + 1])
    }
  })

  it('outlive it', async () => {
    const { store, dataDir } = await open()
    await store.tasks.add(testTask(1), 0)
    await store.close()
    expect(await (await open(dataDir)).store.tasks.get(testTask(1).id)).toEqual(testTask(1))
  })

  it('are taken once by programs that share a data directory, as fast as their provider allows', async () => {
    const one = await open()
    const stores = [one.store, (await open(one.dataDir)).store]
    for (let number = 0; number < 100; number += 1) await one.store.tasks.add(testTask(number), 0)
    const taken: string[][] = []
    const take = async (store: (typeof stores)[number]): Promise<void> => {
      for (let second = 1; second <= 10; second += 1) {
        const claim = {
          family: 'video',
          now: NOW + second * 1_000,
          limit: 7,
          holdMs: 60_000,
          paces: { mine: 10 },
          pace: 0,
        }
        taken.push((await store.tasks.claim(claim)).map(({ id }) => id))
        await turn()
      }
    }
    await Promise.all(stores.map(take))
    const all = taken.flat()
    expect(new Set(all).size).toBe(all.length)
    // A bucketful at first, then ten for each of nine seconds.
    expect(all.length).toBeLessThanOrEqual(100)
    expect(all.length).toBeGreaterThanOrEqual(70)
  })
})
