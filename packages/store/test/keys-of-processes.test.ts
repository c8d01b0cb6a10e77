import { describe, expect, it, vi } from 'vitest'
import { hashApiKey } from '../src/keys/api-key.ts'
import { openThree, places } from './support/processes.ts'
import { ledgerRow, START } from './support/rows.ts'

describe.each(places)('a key that three processes share by $name', ({ url }) => {
  it('ends in all of them when its overlap does, by itself', async () => {
    const stores = await openThree(await url())
    const [one] = stores
    const { key, stored } = await one.keys.create({})
    const rotated = await one.keys.rotate(stored.id, { overlapMs: 300 })
    const ids = async (held: string) =>
      (await Promise.all(stores.map((store) => store.keys.findByHash(hashApiKey(held))))).map((one) => one?.id)
    expect(await ids(rotated?.key ?? '')).toEqual([stored.id, stored.id, stored.id])
    await vi.waitUntil(async () => (await ids(key)).every((id) => id === undefined), { timeout: 20_000, interval: 10 })
    expect(await ids(rotated?.key ?? '')).toEqual([stored.id, stored.id, stored.id])
  })

  it('says to all of them when it was last used, and whose its usage is', async () => {
    const [one, other] = await openThree(await url())
    const { stored } = await one.keys.create({ project: 'prj_a' })
    await one.keys.configure([{ id: 'configured_1', name: 'ci' }])
    await other.ledger.settle(ledgerRow(1, { principal: stored.id }))
    await other.ledger.ingest()
    expect(await one.keys.list({ project: 'prj_a' })).toMatchObject([{ id: stored.id, lastUsedAt: START + 1 }])
    expect(await one.keys.list({ project: 'prj_b' })).toEqual([])
  })
})
