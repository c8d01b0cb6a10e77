import { describe, expect, it, vi } from 'vitest'
import { hashApiKey } from '../src/keys/api-key.ts'
import { openStore } from '../src/store.ts'
import { temporaryFolder } from './journal/journals.ts'

describe('A store that is woken', () => {
  it('reads the changes of another process long before it would otherwise', async () => {
    const dataDir = temporaryFolder()
    const other = await openStore({ dataDir, onProblem: () => {} })
    const one = await openStore({ dataDir, onProblem: () => {}, onChange: () => other.wake() })
    try {
      for (let round = 0; round < 6; round++) {
        const { key, stored } = await one.keys.create({})
        const hash = hashApiKey(key)
        expect(await other.keys.findByHash(hash)).toBeDefined()
        await one.keys.revoke(stored.id)
        const since = performance.now()
        await vi.waitUntil(async () => (await other.keys.findByHash(hash)) === undefined, {
          timeout: 20_000,
          interval: 5,
        })
        // It is read each 500 ms, so that six times in a row are no chance.
        expect(performance.now() - since).toBeLessThan(250)
      }
    } finally {
      await Promise.all([one.close(), other.close()])
    }
  })
})
