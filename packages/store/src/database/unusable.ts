import { HeadgateError } from '@headgate/gateway/ports'
import { isDamaged } from './failure.ts'
import type { Place } from './place.ts'

/** Why a store can not be had, and what to do: HeadgateError `invalid-request`. What is one already stays as it is. */
export function unusable(place: Place, error: unknown): HeadgateError {
  if (HeadgateError.is(error)) return error
  const [name, advice] =
    'url' in place
      ? [
          'The database of DATABASE_URL can not be used',
          'It has to be there when headgate starts: start it, or set DATABASE_URL right.',
        ]
      : [`The store ${place.file} can not be opened`, isDamaged(error) ? RESTORE : ELSEWHERE]
  return new HeadgateError('invalid-request', `${name}: ${reasonOf(error)}. ${advice}`, { cause: error })
}

const RESTORE = 'Move it away, with its -wal and -shm, and have `headgate restore` read the last backup.'
const ELSEWHERE = 'Choose another folder with --data-dir or HEADGATE_DATA_DIR.'

/** Of a name with several addresses each has a reason of its own. */
function reasonOf(error: unknown): string {
  const one: unknown = error instanceof AggregateError ? error.errors[0] : error
  return one instanceof Error ? one.message : String(one)
}
