import type { JournalRecord } from './record.ts'

/** Lost records, reported in bulk, since a full disk under load loses some in each turn of the event loop. */
export interface Losses {
  add(records: readonly JournalRecord[], reason: string): void
  /** Reports the losses since the last call. */
  tell(): void
  /** Number of lost usage rows since the start. */
  rows(): number
}

/** Maximum number of requests named per report. */
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
      if (rows > 0) onProblem(`${rows} usage rows are lost (${reason}); requests: ${named.join(', ')}${more}`)
      if (others > 0) onProblem(`${others} records of reservations are lost (${reason})`)
      rows = 0
      others = 0
      named = []
    },
    rows: () => total,
  }
}
