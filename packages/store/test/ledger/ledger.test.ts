import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createLedger } from '../../src/ledger/ledger.ts'
import { createWriterCalls } from '../../src/threads/writer.ts'
import { diskWith, open as openJournalOf } from '../journal/journals.ts'
import { fill, openLedger, openParts, row, rows } from './ledgers.ts'

describe('A row that is settled', () => {
  it('is in the store a moment later, though nobody asks', async () => {
    const { ledger, ids } = await openLedger()
    await ledger.settle(row('one'))
    await vi.waitUntil(async () => (await ids()).length === 1, { timeout: 20_000, interval: 10 })
  })

  it('is there at once for whoever has the journal taken in', async () => {
    const { ledger, ids } = await openLedger()
    await ledger.settle(row('one'))
    await ledger.ingest()
    expect(await ids()).toEqual(['one'])
    expect(ledger.isIngested()).toBe(true)
  })

  it('is taken in together with those that end meanwhile', async () => {
    const { ledger, ingestUpTo, ids } = await openLedger()
    await Promise.all(rows('a', 100).map((one) => ledger.settle(one)))
    await vi.waitUntil(async () => (await ids()).length === 100, { timeout: 20_000, interval: 10 })
    expect(ingestUpTo).toHaveBeenCalledOnce()
  })

  it('while others are taken in is not said to be taken', async () => {
    const { ledger, ingestUpTo, ids } = await openLedger()
    await ledger.settle(row('one'))
    ingestUpTo.mockImplementationOnce(async () => {
      await ledger.settle(row('late'))
      return false
    })
    await ledger.ingest()
    expect(ledger.isIngested()).toBe(false)
    await ledger.ingest()
    expect([ledger.isIngested(), await ids()]).toEqual([true, ['late', 'one']])
  })
})

describe('After a restart', () => {
  it('a row is in the store before the long journal of an earlier process is', async () => {
    const { parts, ids } = await openParts()
    const earlier = openJournalOf({
      dataDir: parts.dataDir,
      rotate: { bytes: 200_000, ms: 1e9 },
      fsync: 'never',
    }).journal
    for (const one of rows('old', 16_000)) void earlier.append({ kind: 'e', row: { ...one, id: String(one.id) } })
    earlier.close()
    const { journal } = openJournalOf({ dataDir: parts.dataDir, fsync: 'never' })
    const { ingestUpTo } = createWriterCalls({ ...parts, run: journal.run, retention: {} })
    const ledger = createLedger({ journal, ingestUpTo, onProblem: () => {} })
    onTestFinished(() => ledger.abandon())
    const all = ledger.ingest()
    await vi.waitUntil(async () => (await ids()).length > 0, { timeout: 20_000, interval: 5 })
    await ledger.settle(row('new'))
    const seen = await vi.waitUntil(
      async () => {
        const stored = await ids()
        return stored.includes('new') && stored
      },
      { timeout: 20_000, interval: 5 },
    )
    expect(seen.length).toBeLessThan(16_001)
    await all
    expect((await ids()).length).toBe(16_001)
  })
})

describe('After a full disk', () => {
  it('rows that waited are in the store, though no request comes', async () => {
    const { parts, ids } = await openParts()
    const disk = diskWith(1e9)
    const { journal } = openJournalOf({ dataDir: parts.dataDir, write: disk.write, fsync: 'never' })
    const { ingestUpTo } = createWriterCalls({ ...parts, run: journal.run, retention: {} })
    const ledger = createLedger({ journal, ingestUpTo, onProblem: () => {} })
    onTestFinished(() => ledger.abandon())
    disk.room(0)
    await ledger.settle(row('one'))
    await ledger.ingest()
    expect([ledger.waiting(), await ids()]).toEqual([1, []])
    disk.room(1e9)
    await vi.waitUntil(async () => (await ids()).length === 1, { timeout: 20_000, interval: 20 })
    expect(ledger.waiting()).toBe(0)
  })
})

describe('Whoever has the journal taken in', () => {
  it('waits for no more than the take that comes after: there is one at a time', async () => {
    const { journal } = openJournalOf()
    const waiting: PromiseWithResolvers<boolean>[] = []
    const ingestUpTo = vi.fn(() => {
      const one = Promise.withResolvers<boolean>()
      waiting.push(one)
      return one.promise
    })
    const ledger = createLedger({ journal, ingestUpTo, onProblem: () => {} })
    const asked = [ledger.ingest(), ledger.ingest(), ledger.ingest()]
    expect(ingestUpTo).toHaveBeenCalledOnce()
    waiting[0]?.reject(new Error('busy'))
    await expect(asked[0]).rejects.toThrow('busy')
    await vi.waitUntil(() => waiting.length === 2, { timeout: 20_000 })
    waiting[1]?.resolve(false)
    await Promise.all(asked.slice(1))
    expect(ingestUpTo).toHaveBeenCalledTimes(2)
    ledger.abandon()
  })
})

describe('While the store can not be written', () => {
  it('rows stay in the journal, which is said once; they are there when it can', async () => {
    const { ledger, connection, ids, problems } = await openLedger()
    const makeRoom = fill(connection)
    for (const turn of ['a', 'b']) {
      await Promise.all(rows(turn, 100).map((one) => ledger.settle(one)))
      await expect(ledger.ingest()).rejects.toThrow('database or disk is full')
    }
    expect([ledger.stored(), ledger.writable(), ledger.waiting(), ledger.lost()]).toEqual([false, true, 0, 0])
    expect(problems).toEqual([
      'The store does not accept usage rows; they stay in the journal: database or disk is full',
    ])

    makeRoom()
    await vi.waitUntil(() => ledger.stored(), { timeout: 20_000 })
    expect(await ids()).toHaveLength(200)
    expect(problems.at(-1)).toBe('The store accepts usage rows again.')
  })

  it('because another process holds it, the same is true', async () => {
    const { ledger, connection, ids } = await openLedger()
    connection.database.exec('PRAGMA busy_timeout = 0')
    const other = new DatabaseSync(connection.file)
    onTestFinished(() => other.close())
    other.exec('BEGIN IMMEDIATE')
    await ledger.settle(row('one'))
    await expect(ledger.ingest()).rejects.toThrow('database is locked')
    expect([ledger.stored(), ledger.writable()]).toEqual([false, true])
    other.exec('COMMIT')
    await ledger.ingest()
    expect([ledger.stored(), await ids()]).toEqual([true, ['one']])
  })
})
