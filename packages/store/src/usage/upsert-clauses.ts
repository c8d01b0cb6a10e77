import type { OnConflict } from '../database/bulk.ts'
import { FIRST_BYTE_CLASSES } from '../schema/first-bytes.ts'
import type { ROLL_UPS } from '../schema/tables.ts'
import { FAILED_ROLL_UPS, MEASURES, UPSTREAM_MEASURES } from '../schema/usage.ts'

const adding = (names: readonly string[]): OnConflict => ({
  set: Object.fromEntries(names.map((name) => [name, 'add' as const])),
})

/** Upsert clause that adds measures to stored sums. */
export const ADD_MEASURES = adding(MEASURES)
const ADD_MEASURES_AND_FAILED = adding([...MEASURES, 'failed'])

/** Upsert clause of a roll-up. */
export function addingTo(table: (typeof ROLL_UPS)[number]): OnConflict {
  return FAILED_ROLL_UPS.some((one) => one === table) ? ADD_MEASURES_AND_FAILED : ADD_MEASURES
}

/** Upsert clause of sums by upstream. */
export const ADD_UPSTREAM_MEASURES = adding(UPSTREAM_MEASURES)
/** Upsert clause of the first-byte histogram. */
export const ADD_FIRST_BYTES = adding(FIRST_BYTE_CLASSES)
