import type { Format } from '@headgate/core/canonical'

/** Who says an error in the caller's own format. */
export type ErrorWriter = Pick<Format, 'writeError'>
