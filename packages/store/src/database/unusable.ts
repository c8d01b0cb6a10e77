import { HeadgateError } from '@headgate/gateway/ports'
import { isDamaged } from './failure.ts'
import type { StoreLocation } from './location.ts'

/**
 * Error for a store that cannot be opened, with the reason and what to do: HeadgateError `invalid-request`. A
 * HeadgateError is returned unchanged.
 */
export function unusable(place: StoreLocation, error: unknown): HeadgateError {
  if (HeadgateError.is(error)) return error
  const [name, advice] =
    'url' in place
      ? [
          'The database of DATABASE_URL cannot be used',
          'It must be running when headgate starts: start it, or correct DATABASE_URL.',
        ]
      : [`The store ${place.file} cannot be opened`, isDamaged(error) ? RESTORE : ELSEWHERE]
  return new HeadgateError('invalid-request', `${name}: ${reasonOf(error)}. ${advice}`, { cause: error })
}

const RESTORE = 'Move it away, with its -wal and -shm files, and restore the last backup with `headgate restore`.'
const ELSEWHERE = 'Choose another folder with --data-dir or HEADGATE_DATA_DIR.'

/** Reason of the first address, if a name has several. */
function reasonOf(error: unknown): string {
  const one: unknown = error instanceof AggregateError ? error.errors[0] : error
  return one instanceof Error ? one.message : String(one)
}
