import type { BeginRecord, EndRecord } from '../../src/journal/record.ts'
import { usageRow } from '../usage-row.ts'

/** The end of a request that was served. */
export function end(id: string, change: Readonly<Record<string, unknown>> = {}): EndRecord {
  return {
    kind: 'e',
    row: { ...usageRow({ id, requestId: `req_${id}`, attempts: [] }), ...change } as EndRecord['row'],
  }
}

export function begin(id: string, change: Partial<BeginRecord> = {}): BeginRecord {
  return {
    kind: 'b',
    id,
    at: 1_700_000_000_000,
    principal: 'key_1',
    family: 'chat',
    format: 'messages',
    model: 'fast',
    provider: 'mine',
    providerModel: 'model-1',
    priceId: 'list@2026-01-01',
    bound: '90000',
    ...change,
  }
}

export function ends(prefix: string, count: number): EndRecord[] {
  return Array.from({ length: count }, (_, index) => end(`${prefix}${index}`))
}
