import type { IdempotencyStore, IdempotentExecution } from '@headgate/gateway/ports'
import { describe, expect, it } from 'vitest'

export function testExecution(number: number, changes: Partial<IdempotentExecution> = {}): IdempotentExecution {
  return { id: `id-${number}`, run: `req_${number}`, request: `sealed ${number}`, ...changes }
}

/** What holds of every store of idempotent executions. */
export function describeIdempotency(name: string, make: () => Promise<IdempotencyStore>): void {
  describe(`Executions in ${name}`, () => {
    it('begin once, and are found with their outcome once they have ended', async () => {
      const store = await make()
      const first = testExecution(1)
      expect(await store.find('id-1')).toBeUndefined()
      expect(await store.begin(first, 60_000)).toBeUndefined()
      const again = await store.begin(testExecution(1, { run: 'req_2', request: 'other' }), 60_000)
      expect([again?.request, again?.outcome]).toEqual(['sealed 1', undefined])
      expect((await store.find('id-1'))?.outcome).toBeUndefined()
      await store.finish(first, 'outcome', 60_000)
      expect(await store.begin(testExecution(1, { run: 'req_3' }), 60_000)).toMatchObject({ outcome: 'outcome' })
      expect(await store.find('id-1')).toMatchObject({ request: 'sealed 1', outcome: 'outcome' })
      expect(await store.begin(testExecution(2), 60_000)).toBeUndefined()
    })

    it('begin in one of many that begin at the same time', async () => {
      const store = await make()
      const runs = Array.from({ length: 20 }, (_, nth) => testExecution(1, { run: `req_${nth}` }))
      const found = await Promise.all(runs.map((run) => store.begin(run, 60_000)))
      expect(found.filter((record) => record === undefined)).toHaveLength(1)
    })

    it('can begin again when they were dropped, and when they have expired, running or ended', async () => {
      const store = await make()
      await store.begin(testExecution(1), 60_000)
      await store.drop(testExecution(1))
      expect(await store.begin(testExecution(1, { run: 'req_2' }), 0)).toBeUndefined()
      expect(await store.find('id-1')).toBeUndefined()
      expect(await store.begin(testExecution(1, { run: 'req_3' }), 60_000)).toBeUndefined()
      await store.finish(testExecution(1, { run: 'req_3' }), 'outcome', 0)
      expect(await store.find('id-1')).toBeUndefined()
      expect(await store.begin(testExecution(1, { run: 'req_4' }), 60_000)).toBeUndefined()
    })

    it('are not changed by an execution that has lost its id to another one, nor dropped after their end', async () => {
      const store = await make()
      await store.begin(testExecution(1, { run: 'req_1' }), 0)
      const other = testExecution(1, { run: 'req_2', request: 'sealed 2' })
      await store.begin(other, 60_000)
      await store.finish(testExecution(1), 'late', 60_000)
      await store.drop(testExecution(1))
      const found = await store.find('id-1')
      expect([found?.request, found?.outcome]).toEqual(['sealed 2', undefined])
      await store.finish(other, 'outcome', 60_000)
      await store.drop(other)
      expect(await store.find('id-1')).toMatchObject({ outcome: 'outcome' })
    })
  })
}
