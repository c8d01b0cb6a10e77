import { object, type UsageRow } from '@headgate/gateway/ports'
import type { Spend } from '../budgets/spend.ts'

/** Start of an upstream call, with its reservation. */
export interface BeginRecord {
  readonly kind: 'b'
  /** Id of the usage row that the request will have. */
  readonly id: string
  /** Unix milliseconds. */
  readonly at: number
  readonly principal: string
  readonly family: string
  readonly format: string
  readonly model: string
  readonly provider: string
  /** Absent if the provider has only one endpoint. */
  readonly endpoint?: string | undefined
  readonly providerModel: string
  readonly priceId: string | null
  /** Tags of the caller; absent if there are no tags. */
  readonly tags?: Readonly<Record<string, string>> | undefined
  /** Worst-case cost: nano-dollars, a decimal integer. */
  readonly bound: string
  /**
   * Position among the begin records of its request, counted from 1. Present if the record is repeated at the start of
   * a segment, since earlier segments may be deleted. Readers of those segments have it already.
   */
  readonly again?: number
  /** Windows in which the amount is reserved. */
  readonly holds?: readonly ReservedWindow[]
}

/** Window of a budget. */
export type ReservedWindow = Omit<Spend, 'amount' | 'isFree'>

/** End of a request. */
export interface EndRecord {
  readonly kind: 'e'
  readonly row: UsageRow & { readonly id: string; readonly held?: string }
  /** Budget amounts of the row. The rest of the reservation is released. */
  readonly spends?: readonly Spend[]
}

/** Release of a reservation without an end record: no call was sent, or another process has settled the request. */
export interface ReleaseRecord {
  readonly kind: 'r'
  /** Id of the begin record. */
  readonly id: string
  /** Start of the request, Unix milliseconds; absent if no call was sent. */
  readonly at?: number
  /** Id of the key; present with `spends`. */
  readonly principal?: string
  /** Amounts that the settling process has not counted. */
  readonly spends?: readonly Spend[]
}

/** Record of a journal. */
export type JournalRecord = BeginRecord | EndRecord | ReleaseRecord

/** First line of each segment. */
export interface Header {
  readonly kind: 'h'
  readonly version: number
  readonly run: string
  /** Boot id of the machine; empty if unknown. */
  readonly boot: string
  /** Set if every record is synced before it is acknowledged, so that a power loss cannot truncate it. */
  readonly isSynced?: true
  /** Bytes and usage rows written to the previous segment; absent in the first one. */
  readonly before?: { readonly segment: number; readonly size: number; readonly rows: number }
}

/** Format version of written records. */
export const VERSION = 1

/**
 * Record as JSON. Numbers without a JSON form become null, and bigints strings of digits.
 * @throws if JSON cannot represent it
 */
export function recordText(record: JournalRecord | Header): string {
  try {
    return JSON.stringify(record)
  } catch {
    return JSON.stringify(record, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
  }
}

/** Record of a line; undefined if it is not a valid record. */
export function readRecord(text: string): JournalRecord | Header | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Kinds of records that this version reads. */
const KINDS: ReadonlySet<string> = new Set<(JournalRecord | Header)['kind']>(['b', 'e', 'r', 'h'])

/** True if a line has a record of a kind that only a newer version reads. */
export function isNewerKind(text: string): boolean {
  try {
    const kind = object(JSON.parse(text))?.['kind']
    return typeof kind === 'string' && !KINDS.has(kind)
  } catch {
    return false
  }
}

/** Minimal validation: the checksum covers the rest of the line. */
function isRecord(value: unknown): value is JournalRecord | Header {
  const json = object(value)
  if (json?.['kind'] === 'e') return typeof object(json['row'])?.['id'] === 'string'
  if (json?.['kind'] === 'b' || json?.['kind'] === 'r') return typeof json['id'] === 'string'
  return json?.['kind'] === 'h' && typeof json['version'] === 'number'
}
