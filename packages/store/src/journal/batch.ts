import { roomFor, writeLine } from './line.ts'
import { type Header, type JournalRecord, recordText } from './record.ts'

/** Records that are written together, and their bytes. */
export interface RecordBatch {
  /** Records whose lines `bytes` contains, in order. */
  readonly records: readonly JournalRecord[]
  readonly bytes: Buffer
  /** Number of used bytes in `bytes`. */
  readonly length: number
}

export interface BatchBuilder {
  /** Adds a record. @throws if JSON cannot represent it; the batch is unchanged then */
  add(record: JournalRecord): void
  readonly isEmpty: boolean
  /** Returns the records added since the last call. The next `add` overwrites the bytes. */
  take(): RecordBatch
}

/** Initial buffer size in bytes: enough for one hundred rows, as in a busy turn of the event loop. */
const SIZE = 65_536

export function createBatchBuilder(): BatchBuilder {
  let bytes: Buffer = Buffer.allocUnsafeSlow(SIZE)
  let records: JournalRecord[] = []
  let length = 0
  return {
    add: (record) => {
      const text = recordText(record)
      const needed = length + roomFor(text)
      if (needed > bytes.length) bytes = grown(bytes, length, needed)
      length = writeLine(bytes, length, text)
      records.push(record)
    },
    get isEmpty() {
      return length === 0
    },
    take: () => {
      const batch = { records, bytes, length }
      if (bytes.length > SIZE) bytes = Buffer.allocUnsafeSlow(SIZE)
      records = []
      length = 0
      return batch
    },
  }
}

/** First lines of a segment. */
export function headOf(header: Header, begins: readonly JournalRecord[]): Buffer {
  const texts = [header, ...begins].map(recordText)
  const bytes = Buffer.allocUnsafeSlow(texts.reduce((sum, text) => sum + roomFor(text), 0))
  return bytes.subarray(
    0,
    texts.reduce((at, text) => writeLine(bytes, at, text), 0),
  )
}

function grown(bytes: Buffer, length: number, needed: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(2 ** Math.ceil(Math.log2(needed)))
  bytes.copy(larger, 0, 0, length)
  return larger
}
