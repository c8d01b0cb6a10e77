import { object, type UsageRow } from '@headgate/gateway/ports'
import type { Spend } from '../budgets/spend.ts'

/** A call of an upstream is about to be made, and what it may cost is reserved. */
export interface BeginRecord {
  readonly kind: 'b'
  /** Id of the usage row that the request will have. */
  readonly id: string
  /** Unix time in milliseconds. */
  readonly at: number
  readonly principal: string
  readonly family: string
  readonly format: string
  readonly model: string
  readonly provider: string
  readonly providerModel: string
  readonly priceId: string | null
  /** What the caller said of it; absent = nothing. */
  readonly tags?: Readonly<Record<string, string>> | undefined
  /** Most that it can cost: nano-dollars, a decimal integer. */
  readonly bound: string
  /**
   * Which of the begins of its request this is, from 1, where it is written again at the head of a segment: earlier
   * segments may be gone. Whoever has read those knows it already.
   */
  readonly again?: number
  /** Where it is reserved. */
  readonly holds?: readonly Hold[]
}

/** A window of a budget. */
export type Hold = Omit<Spend, 'amount' | 'isFree'>

/** A request has ended. */
export interface EndRecord {
  readonly kind: 'e'
  readonly row: UsageRow & { readonly id: string; readonly held?: string }
  /** What it counts for in budgets: what was reserved for it is free again, but for that. */
  readonly spends?: readonly Spend[]
}

/** Of a request that had begun nothing will come here: no call was made, or another process has settled it. */
export interface ReleaseRecord {
  readonly kind: 'r'
  /** As that of its begin. */
  readonly id: string
  /** When it began, Unix time in milliseconds; absent where no call was made. */
  readonly at?: number
  /** Id of the key; present with `spends`. */
  readonly principal?: string
  /** What it counts for that is not counted by whoever has settled it. */
  readonly spends?: readonly Spend[]
}

/** What a journal holds. */
export type JournalRecord = BeginRecord | EndRecord | ReleaseRecord

/** The first line of each segment. */
export interface Header {
  readonly kind: 'h'
  readonly version: number
  readonly life: string
  /** Of the machine, since it was last started; empty where it does not say. */
  readonly boot: string
  /** Whether each record was synced before anybody was told: a loss of power has cut nothing. */
  readonly isSynced?: true
  /** What its life had written into the segment before: bytes, and usage rows. Absent in the first one. */
  readonly before?: { readonly segment: number; readonly size: number; readonly rows: number }
}

/** The format that is written. */
export const VERSION = 1

/**
 * The record as JSON. A number that JSON has no word for becomes null, a bigint its digits. @throws what no JSON can
 * hold.
 */
export function recordText(record: JournalRecord | Header): string {
  try {
    return JSON.stringify(record)
  } catch {
    return JSON.stringify(record, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
  }
}

/** What the text of a line says; undefined when it is none of ours. */
export function readRecord(text: string): JournalRecord | Header | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The checksum answers for all else that is in a line. */
function isRecord(value: unknown): value is JournalRecord | Header {
  const json = object(value)
  if (json?.['kind'] === 'e') return typeof object(json['row'])?.['id'] === 'string'
  if (json?.['kind'] === 'b' || json?.['kind'] === 'r') return typeof json['id'] === 'string'
  return json?.['kind'] === 'h' && typeof json['version'] === 'number'
}
