import type { ResponseStore, StoredResponse } from '@headgate/gateway/ports'
import { describe, expect, it } from 'vitest'

const ROOM = { count: 100, bytes: 1_000_000 }
export const NOW = 1_800_000_000_000

export function testAnswer(number: number, changes: Partial<StoredResponse> = {}): StoredResponse {
  return {
    id: `resp_${number}`,
    owner: 'prj-1',
    key: 'key-1',
    model: 'small',
    createdAt: NOW + number,
    keptUntil: NOW + 86_400_000,
    items: [`msg_${number}`, `fc_${number}`],
    data: 'sealed',
    ...changes,
  }
}

/** What holds of every store of answers. */
export function describeAnswers(name: string, make: () => Promise<ResponseStore>): void {
  describe(`Answers in ${name}`, () => {
    it('are found by their ids and those of their items, each once, by their owner alone', async () => {
      const store = await make()
      const [one, other] = [testAnswer(1), testAnswer(2, { owner: 'prj-2', items: ['msg_1'], provider: 'alpha' })]
      for (const answer of [one, other]) await store.put(answer, ROOM)
      expect(await store.find({ owner: 'prj-1' }, ['resp_1', 'msg_1', 'fc_1', 'resp_2', 'resp_9'])).toEqual([one])
      expect(await store.find({ owner: 'prj-2' }, ['msg_1'])).toEqual([other])
      expect(await store.find({ owner: 'prj-3' }, ['resp_1', 'resp_2', 'msg_1'])).toEqual([])
      expect(await store.find({ owner: 'prj-1' }, [])).toEqual([])
    })

    it('are found by everybody in a project that shares, whichever owner they have', async () => {
      const store = await make()
      const project = 'prj-a'
      const [one, other] = [testAnswer(1, { project }), testAnswer(2, { owner: 'prj-2', project, items: ['msg_2'] })]
      const [othersSettled, alone] = [
        testAnswer(3, { owner: 'prj-3', project: 'prj-b' }),
        testAnswer(4, { owner: 'prj-4' }),
      ]
      for (const answer of [one, other, othersSettled, alone]) await store.put(answer, ROOM)
      const ids = ['resp_1', 'msg_1', 'msg_2', 'resp_3', 'msg_4']
      const found = async (owner: string, shared?: string) =>
        (await store.find({ owner, ...(shared !== undefined && { project: shared }) }, ids)).map(({ id }) => id).sort()
      expect(await found('prj-1')).toEqual(['resp_1'])
      expect(await found('prj-1', project)).toEqual(['resp_1', 'resp_2'])
      expect(await found('prj-4', 'prj-b')).toEqual(['resp_3', 'resp_4'])
      expect(await found('prj-9', 'prj-c')).toEqual([])
      expect([...(await store.known([...ids, 'resp_9']))].sort()).toEqual([...ids].sort())
      await store.remove('prj-2', 'resp_2')
      expect(await found('prj-1', project)).toEqual(['resp_1'])
      expect(await store.known(['resp_2', 'msg_2'])).toEqual([])
    })

    it('are one for each id of an owner, the last', async () => {
      const store = await make()
      const changed = testAnswer(1, { items: ['msg_1', 'ci_1', 'ci_1'], provider: 'alpha' })
      await store.put(testAnswer(1, { items: [] }), ROOM)
      await store.put(changed, ROOM)
      await store.put(testAnswer(1, { owner: 'prj-2' }), ROOM)
      expect(await store.find({ owner: 'prj-1' }, ['ci_1'])).toEqual([changed])
    })

    it('are gone once they are removed, and what names them too', async () => {
      const store = await make()
      await store.put(testAnswer(1), ROOM)
      expect([await store.remove('prj-2', 'resp_1'), await store.remove('prj-1', 'resp_1')]).toEqual([false, true])
      expect(await store.remove('prj-1', 'resp_1')).toBe(false)
      expect(await store.find({ owner: 'prj-1' }, ['resp_1', 'msg_1'])).toEqual([])
    })

    it.each([
      ['many', { count: 2, bytes: 1_000 }],
      ['large', { count: 100, bytes: 12 }],
    ])('are read no more where a key has too %s, the oldest of it alone', async (_, room) => {
      const store = await make()
      await store.put(testAnswer(0, { key: 'key-2' }), room)
      await store.put(testAnswer(1), room)
      const { data: __, ...othersSettled } = testAnswer(5, { provider: 'alpha' })
      await store.put(othersSettled, room)
      await store.put(testAnswer(2), room)
      await store.put(testAnswer(3), room)
      const found = await store.find({ owner: 'prj-1' }, ['resp_0', 'resp_1', 'resp_2', 'resp_3', 'resp_5'])
      expect(
        found
          .filter(({ data }) => data !== undefined)
          .map(({ id }) => id)
          .sort(),
      ).toEqual(['resp_0', 'resp_2', 'resp_3'])
      expect(found.some(({ id }) => id === 'resp_5')).toBe(true)
    })
  })
}
