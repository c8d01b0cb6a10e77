import type { Task, TaskClaim, TaskQuery, TaskStatus, TaskStore } from '@headgate/gateway/ports'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

/** 2023-11-14, 22:13:20 UTC. */
export const NOW = 1_700_000_000_000

/** A task for tests. `number` makes its id, and the millisecond that it was made in. */
export function testTask(number: number, change: Partial<Task> = {}): Task {
  return {
    id: `task_${String(number).padStart(6, '0')}`,
    family: 'video',
    owner: 'key_1',
    model: 'fast',
    provider: 'mine',
    providerModel: 'model-1',
    tier: 'default',
    status: 'queued',
    createdAt: NOW + number,
    updatedAt: NOW + number,
    nextAt: NOW + number,
    version: 1,
    data: { prompt: 'a cat' },
    ...change,
  }
}

const EVERY: TaskQuery = { family: 'video', owner: 'key_1', offset: 0, limit: 1_000 }
const CLAIM: TaskClaim = { family: 'video', now: NOW + 1_000, limit: 100, holdMs: 1_000, paces: {}, pace: 1_000 }
const idsOf = (tasks: readonly Task[]): string[] => tasks.map(({ id }) => id)
const ids = (...numbers: readonly number[]): string[] => numbers.map((number) => testTask(number).id)

