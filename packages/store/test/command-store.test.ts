import { describe, expect, it, vi } from 'vitest'
import { hashApiKey } from '../src/keys/api-key.ts'
import { openLedger, row } from './ledger/ledgers.ts'
import { damage, open, openForCommand } from './opened.ts'

describe('The store of a command', () => {
  it('shows what a program that runs has written to its journal only', async () => {
    const { ledger, dataDir } = await openLedger()
    const { archive } = await openForCommand(dataDir)
    await ledger.settle(row('one'))
    expect((await archive.usage.page({ limit: 10 })).map(({ requestId }) => requestId)).toEqual(['one'])
    await ledger.settle(row('two'))
    const [hour] = await archive.usage.series({
      from: 1_700_000_000_000,
      to: 1_700_000_000_001,
      by: 'provider',
      step: 'hour',
    })
    expect(hour).toMatchObject({ names: ['mine'], counts: { requests: 2 } })
  })

  it('shows what is in the store where it takes nothing more, and says so', async () => {
    const { ledger, dataDir } = await openLedger()
    const { archive, problems } = await openForCommand(dataDir)
    await ledger.settle(row('one'))
    await archive.ingest()
    damage(dataDir, 'ALTER TABLE usage_hours RENAME TO away')
    await ledger.settle(row('two'))
    await ledger.settle(row('three'))
    expect((await archive.usage.page({ limit: 10 })).map(({ requestId }) => requestId)).toEqual(['one'])
    expect(archive.usage.behind()).toBe(2)
    expect(problems).toEqual([
      expect.stringMatching(/^The newest usage rows, 2 of them, are still in the journal: no such table/),
    ])
    damage(dataDir, 'ALTER TABLE away RENAME TO usage_hours')
    expect(await archive.usage.page({ limit: 10 })).toHaveLength(3)
    expect(archive.usage.behind()).toBe(0)
  })

  it('makes keys that a program that runs knows soon', async () => {
    const { store, dataDir } = await open()
    // Its threads have begun.
    await store.keys.list()
    const { archive } = await openForCommand(dataDir)
    const { key, stored } = await archive.keys.create({ name: 'new' })
    await vi.waitUntil(async () => (await store.keys.findByHash(hashApiKey(key)))?.id === stored.id, {
      timeout: 20_000,
      interval: 20,
    })
    expect(await archive.keys.list()).toEqual([stored])
  })
})
