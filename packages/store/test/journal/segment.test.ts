import { appendFileSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { headOf } from '../../src/journal/batch.ts'
import { journalFolder } from '../../src/journal/process-run.ts'
import type { Header, JournalRecord } from '../../src/journal/record.ts'
import { readSegment, segmentFile } from '../../src/journal/segment.ts'
import { ids, open, recordsIn, recordsOf, temporaryFolder } from './journals.ts'
import { begin, end, ends } from './row.ts'

/** A life that is over, with these records in its only segment. */
function over(records: readonly JournalRecord[], dataDir?: string): { file: string; folder: string; dataDir: string } {
  const { journal, dataDir: used } = open({ ...(dataDir && { dataDir }), fsync: 'never' })
  for (const record of records) void journal.append(record)
  journal.close()
  return { file: segmentFile(journal.folder, 1), folder: journal.folder, dataDir: used }
}

/** Lines of a file with their line feeds. */
function linesOf(file: string): Buffer[] {
  return readFileSync(file, 'latin1')
    .split(/(?<=\n)/)
    .map((line) => Buffer.from(line, 'latin1'))
}

const text = fc.string({ unit: 'binary', maxLength: 20 })
const record: fc.Arbitrary<JournalRecord> = fc.oneof(
  fc.tuple(text, text).map(([id, model]) => end(id, { model })),
  fc.tuple(text, text).map(([id, provider]) => begin(id, { provider })),
)

describe('A journal that was cut', () => {
  it('at any byte has exactly the records whose lines are whole, and a new life loses none of them', () => {
    fc.assert(
      fc.property(fc.array(record, { maxLength: 8 }), fc.double({ min: 0, max: 1, noNaN: true }), (records, share) => {
        const { file, folder, dataDir } = over(records)
        const cut = Math.floor(statSync(file).size * share)
        const lines = linesOf(file)
        truncateSync(file, cut)
        let whole = 0
        for (let bytes = 0; bytes <= cut && whole < lines.length; whole++) {
          bytes += lines[whole]?.length ?? 0
          if (bytes > cut) break
        }
        const kept = records.slice(0, Math.max(0, whole - 1))
        const upto = lines.slice(0, whole).reduce((sum, line) => sum + line.length, 0)
        expect(readSegment(folder, 1, 0)).toEqual({ records: kept, damaged: [], end: upto, torn: upto < cut })
        over(ends('new', 2), dataDir)
        expect(recordsIn(dataDir)).toEqual([...kept, ...ends('new', 2)])
      }),
      { numRuns: 60 },
    )
  })

  it('at each byte of its last line lacks that record alone', () => {
    const { file, folder } = over([end('one'), begin('é\u{1f600}')])
    const bytes = readFileSync(file)
    const last = linesOf(file).at(-1)?.length ?? 0
    for (let cut = bytes.length - last; cut < bytes.length; cut++) {
      truncateSync(file, cut)
      expect(ids(recordsOf(folder))).toEqual(['one'])
      writeFileSync(file, bytes)
    }
    expect(ids(recordsOf(folder))).toEqual(['one', 'é\u{1f600}'])
  })
})

describe('A line whose checksum is not right', () => {
  /** Changes a letter in the line of a request. */
  function spoil(file: string, id: string): string {
    const content = readFileSync(file, 'utf8')
    writeFileSync(file, content.replace(`"requestId":"req_${id}"`, `"requestId":"REQ_${id}"`))
    return readFileSync(file, 'utf8')
  }

  it('in the middle is damaged: it is handed on as it is, and the rest is read', () => {
    const { file, folder } = over(ends('row', 3))
    const lines = spoil(file, 'row1').split('\n')
    const { records, damaged, end: upto, torn } = readSegment(folder, 1, 0)
    expect([ids(records), damaged, upto, torn]).toEqual([['row0', 'row2'], [lines[2]], statSync(file).size, false])
  })

  it('at the end of the newest segment is torn, and of an earlier one damaged', () => {
    const { file, folder } = over(ends('row', 3))
    const lines = spoil(file, 'row2').split('\n')
    const whole = statSync(file).size - (lines[3]?.length ?? 0) - 1
    expect(readSegment(folder, 1, 0)).toMatchObject({ damaged: [], end: whole, torn: true })
    writeFileSync(segmentFile(folder, 2), '')
    expect(readSegment(folder, 1, 0)).toMatchObject({ damaged: [lines[3]], end: statSync(file).size, torn: false })
  })

  it('is damaged at the end too, where the owner says that it has written it', () => {
    const { file, folder } = over(ends('row', 3))
    spoil(file, 'row2')
    const upto = statSync(file).size
    expect(readSegment(folder, 1, 0, upto)).toMatchObject({
      damaged: [expect.stringContaining('REQ_row2')],
      end: upto,
      torn: false,
    })
  })

  it('in the header costs the header alone', () => {
    const { file, folder } = over(ends('row', 2))
    writeFileSync(file, readFileSync(file, 'utf8').replace('"kind":"h"', '"kind":"x"'))
    expect(readSegment(folder, 1, 0)).toMatchObject({
      records: ends('row', 2),
      damaged: [expect.stringContaining('"kind":"x"')],
    })
  })
})

describe('Half a line', () => {
  it('of an earlier segment is damaged', () => {
    const { file, folder } = over(ends('row', 1))
    appendFileSync(file, 'half')
    writeFileSync(segmentFile(folder, 2), '')
    expect(readSegment(folder, 1, 0)).toMatchObject({ damaged: ['half'], end: statSync(file).size, torn: false })
  })
})

describe('A segment that grows', () => {
  it('is read in parts up to where its owner has written, and never behind', async () => {
    const { journal } = open()
    await journal.append(end('one'))
    const first = journal.written()
    await journal.append(end('two'))
    const second = journal.written()
    const part = readSegment(journal.folder, 1, 0, first.offset)
    expect([ids(part.records), part.end, part.torn]).toEqual([['one'], first.offset, false])
    // In the middle of a line nobody has torn anything.
    expect(readSegment(journal.folder, 1, part.end, second.offset - 1)).toEqual({
      records: [],
      damaged: [],
      end: part.end,
      torn: false,
    })
    const next = readSegment(journal.folder, 1, part.end, second.offset)
    expect([ids(next.records), next.end]).toEqual([['two'], second.offset])
    expect(readSegment(journal.folder, 1, next.end)).toEqual({
      records: [],
      damaged: [],
      end: second.offset,
      torn: false,
    })
  })
})

describe('The header', () => {
  it('says whose segment it is, and of which start of the machine', () => {
    const { folder } = over([])
    const boot = process.platform === 'linux' ? readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim() : ''
    const [header = ''] = linesOf(segmentFile(folder, 1)).map(String)
    expect(JSON.parse(header.slice(9))).toEqual({ kind: 'h', version: 1, run: folder.slice(-36), boot })
  })

  it('of a newer version stops who would read it', () => {
    const folder = temporaryFolder()
    const header: Header = { kind: 'h', version: 2, run: 'any', boot: '' }
    writeFileSync(segmentFile(folder, 1), headOf(header, ends('row', 1)))
    expect(() => readSegment(folder, 1, 0)).toThrow(/newer version of Headgate \(format 2, this version reads 1\)/)
  })
})

describe('Files of a journal', () => {
  it('are for their owner alone', () => {
    const { folder, dataDir } = over(ends('row', 1))
    const mode = (path: string) => (statSync(path).mode & 0o777).toString(8)
    expect([mode(journalFolder(dataDir)), mode(folder)]).toEqual(['700', '700'])
    expect(readdirSync(folder).map((name) => [name, mode(join(folder, name))])).toEqual([
      ['000001.log', '600'],
      ['owner.lock', '600'],
    ])
  })
})
