import { closeSync, fstatSync, openSync, readdirSync, readSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { HeadgateError } from '@headgate/gateway/ports'
import { LINE_FEED, lineText } from './line.ts'
import { type Header, isNewerKind, type JournalRecord, readRecord, VERSION } from './record.ts'

/** Result of reading a segment. */
export interface SegmentPart {
  readonly records: JournalRecord[]
  /** Lines without a valid record, unchanged. */
  readonly damaged: string[]
  /** Offset after the last complete line. */
  readonly end: number
  /** Set if an incomplete write follows `end`, which was never acknowledged. */
  readonly torn: boolean
}

/** Maximum length of a header, in bytes. */
const HEADER = 1_000
const NAME = /^(\d{6,})\.log$/

export function segmentFile(folder: string, segment: number): string {
  return join(folder, `${String(segment).padStart(6, '0')}.log`)
}

/** Segment numbers of a process run, ascending; empty if its folder is gone. */
export function segmentsOf(folder: string): number[] {
  return namesIn(folder)
    .map((name) => Number(NAME.exec(name)?.[1]))
    .filter((segment) => segment > 0)
    .sort((one, other) => one - other)
}

/**
 * Reads all lines from `from` (0 or the `end` of an earlier call) that end at or before `upto`. With `upto`, the end of
 * the owner's complete writes, the segment can be read while it grows. Without it, an incomplete or invalid last line
 * of the newest segment is torn; in other places such lines are damaged. Reads the whole segment of about 8 MB into
 * memory.
 * @throws HeadgateError if only a newer version can read it; the error of the file system
 */
export function readSegment(folder: string, segment: number, from: number, upto?: number): SegmentPart {
  const bytes = bytesOf(segmentFile(folder, segment), from, upto)
  const records: JournalRecord[] = []
  const damaged: string[] = []
  const mayBeTorn = upto === undefined && segmentsOf(folder).at(-1) === segment
  let start = 0
  for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, start)) {
    const text = lineText(bytes, start, end)
    const record = text === undefined ? undefined : readRecord(text)
    if (record?.kind === 'h') readable(record, folder)
    else if (record) records.push(record)
    else if (text !== undefined && isNewerKind(text)) throw newerRecord(folder)
    else if (text === undefined && mayBeTorn && end === bytes.length - 1)
      return { records, damaged, end: from + start, torn: true }
    else damaged.push(bytes.toString('utf8', start, end))
    start = end + 1
  }
  const isCut = start < bytes.length
  if (!isCut || mayBeTorn || upto !== undefined)
    return { records, damaged, end: from + start, torn: isCut && mayBeTorn }
  damaged.push(bytes.toString('utf8', start))
  return { records, damaged, end: from + bytes.length, torn: false }
}

/** First line of a segment; undefined if it cannot be read. */
export function readHeader(folder: string, segment: number): Header | undefined {
  const bytes = bytesOf(segmentFile(folder, segment), 0, HEADER)
  const text = lineText(bytes, 0, Math.max(0, bytes.indexOf(LINE_FEED)))
  const record = text === undefined ? undefined : readRecord(text)
  return record?.kind === 'h' ? record : undefined
}

export function removeSegment(folder: string, segment: number): void {
  rmSync(segmentFile(folder, segment), { force: true })
}

/** Sorted names in a folder; empty if it does not exist. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}

function bytesOf(file: string, from: number, upto = Number.POSITIVE_INFINITY): Buffer {
  const descriptor = openSync(file, 'r')
  try {
    const size = Math.max(0, Math.min(fstatSync(descriptor).size, upto) - from)
    const bytes = Buffer.allocUnsafeSlow(size)
    let done = 0
    for (let read = -1; read !== 0 && done < size; done += read)
      read = readSync(descriptor, bytes, done, size - done, from + done)
    return bytes.subarray(0, done)
  } finally {
    closeSync(descriptor)
  }
}

function readable({ version }: Header, folder: string): void {
  if (version <= VERSION) return
  throw new HeadgateError(
    'invalid-request',
    `The journal ${folder} was written by a newer version of Headgate (format ${version}, this version reads ${VERSION}). Start that version.`,
  )
}

/** Records of unknown kinds may change what the known ones mean, so the whole journal stays for a newer version. */
function newerRecord(folder: string): HeadgateError {
  return new HeadgateError(
    'invalid-request',
    `The journal ${folder} was written by a newer version of Headgate, with records that this version cannot read. Start that version.`,
  )
}
