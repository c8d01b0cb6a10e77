import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { uuidv7 } from '@headgate/gateway/ports'
import { describe, expect, it } from 'vitest'
import { roomFor, writeLine } from '../../src/journal/line.ts'
import { journalFolder, runsIn } from '../../src/journal/process-run.ts'
import { segmentFile } from '../../src/journal/segment.ts'
import { createEndedRunIngest } from '../../src/ledger/ended-runs.ts'
import { attemptsOf, usagePage } from '../../src/usage/page.ts'
import { open as openJournalOf } from '../journal/journals.ts'
import { begin } from '../journal/row.ts'
import { openLedger, openParts, row, rows } from './ledgers.ts'

/** The journal of a process that has ended without taking it in. */
async function leave(
  dataDir: string,
  requestIds: readonly string[],
  rotate = { bytes: 8e6, ms: 60_000 },
): Promise<void> {
  const { journal } = openJournalOf({ dataDir, rotate })
  for (const requestId of requestIds) await journal.append({ kind: 'e', row: row(requestId) })
  journal.close()
}

describe('A life that is over', () => {
  it('is taken in whole by the next process, and its folder goes', async () => {
    const { parts, dataDir, ids, connection } = await openParts()
    await leave(dataDir, ['one', 'two', 'three'], { bytes: 500, ms: 60_000 })
    await leave(dataDir, ['four'])
    await createEndedRunIngest(parts)()
    expect(await ids()).toEqual(['four', 'one', 'three', 'two'])
    expect(runsIn(journalFolder(dataDir))).toEqual([])
    expect(await connection.db.selectFrom('ingest_positions').selectAll().execute()).toEqual([])
  })

  it('is taken in a segment at a time where time is short, and its folder goes with the last', async () => {
    const { parts, dataDir, ids } = await openParts()
    await leave(dataDir, ['one', 'two', 'three'], { bytes: 1, ms: 60_000 })
    const ingestEnded = createEndedRunIngest(parts)
    const stored: number[] = []
    while (!(await ingestEnded(performance.now()))) stored.push((await ids()).length)
    expect(stored).toEqual([1, 2])
    expect([(await ids()).length, runsIn(journalFolder(dataDir))]).toEqual([3, []])
  })

  it('is taken in by a process that runs, beside its own', async () => {
    const { ledger, dataDir, journal, ids } = await openLedger()
    await leave(dataDir, ['theirs'])
    await ledger.settle(row('ours'))
    await ledger.ingest()
    expect(await ids()).toEqual(['ours', 'theirs'])
    expect(runsIn(journalFolder(dataDir))).toEqual([journal.run])
  })

  it('is there once where two take it in at the same time', async () => {
    const { parts, dataDir, ids } = await openParts()
    const other = await openParts({ dataDir })
    const names = rows('a', 50).map(({ requestId }) => requestId)
    await leave(dataDir, names)
    await Promise.all([createEndedRunIngest(parts)(), createEndedRunIngest(other.parts)()])
    await createEndedRunIngest(parts)()
    expect(await ids()).toEqual(names.sort())
  })

  it('and had begun what it never ended has a row for it, held at its bound', async () => {
    const { parts, connection, dataDir } = await openParts()
    const [open, over] = [uuidv7(), uuidv7()]
    const { journal } = openJournalOf({ dataDir })
    await journal.append(begin(over))
    await journal.append(begin(open, { bound: '90000' }))
    await journal.append(begin(open, { bound: '5000', provider: 'second', endpoint: 'eu', at: 1_700_000_000_500 }))
    await journal.append({ kind: 'e', row: { ...row('ended'), id: over } })
    journal.close()
    await createEndedRunIngest(parts)()
    const page = await usagePage(connection, { limit: 10 })
    const lost = page.find(({ id }) => id === open)
    expect(page).toHaveLength(2)
    expect(lost).toMatchObject({
      status: 0,
      why: 'lost',
      billed: false,
      cost: null,
      charged: null,
      held: '95000',
      at: 1_700_000_000_000,
    })
    expect(lost).toMatchObject({ principal: 'key_1', provider: 'second', endpoint: 'eu', model: 'fast' })
    if (!lost) throw new Error('It has a row.')
    expect(await attemptsOf(connection, lost)).toMatchObject([
      { provider: 'mine', cost: null },
      { provider: 'second', endpoint: 'eu', cost: null },
    ])
  })

  it('that only a newer version reads is left to it, which is said once, and keeps nothing else out', async () => {
    const { parts, dataDir, ids, problems } = await openParts()
    await leave(dataDir, ['newer'])
    const [run = ''] = runsIn(journalFolder(dataDir))
    const file = segmentFile(`${journalFolder(dataDir)}/${run}`, 1)
    const text = JSON.stringify({ kind: 'h', version: 99, run, boot: '' })
    const header = Buffer.alloc(roomFor(text))
    const lines = readFileSync(file)
    writeFileSync(
      file,
      Buffer.concat([header.subarray(0, writeLine(header, 0, text)), lines.subarray(lines.indexOf('\n') + 1)]),
    )
    await leave(dataDir, ['ours'])
    const ingestEnded = createEndedRunIngest(parts)
    await ingestEnded()
    await ingestEnded()
    expect(await ids()).toEqual(['ours'])
    expect(problems).toEqual([expect.stringContaining('was written by a newer version of Headgate')])
    expect(runsIn(journalFolder(dataDir))).toEqual([run])
  })

  it('with a record of a kind that only a newer version reads is left to it as a whole', async () => {
    const { parts, dataDir, ids, problems } = await openParts()
    await leave(dataDir, ['newer'])
    const [run = ''] = runsIn(journalFolder(dataDir))
    const file = segmentFile(`${journalFolder(dataDir)}/${run}`, 1)
    const text = JSON.stringify({ kind: 'kind of a newer version', id: 'any' })
    const line = Buffer.alloc(roomFor(text))
    const before = readFileSync(file)
    const written = Buffer.concat([before, line.subarray(0, writeLine(line, 0, text))])
    writeFileSync(file, written)
    await createEndedRunIngest(parts)()
    expect(await ids()).toEqual([])
    expect(problems).toEqual([expect.stringContaining('with records that this version cannot read')])
    expect(readFileSync(file)).toEqual(written)
    expect(readdirSync(dataDir).filter((name) => name.startsWith('usage-quarantine'))).toEqual([])
  })

  it('with fields that only a newer version reads is ingested without them', async () => {
    const { parts, dataDir, ids, problems } = await openParts()
    const newer = { ...row('newer'), fieldOfNewerVersion: { any: 1 } }
    const { journal } = openJournalOf({ dataDir })
    await journal.append({ kind: 'e', row: newer })
    journal.close()
    await createEndedRunIngest(parts)()
    expect(await ids()).toEqual(['newer'])
    expect(problems).toEqual([])
  })
})

describe('A life that goes on', () => {
  it('is its owner’s', async () => {
    const { parts, dataDir, ids } = await openParts()
    const { journal } = openJournalOf({ dataDir })
    await journal.append({ kind: 'e', row: row('theirs') })
    await createEndedRunIngest(parts)()
    expect(await ids()).toEqual([])
    expect(runsIn(journalFolder(dataDir))).toEqual([journal.run])
  })
})
