import { mkdtempSync, realpathSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type JournalOptions, openJournal } from '../../src/journal/journal.ts'
import { journalFolder, runsIn } from '../../src/journal/process-run.ts'
import type { JournalRecord } from '../../src/journal/record.ts'
import { readSegment, type SegmentPart, segmentsOf } from '../../src/journal/segment.ts'
import type { Write } from '../../src/journal/tail.ts'

/** A folder for the length of one test. */
export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'headgate-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
  return folder
}

/** A journal for the length of one test, and what it said. */
export function open(options: Partial<JournalOptions> = {}) {
  const dataDir = options.dataDir ?? temporaryFolder()
  const problems: string[] = []
  const journal = openJournal({ onProblem: (message) => problems.push(message), ...options, dataDir })
  onTestFinished(() => journal.close())
  return { dataDir, journal, problems }
}

/** All that the segments of a life hold. */
export function read(folder: string): SegmentPart[] {
  return segmentsOf(folder).map((segment) => readSegment(folder, segment, 0))
}

export function recordsOf(folder: string): JournalRecord[] {
  return read(folder).flatMap(({ records }) => records)
}

/** All that the lives of a data directory hold. */
export function recordsIn(dataDir: string): JournalRecord[] {
  const journals = journalFolder(dataDir)
  return runsIn(journals).flatMap((run) => recordsOf(join(journals, run)))
}

/** Ids of the requests, in the order of their records. */
export function ids(records: readonly JournalRecord[]): string[] {
  return records.map((record) => (record.kind === 'e' ? record.row.id : record.id))
}

/** A disk that has room for so many bytes: the write that reaches its end is short, the next one fails. */
export function diskWith(room: number) {
  let left = room
  const write: Write = (file, buffer, offset, length) => {
    if (left === 0) throw new Error('no space left on device')
    const written = writeSync(file, buffer, offset, Math.min(left, length))
    left -= written
    return written
  }
  return {
    write,
    room: (bytes: number) => {
      left = bytes
    },
  }
}
