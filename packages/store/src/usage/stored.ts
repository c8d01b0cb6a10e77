import { readerOf, type StoredOf } from './field.ts'
import { ATTEMPT_FIELDS, USAGE_FIELDS } from './fields.ts'

/** Row of `usage` as sent to clients: money is a decimal string of nano-dollars, null is unknown. */
export type StoredUsage = StoredOf<typeof USAGE_FIELDS>

export type StoredAttempt = StoredOf<typeof ATTEMPT_FIELDS>

export const storedUsage = readerOf(USAGE_FIELDS)
export const storedAttempt = readerOf(ATTEMPT_FIELDS)
