import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { segmentFile, segmentsOf } from '../../src/journal/segment.ts'
import { createEndedRunIngest } from '../../src/ledger/ended-runs.ts'
import { type IngestParts, ingestJournal, type JournalPosition } from '../../src/ledger/ingest.ts'
import { createWriterCalls } from '../../src/threads/writer.ts'
import { open as openJournalOf } from '../journal/journals.ts'
import { openParts, rows } from './ledgers.ts'

/** A store, and a journal of three segments with four rows each. */
async function opened() {
  const store = await openParts()
  const { journal } = openJournalOf({ dataDir: store.dataDir, rotate: { bytes: 1, ms: 1e9 }, fsync: 'never' })
  for (const prefix of ['a', 'b', 'c'])
    await Promise.all(rows(prefix, 4).map((row) => journal.append({ kind: 'e', row: { ...row, id: String(row.id) } })))
  expect(segmentsOf(journal.folder)).toEqual([1, 2, 3])
  const cuts: number[] = []
  const parts: IngestParts = {
    ...store.parts,
    onTruncation: (message, count) => void cuts.push(message.includes('was truncated') ? count : Number.NaN),
  }
  /** Leaves so many lines of a segment, the header included. */
  const cut = (segment: number, lines: number): void => {
    const file = segmentFile(journal.folder, segment)
    const kept = readFileSync(file, 'utf8').split('\n').slice(0, lines).join('\n')
    truncateSync(file, Buffer.byteLength(kept) + 1)
  }
  return { journal, parts, cut, cuts, ids: store.ids }
}

describe('A journal of which a part is gone', () => {
  it.each([
    ['at the end of a line', (cut: (segment: number, lines: number) => void) => cut(2, 3), 2],
    ['behind the header', (cut: (segment: number, lines: number) => void) => cut(2, 1), 4],
    ['in two places', (cut: (segment: number, lines: number) => void) => [cut(1, 4), cut(2, 2)], 4],
  ])('is noticed when it was cut %s, and the rows are counted once', async (_, damage, lost) => {
    const { journal, parts, cut, cuts, ids } = await opened()
    journal.close()
    damage(cut)
    const ingestEnded = createEndedRunIngest(parts)
    await ingestEnded()
    await ingestEnded()
    expect(cuts.reduce((sum, count) => sum + count, 0)).toBe(lost)
    expect(await ids()).toHaveLength(12 - lost)
  })

  it.each([1, 2])('is noticed when segment %i is missing', async (segment) => {
    const { journal, parts, cuts, ids } = await opened()
    journal.close()
    rmSync(segmentFile(journal.folder, segment))
    await createEndedRunIngest(parts)()
    expect([cuts, (await ids()).length]).toEqual([[4], 8])
  })

  it('is noticed while its process runs, and what comes later is taken in', async () => {
    const { journal, parts, cut, cuts, ids } = await opened()
    const { ingestUpTo } = createWriterCalls({ ...parts, run: journal.run, retention: {} })
    onTestFinished(() => journal.close())
    await ingestUpTo(journal.written())
    expect([cuts, (await ids()).length]).toEqual([[], 12])
    const more = openJournalOf({ dataDir: parts.dataDir, fsync: 'never' }).journal
    const own = createWriterCalls({ ...parts, run: more.run, retention: {} })
    const append = (prefix: string) =>
      Promise.all(rows(prefix, 2).map((row) => more.append({ kind: 'e', row: { ...row, id: String(row.id) } })))
    await append('d')
    await own.ingestUpTo(more.written())
    await append('e')
    truncateSync(
      segmentFile(more.folder, 1),
      readFileSync(segmentFile(more.folder, 1), 'utf8').split('\n').slice(0, 2).join('\n').length + 1,
    )
    await append('f')
    for (let turn = 0; turn < 3; turn += 1) await own.ingestUpTo(more.written())
    // Of these one was taken in before.
    expect(cuts).toEqual([3])
    expect((await ids()).slice(12)).toEqual(['d0', 'd1', 'f0', 'f1'])
    void cut
  })

  it('is not noticed when an ingestion stops behind each segment, and the next one continues', async () => {
    const { journal, parts, cuts, ids } = await opened()
    const upTo = journal.written()
    let from: JournalPosition | undefined
    // Another process, or this one after a failure, knows only the position in the store.
    for (const isKnown of [true, false, true]) {
      const { isAll, ...at } = await ingestJournal(parts, journal.run, {
        ...(isKnown && from && { from }),
        upTo,
        until: 0,
      })
      from = at
    }
    expect([cuts, (await ids()).length]).toEqual([[], 12])
    expect(segmentsOf(journal.folder)).toEqual([3])
    journal.close()
  })

  it('is not noticed when an ingestion fails behind a segment, and is repeated', async () => {
    const { journal, parts, cuts, ids } = await opened()
    const text = readFileSync(segmentFile(journal.folder, 1), 'utf8').split('\n')
    const offset = Buffer.byteLength(text.slice(0, 3).join('\n')) + 1
    const second = segmentFile(journal.folder, 2)
    writeFileSync(second, readFileSync(second, 'utf8').replace('"b1"', '"bb"'))
    let failures = 0
    const onQuarantine = (): void => {
      failures += 1
      if (failures === 1) throw new Error('the store does not answer')
    }
    const { ingestUpTo } = createWriterCalls({ ...parts, onQuarantine, run: journal.run, retention: {} })
    await ingestUpTo({ segment: 1, offset })
    await expect(ingestUpTo(journal.written())).rejects.toThrow('the store does not answer')
    expect(segmentsOf(journal.folder)).toEqual([2, 3])
    await ingestUpTo(journal.written())
    expect([cuts, failures, (await ids()).length]).toEqual([[], 2, 11])
    journal.close()
  })

  it('is not noticed when all is there', async () => {
    const { journal, parts, cuts, ids } = await opened()
    journal.close()
    await createEndedRunIngest(parts)()
    expect([cuts, (await ids()).length]).toEqual([[], 12])
  })
})
