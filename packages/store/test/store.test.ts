import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { runsIn } from '../src/journal/process-run.ts'
import { hashApiKey } from '../src/keys/api-key.ts'
import { probeStore } from '../src/probe.ts'
import { openStore } from '../src/store.ts'
import { temporaryFolder } from './journal/journals.ts'
import { row, rows } from './ledger/ledgers.ts'
import { damage, open, openForCommand } from './opened.ts'

const journalOf = (dataDir: string): string => join(dataDir, 'journal')

describe('A key of the store', () => {
  it('is known, and ends at once when it is revoked, or soon when another process does it', async () => {
    const { store, dataDir } = await open()
    const [mine, theirs] = [await store.keys.create({ name: 'mine' }), await store.keys.create({ name: 'theirs' })]
    const holds = (key: string) => store.keys.findByHash(hashApiKey(key))
    expect([await holds(mine.key), await holds(theirs.key)]).toMatchObject([
      { id: mine.stored.id },
      { id: theirs.stored.id },
    ])
    await store.keys.revoke('mine')
    expect(await holds(mine.key)).toBeUndefined()
    const { archive } = await openForCommand(dataDir)
    await archive.keys.revoke('theirs')
    await vi.waitUntil(async () => (await holds(theirs.key)) === undefined, { timeout: 20_000, interval: 20 })
    expect((await store.keys.list()).map(({ name, revokedAt }) => [name, revokedAt !== undefined])).toEqual([
      ['mine', true],
      ['theirs', true],
    ])
  })

  it('goes on where the store can no longer be read, and of others nobody knows', async () => {
    const { store, dataDir } = await open()
    const [used, unused] = [await store.keys.create({}), await store.keys.create({})]
    const holds = (key: string) => store.keys.findByHash(hashApiKey(key))
    await holds(used.key)
    damage(dataDir, 'ALTER TABLE keys RENAME TO away')
    expect(await holds(used.key)).toMatchObject({ id: used.stored.id })
    await expect(holds(unused.key)).rejects.toMatchObject({
      kind: 'unavailable',
      cause: { message: 'no such table: keys' },
    })
  })
})

describe('Usage', () => {
  it('that has ended is in the page and the series that somebody asks for, at once', async () => {
    const { store } = await open()
    await Promise.all(rows('a', 3).map((one) => store.ledger.settle(one)))
    expect((await store.usage.page({ limit: 10 })).map(({ requestId }) => requestId).sort()).toEqual(['a0', 'a1', 'a2'])
    await store.ledger.settle(row('b'))
    const [day] = await store.usage.series({ from: 1_700_000_000_000, to: 1_700_000_000_001, by: 'model', step: 'day' })
    expect(day).toMatchObject({ names: ['fast'], counts: { requests: 4 }, cost: '6000' })
  })

  it('is shown as far as the store has it while it takes nothing, with how much it lacks', async () => {
    const { store, dataDir, problems } = await open()
    await store.ledger.settle(row('one'))
    expect(await store.usage.page({ limit: 10 })).toHaveLength(1)
    expect(store.usage.behind()).toBe(0)
    damage(dataDir, 'ALTER TABLE usage_hours RENAME TO away')
    await Promise.all(rows('a', 3).map((one) => store.ledger.settle(one)))
    expect((await store.usage.page({ limit: 10 })).map(({ requestId }) => requestId)).toEqual(['one'])
    expect(store.usage.behind()).toBe(3)
    const query = { from: 1_700_000_000_000, to: 1_700_000_000_001, by: 'model', step: 'day' } as const
    expect(await store.usage.series(query)).toMatchObject([{ counts: { requests: 1 } }])
    expect(problems).toEqual([
      expect.stringMatching(/^The store does not accept usage rows; they stay in the journal: no such table/),
    ])
    damage(dataDir, 'ALTER TABLE away RENAME TO usage_hours')
    expect(await store.usage.page({ limit: 10 })).toHaveLength(4)
    expect(store.usage.behind()).toBe(0)
  })

  it('of several processes with one data directory is in one store', async () => {
    const one = await open()
    const other = await open(one.dataDir)
    await Promise.all([one.store.ledger.settle(row('one')), other.store.ledger.settle(row('other'))])
    expect(await one.store.usage.page({ limit: 10 })).not.toEqual([])
    await vi.waitUntil(async () => (await one.store.usage.page({ limit: 10 })).length === 2, {
      timeout: 20_000,
      interval: 20,
    })
  })
})

