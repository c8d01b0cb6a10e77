import type { Format } from '../chat/format.ts'
import { now } from '../clock.ts'
import type { AnswerHeaders, Incoming, Sink } from '../edge/sink.ts'
import type { HeadgateError } from '../errors.ts'
import type { AttemptRow, Principal, UsageRow } from '../ledger.ts'

/** What runs for a visit and can be ended. */
export interface Stoppable {
  /** The caller has left, the deadline has passed, or the gateway shuts down. */
  stop(error: HeadgateError): void
}

/** One request of a caller on its way through the gateway. */
export interface Visit {
  readonly id: string
  readonly incoming: Incoming
  readonly sink: Sink
  readonly principal: Principal
  /** Unix time in milliseconds. */
  readonly startedAt: number
  /** The same moment by the clock of {@link now}, from which durations and deadlines count. */
  readonly begunAt: number
  /** Format of the caller: errors have its shape. */
  readonly format: Format
  /** When the first byte of the answer went out, by the clock of {@link now}. */
  firstByteAt: number | undefined
  /** The caller has left. */
  gone: boolean
  /** Why nothing more is begun: the caller has left, the deadline has passed, or the gateway shuts down. */
  stopped: HeadgateError | undefined
  /** What to do at that moment; what runs sets it. */
  running: Stoppable | undefined
  readonly attempts: AttemptRow[]
  /** The row of the request, once it is settled. */
  row: UsageRow | undefined
  /** Status of the answer, once it has a head. */
  status: number | undefined
}

/** A visit at its beginning. All fields are there from the start, so that all visits have one shape. */
export function createVisit(given: Pick<Visit, 'id' | 'incoming' | 'sink' | 'principal' | 'startedAt' | 'begunAt' | 'format'>): Visit {
  return {
    id: given.id,
    incoming: given.incoming,
    sink: given.sink,
    principal: given.principal,
    startedAt: given.startedAt,
    begunAt: given.begunAt,
    format: given.format,
    firstByteAt: undefined,
    gone: false,
    stopped: undefined,
    running: undefined,
    attempts: [],
    row: undefined,
    status: undefined,
  }
}

/** Ends what runs for a visit, and keeps anything more from being begun. */
export function stopVisit(visit: Visit, error: HeadgateError): void {
  visit.stopped ??= error
  visit.running?.stop(error)
}

/** Sends the head of an answer. */
export function answerHead(visit: Visit, status: number, headers: AnswerHeaders): void {
  headers['x-request-id'] = visit.id
  visit.sink.head(status, headers)
  visit.status = status
  visit.firstByteAt ??= now()
}
