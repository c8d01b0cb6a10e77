import type { Format } from '@headgate/core/canonical'

/** Writer of errors in the caller's format. */
export type ErrorWriter = Pick<Format, 'writeError'>
