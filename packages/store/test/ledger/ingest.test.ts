import { appendFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { segmentFile, segmentsOf } from '../../src/journal/segment.ts'
import { ingestRunning } from '../../src/ledger/ingest.ts'
import { usagePage } from '../../src/usage/page.ts'
import { ingestPositions } from '../../src/usage/write.ts'
import { open as openJournalOf } from '../journal/journals.ts'
import { openLedger, openParts, putAsideIn, refused, row, rows } from './ledgers.ts'

/** What an upstream, or a ledger's caller, may have where a number is due. */
const ODD: readonly unknown[] = [2 ** 53, 2 ** 63, 1e300, -1, 1.5, '12', true]

describe('A row with a number that is out of range', () => {
  it.each(ODD)('such as %s tokens is stored without it and says so, and so are the rows of its turn', async (odd) => {
    const { ledger, connection, parts } = await openLedger()
    await Promise.all(
      [row('before'), row('odd', { usage: { input: odd, output: 20 } }), row('after')].map((one) => ledger.settle(one)),
    )
    await ledger.ingest()
    const page = await usagePage(connection, { limit: 10 })
    expect(page.map(({ requestId }) => requestId).sort()).toEqual(['after', 'before', 'odd'])
    const stored = page.find(({ requestId }) => requestId === 'odd')
    expect(stored).toMatchObject({
      input: null,
      output: 20,
      cost: '1500',
      losses: [{ path: 'response.usage.input', kind: 'dropped' }],
    })
    expect(putAsideIn(parts.dataDir)).toEqual([])
  })

  it.each(ODD)('such as a cost of %s is stored without it and says so', async (odd) => {
    const { ledger, connection } = await openLedger()
    await ledger.settle(row('odd', { cost: odd }))
    await ledger.ingest()
    expect(await usagePage(connection, { limit: 1 })).toMatchObject([{ cost: null, losses: [{ path: 'cost' }] }])
  })
})

describe('A row that the store refuses', () => {
  it('is put aside with all that it says, and keeps no other row out', async () => {
    const { ledger, ids, onQuarantine, dataDir } = await openLedger()
    const bad = refused('bad')
    await Promise.all([...rows('a', 3), bad, ...rows('b', 3)].map((one) => ledger.settle(one)))
    await ledger.ingest()
    await ledger.settle(row('later'))
    await ledger.ingest()
    expect(await ids()).toEqual(['a0', 'a1', 'a2', 'b0', 'b1', 'b2', 'later'])
    const reason = 'NOT NULL constraint failed: usage.duration_ms'
    expect(putAsideIn(dataDir)).toEqual([{ reason, row: JSON.parse(JSON.stringify(bad)) }])
    expect(onQuarantine.mock.calls).toEqual([
      [`The usage row of request bad cannot be stored and is quarantined: ${reason}`],
    ])
  })

  it('stays in the journal where there is no room to put it aside', async () => {
    let isFull = true
    const kept: unknown[] = []
    const add = (one: unknown): void => {
      if (isFull) throw new Error('no space left on device')
      kept.push(one)
    }
    const { ledger, ids } = await openLedger({ quarantine: { add } })
    await Promise.all([row('before'), refused('bad'), row('after')].map((one) => ledger.settle(one)))
    await expect(ledger.ingest()).rejects.toThrow('no space left on device')
    isFull = false
    await ledger.ingest()
    expect([await ids(), kept.length, ledger.stored()]).toEqual([['after', 'before'], 1, true])
  })
})

describe('A damaged line of the journal', () => {
  it('is put aside, and the others are taken in', async () => {
    const { ledger, journal, ids, dataDir, ingestUpTo } = await openLedger()
    await ledger.settle(row('before'))
    const { segment, offset } = journal.written()
    const damage = '00000000 {"kind":"e","row":{"id":\n'
    appendFileSync(segmentFile(journal.folder, segment), damage)
    await ledger.settle(row('after'))
    await ingestUpTo({ segment, offset: journal.written().offset + damage.length })
    expect(await ids()).toEqual(['after', 'before'])
    expect(putAsideIn(dataDir)).toEqual([{ reason: 'it is not a valid record', line: damage.trim() }])
    expect(offset).toBeGreaterThan(0)
  })
})

describe('Segments', () => {
  it('that are over go once the store has their rows, and never before', async () => {
    const { ledger, journal, ingestUpTo, ids, connection } = await openLedger({ rotate: { bytes: 500, ms: 60_000 } })
    ingestUpTo.mockRejectedValueOnce(new Error('busy'))
    for (const one of rows('a', 5)) await ledger.settle(one)
    await expect(ledger.ingest()).rejects.toThrow('busy')
    expect(segmentsOf(journal.folder).length).toBeGreaterThan(2)
    await ledger.ingest()
    const { segment, offset } = journal.written()
    expect(segmentsOf(journal.folder)).toEqual([segment])
    // Nor does the store remember more than lies there.
    expect([...(await ingestPositions(connection, journal.run))]).toEqual([[segment, offset]])
    expect(await ids()).toHaveLength(5)
  })
})

describe('The journal of a process that runs', () => {
  it('is taken in by another one as far as it is written, any number of times; the owner does the rest', async () => {
    const owner = await openLedger({ rotate: { bytes: 500, ms: 60_000 } })
    const { parts, onQuarantine, ids } = await openParts({ dataDir: owner.dataDir })
    for (const one of [...rows('a', 3), refused('bad'), ...rows('b', 3)]) await owner.ledger.settle(one)
    await Promise.all([ingestRunning(parts, owner.journal.run), ingestRunning(parts, owner.journal.run)])
    expect(await ids()).toEqual(['a0', 'a1', 'a2', 'b0', 'b1', 'b2'])
    expect([onQuarantine.mock.calls, putAsideIn(owner.dataDir)]).toEqual([[], []])
    await owner.ledger.ingest()
    expect([await ids(), putAsideIn(owner.dataDir)]).toMatchObject([{ length: 6 }, [{ row: { requestId: 'bad' } }]])
  })

  it('that ends meanwhile is nothing to take in', async () => {
    const { parts, ids } = await openParts()
    const { journal } = openJournalOf()
    await ingestRunning(parts, journal.run)
    expect(await ids()).toEqual([])
  })
})