/** What holds of every keeper of tasks. `open` gives an empty one, for the length of a test. */
export function describeTasks(name: string, open: () => Promise<TaskStore>, { runs = 20 } = {}): void {
  const openWith = async (...tasks: readonly Task[]): Promise<TaskStore> => {
    const store = await open()
    for (const task of tasks) await store.add(task, 0)
    return store
  }

  describe(`A task in ${name}`, () => {
    it('is what was added, its data to the last character', async () => {
      const data = {
        text: 'zero \0, half \uD83D, cat \u{1F408}',
        list: [1.5, null, true, { 'a"b': [] }],
        large: 'x'.repeat(100_000),
      }
      const tasks = [testTask(1, { data, keptUntil: NOW + 5 }), testTask(2, { data: {} })]
      const store = await openWith(...tasks)
      expect(await Promise.all(tasks.map(({ id }) => store.get(id)))).toEqual(tasks)
      const { nextAt: _, ...never } = testTask(3)
      await store.add(never, 0)
      expect(await store.get(never.id)).toEqual(never)
      expect(await store.get('task_other')).toBeUndefined()
    })

    it('is not added over another one', async () => {
      const store = await openWith(testTask(1))
      await expect(store.add(testTask(1, { owner: 'key_2' }), 0)).rejects.toThrow('task_000001')
      expect(await store.get(testTask(1).id)).toEqual(testTask(1))
    })

    it('is changed as a whole, over the version before only', async () => {
      const store = await openWith(testTask(1))
      const { nextAt: _, ...rest } = testTask(1)
      const changed: Task = {
        ...rest,
        status: 'succeeded',
        updatedAt: NOW + 9,
        keptUntil: NOW + 99,
        version: 2,
        data: { done: true },
      }
      expect(await store.change(changed)).toBe(true)
      for (const version of [1, 2, 4]) expect(await store.change(testTask(1, { version }))).toBe(false)
      expect(await store.change(testTask(2, { version: 2 }))).toBe(false)
      expect(await store.get(changed.id)).toEqual(changed)
      expect(await store.get(testTask(2).id)).toBeUndefined()
    })

    it('is changed by one of those who do it at the same time', async () => {
      const store = await openWith(testTask(1))
      const changes = Array.from({ length: 8 }, (_, number) => testTask(1, { version: 2, data: { number } }))
      const done = await Promise.all(changes.map((change) => store.change(change)))
      expect(done.filter(Boolean)).toHaveLength(1)
      expect(await store.get(testTask(1).id)).toEqual(changes[done.indexOf(true)])
    })

    it('is removed in the version that is named only', async () => {
      const store = await openWith(testTask(1))
      expect(await store.remove(testTask(1).id, 2)).toBe(false)
      expect(await store.get(testTask(1).id)).toEqual(testTask(1))
      expect(await store.remove(testTask(1).id, 1)).toBe(true)
      expect(await store.remove(testTask(1).id, 1)).toBe(false)
      expect([await store.get(testTask(1).id), await store.list(EVERY)]).toEqual([undefined, { tasks: [], total: 0 }])
    })
  })

  describe(`A list of tasks in ${name}`, () => {
    it('has those of one key and family, newest first, with the number of all', async () => {
      const others = [testTask(8, { owner: 'key_2' }), testTask(9, { family: 'batch' })]
      const store = await openWith(testTask(2), ...others, testTask(3), testTask(1))
      expect(await store.list(EVERY)).toEqual({ tasks: [testTask(3), testTask(2), testTask(1)], total: 3 })
      expect(await store.list({ ...EVERY, offset: 1, limit: 1 })).toEqual({ tasks: [testTask(2)], total: 3 })
      expect(await store.list({ ...EVERY, offset: 3 })).toEqual({ tasks: [], total: 3 })
      expect(await store.list({ ...EVERY, owner: 'key_3' })).toEqual({ tasks: [], total: 0 })
    })

    it('has what its filters say, and no more', async () => {
      const kind = fc.record({
        createdAt: fc.nat({ max: 5 }).map((offset) => NOW + offset),
        status: fc.constantFrom<TaskStatus>('queued', 'running', 'failed'),
        model: fc.constantFrom('fast', 'model-1', 'slow'),
        providerModel: fc.constantFrom('model-1', 'model-2'),
        tier: fc.constantFrom('default', 'flex'),
      })
      const may = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 1 })
      const query = fc.record({
        since: may(fc.nat({ max: 6 }).map((offset) => NOW + offset)),
        status: may(fc.constantFrom<TaskStatus>('queued', 'running', 'failed', 'expired')),
        model: may(fc.constantFrom('fast', 'model-1', 'model-2', 'slow')),
        tier: may(fc.constantFrom('default', 'flex')),
        ids: may(fc.subarray(ids(0, 1, 2, 3, 4, 5, 6, 99))),
        offset: fc.nat({ max: 4 }),
        limit: fc.integer({ min: 1, max: 5 }),
      })
      const law = fc.asyncProperty(
        fc.array(kind, { maxLength: 12 }),
        fc.array(query, { minLength: 1, maxLength: 8 }),
        async (kinds, queries) => {
          const tasks = kinds.map((change, number) => testTask(number, change))
          const store = await openWith(...tasks)
          for (const { offset, limit, ...narrow } of queries) {
            const { since = 0, status, model, tier, ids: some } = narrow
            const present = Object.fromEntries(Object.entries(narrow).filter(([, value]) => value !== undefined))
            const matching = tasks
              .filter(
                (task) =>
                  task.createdAt >= since &&
                  (status ?? task.status) === task.status &&
                  (tier ?? task.tier) === task.tier,
              )
              .filter(
                (task) =>
                  (model === undefined || [task.model, task.providerModel].includes(model)) &&
                  (some?.includes(task.id) ?? true),
              )
              .sort((one, other) => other.createdAt - one.createdAt || (one.id < other.id ? 1 : -1))
            expect(await store.list({ ...EVERY, ...present, offset, limit })).toEqual({
              tasks: matching.slice(offset, offset + limit),
              total: matching.length,
            })
          }
        },
      )
      await fc.assert(law, { numRuns: runs })
    })

    it('may be asked for a thousand ids, and for what no caller has', async () => {
      const store = await openWith(testTask(1))
      const many = Array.from({ length: 1_000 }, (_, number) => testTask(number).id)
      expect(await store.list({ ...EVERY, ids: many })).toEqual({ tasks: [testTask(1)], total: 1 })
      expect(await store.list({ ...EVERY, ids: ['\0', '\uD800', "'"], model: '\0' })).toEqual({ tasks: [], total: 0 })
      expect(await store.get('\0')).toBeUndefined()
    })
  })

  describe(`A claim in ${name}`, () => {
    it('takes tasks whose turn has come, in the order of their turns, and nobody else gets them until they are let go', async () => {
      const later = testTask(5, { nextAt: NOW + 1_001 })
      const { nextAt: _, ...never } = testTask(6)
      const other = testTask(7, { family: 'batch' })
      const order = [
        testTask(1, { nextAt: NOW + 3 }),
        testTask(2, { nextAt: NOW + 1 }),
        testTask(3, { nextAt: NOW + 2 }),
      ]
      const store = await openWith(...order, later, never, other)
      await store.add(testTask(4), CLAIM.now + 1)
      expect(idsOf(await store.claim({ ...CLAIM, limit: 2 }))).toEqual(ids(2, 3))
      expect(await store.claim(CLAIM)).toEqual([order[0]])
      expect(await store.claim(CLAIM)).toEqual([])
      expect(await store.claim({ ...CLAIM, family: 'other' })).toEqual([])
      expect(await store.get(testTask(2).id)).toEqual(order[1])
      await store.change({ ...testTask(2), version: 2 })
      expect(idsOf(await store.claim(CLAIM))).toEqual(ids(2))
    })

    it('takes again what nobody has let go of, once its time is over', async () => {
      const store = await openWith(testTask(1), testTask(2))
      await store.add(testTask(3), CLAIM.now + 500)
      expect(idsOf(await store.claim(CLAIM))).toEqual(ids(1, 2))
      await store.hold(testTask(2).id, CLAIM.now + 5_000)
      expect(idsOf(await store.claim({ ...CLAIM, now: CLAIM.now + 999 }))).toEqual(ids(3))
      expect(idsOf(await store.claim({ ...CLAIM, now: CLAIM.now + 1_000 }))).toEqual(ids(1))
      await store.hold(testTask(9).id, CLAIM.now)
      expect(idsOf(await store.claim({ ...CLAIM, now: CLAIM.now + 5_000 }))).toEqual(ids(3, 1, 2).sort())
    })

    it('of one task takes it alone, whenever its turn is, where nobody has it', async () => {
      const store = await openWith(testTask(1), testTask(2, { nextAt: NOW + 86_400_000 }), testTask(3))
      const one: TaskClaim = { ...CLAIM, id: testTask(2).id }
      expect(await store.claim({ ...one, family: 'batch' })).toEqual([])
      expect(idsOf(await store.claim(one))).toEqual(ids(2))
      expect(await store.claim(one)).toEqual([])
      expect(await store.claim({ ...CLAIM, id: 'task_other' })).toEqual([])
      expect(await store.claim({ ...CLAIM, id: testTask(1).id, pace: 0 })).toEqual([])
      expect(idsOf(await store.claim({ ...CLAIM, id: testTask(1).id, paces: { mine: 1 }, pace: 0 }))).toEqual([])
      const later = CLAIM.now + 1_000
      expect(
        idsOf(await store.claim({ ...CLAIM, now: later, id: testTask(1).id, paces: { mine: 1 }, pace: 0 })),
      ).toEqual(ids(1))
    })

    it('takes of each provider no more than its pace allows, and what it may not take keeps no other waiting', async () => {
      const of = (provider: string, from: number) =>
        Array.from({ length: 30 }, (_, index) => testTask(from + index, { provider }))
      const store = await openWith(...of('slow', 0), ...of('none', 30), ...of('constructor', 60), ...of('quick', 90))
      const paced: TaskClaim = { ...CLAIM, limit: 50, holdMs: 600_000, paces: { slow: 2, none: 0, quick: 20 }, pace: 5 }
      const counts = async (now: number): Promise<Record<string, number>> => {
        const groups = Map.groupBy(await store.claim({ ...paced, now }), ({ provider }) => provider)
        return Object.fromEntries([...groups].map(([provider, tasks]) => [provider, tasks.length]))
      }
      expect(await counts(NOW + 10_000)).toEqual({ slow: 2, constructor: 5, quick: 20 })
      expect(await counts(NOW + 10_000)).toEqual({})
      expect(await counts(NOW + 10_250)).toEqual({ constructor: 1, quick: 5 })
      expect(await counts(NOW + 11_000)).toEqual({ slow: 2, constructor: 4, quick: 5 })
      expect(await counts(NOW + 60_000)).toEqual({ slow: 2, constructor: 5 })
    })

    it('takes the oldest turns of all providers where there are more than it may take', async () => {
      const store = await openWith(
        ...[1, 2, 3, 4, 5, 6].map((number) => testTask(number, { provider: `p${number % 3}` })),
      )
      expect(idsOf(await store.claim({ ...CLAIM, limit: 4 }))).toEqual(ids(1, 2, 3, 4))
      expect(idsOf(await store.claim({ ...CLAIM, limit: 4 }))).toEqual(ids(5, 6))
    })

    it('spends nothing of a pace where there is nothing to take', async () => {
      const store = await openWith(testTask(1))
      for (let count = 0; count < 5; count += 1) await store.claim({ ...CLAIM, now: NOW, pace: 1 })
      expect(await store.claim({ ...CLAIM, limit: 0 })).toEqual([])
      expect(idsOf(await store.claim({ ...CLAIM, pace: 1 }))).toEqual(ids(1))
    })
  })

  describeRaces(`one ${name}`, async () => {
    const store = await open()
    return [store, store]
  })
}

