import { HeadgateError } from '@headgate/core/errors'
import type { RecordedAttempt } from '../cost/charge.ts'

/** Part of an attempt that competes with another attempt for the same response. */
export interface Rival {
  isOver(): boolean
  /** Ends it before it has sent anything to the caller. */
  stop(error: HeadgateError): void
}

/** Attempts of a request that may run at the same time. */
export interface Rivals {
  readonly all: Rival[]
  /** Their records in the order of their start, which is the order of their reservations. */
  readonly rows: RecordedAttempt[]
  /** True after one of them has begun to respond to the caller. */
  isCommitted: boolean
}

/** Ends all attempts of a request except the attempt that responds to the caller. */
export function commitAttempt(rivals: Rivals | undefined, winner: Rival): void {
  if (!rivals || rivals.isCommitted) return
  rivals.isCommitted = true
  const error = new HeadgateError('canceled', 'Another endpoint responded first.')
  for (const rival of rivals.all) if (rival !== winner && !rival.isOver()) rival.stop(error)
}