describe('The end of a store', () => {
  it('leaves nothing in the journal', async () => {
    const { store, dataDir } = await open()
    await store.ledger.settle(row('one'))
    await store.close()
    expect(runsIn(journalOf(dataDir))).toEqual([])
    expect((await (await open(dataDir)).store.usage.page({ limit: 10 })).map(({ requestId }) => requestId)).toEqual([
      'one',
    ])
  })

  it('leaves what the store does not take in the journal, and the next start takes it in', async () => {
    const { store, dataDir, problems } = await open()
    damage(dataDir, 'ALTER TABLE usage RENAME TO away')
    await store.ledger.settle(row('one'))
    await store.close()
    expect(runsIn(journalOf(dataDir))).toHaveLength(1)
    expect(problems).toEqual([
      expect.stringMatching(
        /^The store does not accept usage rows; they stay in the journal: .*no such table: .*usage/,
      ),
    ])
    damage(dataDir, 'ALTER TABLE away RENAME TO usage')
    const next = await open(dataDir)
    expect((await next.store.usage.page({ limit: 10 })).map(({ requestId }) => requestId)).toEqual(['one'])
  })

  it('keeps the row that is settled while the last ones are taken in', async () => {
    const { store, dataDir } = await open()
    await store.ledger.settle(row('one'))
    const closing = store.close()
    await store.ledger.settle(row('late'))
    await closing
    const { archive } = await openForCommand(dataDir)
    expect((await archive.usage.page({ limit: 10 })).map(({ requestId }) => requestId).sort()).toEqual(['late', 'one'])
  })
})

describe('Lists of models', () => {
  it('outlive the process', async () => {
    const { store, dataDir } = await open()
    await store.lists.write('mine', [{ id: 'old' }])
    await store.lists.write('mine', [{ id: 'model-1', context: 8_192 }])
    await store.close()
    const { lists } = (await open(dataDir)).store
    expect(await lists.read('mine')).toEqual([{ id: 'model-1', context: 8_192 }])
    expect(await lists.read('other')).toBeUndefined()
  })
})

describe('The data directory', () => {
  it('and all that lies in it can be read by its owner only', async () => {
    const { store, dataDir } = await open(join(temporaryFolder(), 'data'))
    await store.keys.create({})
    await store.ledger.settle(row('one'))
    const mode = (path: string): string => (statSync(join(dataDir, path)).mode & 0o777).toString(8)
    const [run = ''] = runsIn(journalOf(dataDir))
    const [segment = ''] = readdirSync(join(journalOf(dataDir), run)).filter((name) => name.endsWith('.log'))
    const folders = ['', 'journal', `journal/${run}`]
    const files = [
      'headgate.db',
      'headgate.db-wal',
      'headgate.db-migration',
      `journal/${run}/${segment}`,
      `journal/${run}/owner.lock`,
    ]
    expect([folders.map(mode), files.map(mode)]).toEqual([folders.map(() => '700'), files.map(() => '600')])
  })

  it('of a newer headgate is refused, with no journal begun', async () => {
    const { store, dataDir } = await open()
    await store.close()
    damage(dataDir, 'UPDATE headgate_schema SET version = 99, min_reader = 99')
    await expect(openStore({ dataDir, onProblem: () => {} })).rejects.toThrow('was written by a newer headgate')
    await expect(probeStore({ dataDir })).rejects.toThrow('was written by a newer headgate')
    expect(runsIn(journalOf(dataDir))).toEqual([])
  })

  it('that can not be had is refused, with what to do', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'file'), '')
    const dataDir = join(folder, 'file/data')
    const advice = 'Choose another folder with --data-dir or HEADGATE_DATA_DIR'
    await expect(openStore({ dataDir, onProblem: () => {} })).rejects.toThrow(advice)
  })

  it('that has no store is not made by a look', async () => {
    const dataDir = join(temporaryFolder(), 'data')
    await probeStore({ dataDir })
    expect(existsSync(dataDir)).toBe(false)
  })
})
