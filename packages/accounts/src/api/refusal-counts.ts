import type { UsageScope } from '../roles/access.ts'
import type { ManagementParts } from './parts.ts'

/** Requests that the gateway refused in a range of time. */
export interface RefusalCounts {
  readonly total: number
  readonly byKind: Readonly<Record<string, number>>
}

export interface RefusalRange {
  /** Unix milliseconds. */
  readonly from: number
  readonly to: number
  readonly scope: UsageScope
}

/** Counts of refused requests that a caller can see. */
export async function refusalCounts(_parts: ManagementParts, _range: RefusalRange): Promise<RefusalCounts> {
  return { total: 0, byKind: {} }
}
