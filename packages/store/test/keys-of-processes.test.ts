import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { hashApiKey } from '../src/keys/api-key.ts'
import { openStore, type Store } from '../src/store.ts'
import { ledgerRow, START } from './support/rows.ts'
import { temporaryDatabase, temporaryFolder } from './support/stores.ts'

/** Three processes of one store, each with threads of its own. */
async function openThree(databaseUrl?: string): Promise<readonly [Store, Store, Store]> {
  const shared = temporaryFolder()
  const open = async (): Promise<Store> => {
    const dataDir = databaseUrl === undefined ? shared : temporaryFolder()
    const store = await openStore({ dataDir, onProblem: () => {}, ...(databaseUrl !== undefined && { databaseUrl }) })
    onTestFinished(() => store.close())
    return store
  }
  return [await open(), await open(), await open()]
}

const places: readonly { readonly name: string; readonly url: () => Promise<string | undefined> }[] = [
  { name: 'SQLite', url: async () => undefined },
  ...(process.env['TEST_DATABASE_URL'] ? [{ name: 'Postgres', url: temporaryDatabase }] : []),
]

/** Of how many milliseconds a change may need to be felt everywhere. */
const FELT = 1_000

describe.each(places)('a key that three processes share by $name', ({ url }) => {
  // The machine may have other things to do for a while.
  it('is felt to be changed, rotated and revoked in all of them within a second', { retry: 2 }, async () => {
    const stores = await openThree(await url())
    const [one] = stores
    const { key, stored } = await one.keys.create({ name: 'team' })
    const holders = async (held: string) => Promise.all(stores.map((store) => store.keys.holder(hashApiKey(held))))
    /** How long it takes until all say so of a key. */
    const felt = async (
      held: string,
      isSo: (holder: Awaited<ReturnType<typeof holders>>[number]) => boolean,
    ): Promise<number> => {
      const since = performance.now()
      await vi.waitUntil(async () => (await holders(held)).every(isSo), { timeout: 60_000, interval: 10 })
      return performance.now() - since
    }
    expect((await holders(key)).map((holder) => holder?.id)).toEqual([stored.id, stored.id, stored.id])

    await one.keys.change(stored.id, { models: ['a'] }, { version: 1 })
    expect(await felt(key, (holder) => holder?.models?.[0] === 'a')).toBeLessThan(FELT)

    const overlapping = await one.keys.rotate(stored.id, { overlapMs: 60_000 })
    expect(await felt(overlapping?.key ?? '', (holder) => holder?.id === stored.id)).toBeLessThan(FELT)
    expect(await felt(key, (holder) => holder?.id === stored.id)).toBeLessThan(FELT)

    const alone = await one.keys.rotate(stored.id, { overlapMs: 0 })
    expect(await felt(key, (holder) => holder === undefined)).toBeLessThan(FELT)
    expect(await felt(overlapping?.key ?? '', (holder) => holder === undefined)).toBeLessThan(FELT)
    expect(await felt(alone?.key ?? '', (holder) => holder?.id === stored.id)).toBeLessThan(FELT)

    await one.keys.revoke(stored.id)
    expect(await felt(alone?.key ?? '', (holder) => holder === undefined)).toBeLessThan(FELT)
  })

  it('ends in all of them when its overlap does, by itself', async () => {
    const stores = await openThree(await url())
    const [one] = stores
    const { key, stored } = await one.keys.create({})
    const rotated = await one.keys.rotate(stored.id, { overlapMs: 300 })
    const ids = async (held: string) =>
      (await Promise.all(stores.map((store) => store.keys.holder(hashApiKey(held))))).map((one) => one?.id)
    expect(await ids(rotated?.key ?? '')).toEqual([stored.id, stored.id, stored.id])
    await vi.waitUntil(async () => (await ids(key)).every((id) => id === undefined), { timeout: 60_000, interval: 10 })
    expect(await ids(rotated?.key ?? '')).toEqual([stored.id, stored.id, stored.id])
  })

  it('says to all of them when it was last used, and whose its usage is', async () => {
    const [one, other] = await openThree(await url())
    const { stored } = await one.keys.create({ project: 'prj_a' })
    await one.keys.configure([{ id: 'configured_1', name: 'ci' }])
    await other.ledger.settle(ledgerRow(1, { principal: stored.id }))
    await other.ledger.takeIn()
    expect(await one.keys.list({ project: 'prj_a' })).toMatchObject([{ id: stored.id, lastUsedAt: START + 1 }])
    expect(await one.keys.list({ project: 'prj_b' })).toEqual([])
  })
})
