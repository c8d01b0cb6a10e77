import type { OnConflict } from '../database/bulk.ts'
import { FIRST_BYTE_CLASSES } from '../schema/first-bytes.ts'
import { MEASURES, UPSTREAM_MEASURES } from '../schema/usage.ts'

const adding = (names: readonly string[]): OnConflict => ({
  set: Object.fromEntries(names.map((name) => [name, 'add' as const])),
})

/** How sums are added to those that are there. */
export const ADDED = adding(MEASURES)
/** The same of sums by upstreams. */
export const UPSTREAM_ADDED = adding(UPSTREAM_MEASURES)
/** The same of how many first bytes took how long. */
export const FIRST_BYTES_ADDED = adding(FIRST_BYTE_CLASSES)
