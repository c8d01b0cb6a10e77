import type { LedgerRow } from '../../src/usage/row.ts'
import { usageRow } from '../usage-row.ts'

/** A UUIDv7 for tests: of an instant and a number. */
export function testId(at: number, number: number): string {
  const time = Math.floor(at).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${number.toString(16).padStart(12, '0')}`
}

/** 2023-11-14, 22:13:20 UTC. */
export const START = 1_700_000_000_000

/** A row of a request that was served. `number` makes its id, and the millisecond that it began in. */
export function ledgerRow(number: number, change: Partial<LedgerRow> = {}): LedgerRow {
  const startedAt = change.startedAt ?? START + number
  const row = usageRow({ id: testId(startedAt, number), requestId: `req_${number}`, startedAt })
  return { ...row, attempts: row.attempts.map((attempt) => ({ ...attempt, startedAt })), ...change }
}
