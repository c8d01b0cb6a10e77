import { describe, expect, it, vi } from 'vitest'
import { hashApiKey } from '../src/keys/api-key.ts'
import { openThree, places } from './support/processes.ts'

/** Milliseconds in which every process must know a change. */
const FELT = 1_000

describe.each(places)('a key that three processes share by $name', ({ url }) => {
  it('is felt to be changed, rotated and revoked in all of them within a second', async () => {
    const stores = await openThree(await url())
    const [one] = stores
    const { key, stored } = await one.keys.create({ name: 'team' })
    const keyLookup = async (held: string) =>
      Promise.all(stores.map((store) => store.keys.findByHash(hashApiKey(held))))
    /** How long it takes until all say so of a key. */
    const felt = async (
      held: string,
      isSo: (findByHash: Awaited<ReturnType<typeof keyLookup>>[number]) => boolean,
    ): Promise<number> => {
      const since = performance.now()
      await vi.waitUntil(async () => (await keyLookup(held)).every(isSo), { timeout: 20_000, interval: 10 })
      return performance.now() - since
    }
    expect((await keyLookup(key)).map((findByHash) => findByHash?.id)).toEqual([stored.id, stored.id, stored.id])

    await one.keys.change(stored.id, { models: ['a'] }, { version: 1 })
    expect(await felt(key, (findByHash) => findByHash?.models?.[0] === 'a')).toBeLessThan(FELT)

    const overlapping = await one.keys.rotate(stored.id, { overlapMs: 60_000 })
    expect(await felt(overlapping?.key ?? '', (findByHash) => findByHash?.id === stored.id)).toBeLessThan(FELT)
    expect(await felt(key, (findByHash) => findByHash?.id === stored.id)).toBeLessThan(FELT)

    const alone = await one.keys.rotate(stored.id, { overlapMs: 0 })
    expect(await felt(key, (findByHash) => findByHash === undefined)).toBeLessThan(FELT)
    expect(await felt(overlapping?.key ?? '', (findByHash) => findByHash === undefined)).toBeLessThan(FELT)
    expect(await felt(alone?.key ?? '', (findByHash) => findByHash?.id === stored.id)).toBeLessThan(FELT)

    await one.keys.revoke(stored.id)
    expect(await felt(alone?.key ?? '', (findByHash) => findByHash === undefined)).toBeLessThan(FELT)
  })
})