/** What holds of keepers that share their tasks, as those of several processes do. */
export function describeRaces(
  name: string,
  open: () => Promise<readonly [TaskStore, TaskStore]>,
  { runs = 5 }: { readonly runs?: number } = {},
): void {
  describe(`Claims at the same time in ${name}`, () => {
    it('never take the same task, and together take all', async () => {
      const claims = fc.array(fc.record({ by: fc.constantFrom(0, 1), limit: fc.integer({ min: 1, max: 12 }) }), {
        minLength: 2,
        maxLength: 10,
      })
      const law = fc.asyncProperty(claims, fc.integer({ min: 1, max: 60 }), async (asked, count) => {
        const stores = await open()
        const tasks = Array.from({ length: count }, (_, number) => testTask(number, { provider: `p${number % 3}` }))
        for (const task of tasks) await stores[0].add(task, 0)
        const claim = (by: number, limit: number) => (stores[by] ?? stores[0]).claim({ ...CLAIM, limit })
        const taken = (await Promise.all(asked.map(({ by, limit }) => claim(by, limit)))).flat()
        taken.push(...(await claim(0, 100)))
        expect(idsOf(taken).sort()).toEqual(idsOf(tasks))
      })
      await fc.assert(law, { numRuns: runs })
    })

    it('keep to a pace together, whatever the times they come at', async () => {
      const claims = fc.array(
        fc.record({
          by: fc.constantFrom(0, 1),
          after: fc.constantFrom(0, 0, 1, 7, 333, 1_000),
          limit: fc.integer({ min: 1, max: 9 }),
        }),
        {
          minLength: 5,
          maxLength: 25,
        },
      )
      const law = fc.asyncProperty(claims, fc.constantFrom(0.4, 1, 2.5, 3, 7), async (asked, pace) => {
        const stores = await open()
        for (let number = 0; number < 200; number += 1) await stores[0].add(testTask(number), 0)
        const granted: { readonly at: number; readonly count: number }[] = []
        let now = NOW + 10_000
        for (const { by, after, limit } of asked) {
          now += after
          const both = [by, 1 - by].map((one) => stores[one]?.claim({ ...CLAIM, now, limit, holdMs: 600_000, pace }))
          granted.push({ at: now, count: (await Promise.all(both)).flat().length })
        }
        for (const [index, { at: from }] of granted.entries()) {
          let sum = 0
          for (const { at, count } of granted.slice(index)) {
            sum += count
            expect(sum).toBeLessThanOrEqual(Math.max(1, pace) + (pace * (at - from)) / 1_000 + 1e-3)
          }
        }
        expect(granted[0]?.count).toBe(Math.min(Math.max(1, Math.floor(pace)), 2 * (asked[0]?.limit ?? 0)))
      })
      await fc.assert(law, { numRuns: runs })
    })
  })
}
