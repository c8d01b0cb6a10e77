import type { JournalRecord } from './record.ts'

/**
 * Records that are given up. They are told of in bulk, since a disk that is full under load loses some in each turn of
 * the event loop.
 */
export interface Losses {
  add(records: readonly JournalRecord[], reason: string): void
  /** Tells of those since the last time. */
  tell(): void
  /** Usage rows, since the start. */
  rows(): number
}

/** Most requests that are named at a time. */
const NAMED = 100

export function createLosses(onProblem: (message: string) => void): Losses {
  let total = 0
  let rows = 0
  let others = 0
  let reason = ''
  let named: string[] = []
  return {
    add: (records, why) => {
      reason = why
      for (const record of records) {
        if (record.kind !== 'e') {
          others += 1
          continue
        }
        rows += 1
        total += 1
        if (named.length < NAMED) named.push(record.row.requestId)
      }
    },
    tell: () => {
      const more = rows > named.length ? ` and ${rows - named.length} more` : ''
      if (rows > 0)
        onProblem(`${rows} usage rows are lost (${reason}), those of the requests ${named.join(', ')}${more}`)
      if (others > 0) onProblem(`${others} records of what requests reserve are lost (${reason})`)
      rows = 0
      others = 0
      named = []
    },
    rows: () => total,
  }
}
