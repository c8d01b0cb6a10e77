import type { Format } from '../canonical/format.ts'

/** Who says an error in the caller's own format. */
export type ErrorWriter = Pick<Format, 'writeError'>
