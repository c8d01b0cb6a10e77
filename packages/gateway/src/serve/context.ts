import type { Loss } from '@headgate/core/canonical'
import { now } from '../clock.ts'
import { inDollars } from '../cost/dollars.ts'
import type { Spender } from '../cost/spending/spending.ts'
import { lostHeader } from '../edge/lost.ts'
import type { AnswerHeaders, Incoming, Sink } from '../edge/sink.ts'
import type { Stoppable } from '../edge/stop.ts'
import type { MemoryLease } from '../http/memory.ts'
import type { RatePlace } from '../ports/rates.ts'
import type { Tracing } from './trace.ts'

/** One request of a caller on its way through the gateway. */
export interface Context extends Stoppable, Spender {
  readonly incoming: Incoming
  /** Nowhere, once the caller of an answer that is made in the background has been told so. */
  sink: Sink
  /** Without its query. */
  readonly path: string
  /** Its part of the memory quota. */
  readonly memory: MemoryLease
  /** The caller only wants to know what would become of its request. */
  readonly isDryRun: boolean
  /** Where it is noted what goes over the wire; mostly it is not. */
  readonly trace: Tracing | undefined
  /** Tokens by which the output exceeded the limit that the upstream was given. */
  overrun: number | undefined
  /** Its place within the rate limits, where there are any. */
  place: RatePlace | undefined
  /** What the answer says of the rate limits. */
  rateHeaders: AnswerHeaders | undefined
}

/** A context at its beginning. All fields are there from the start, so that all contexts have one shape. */
export function createContext(
  given: Pick<
    Context,
    | 'id'
    | 'incoming'
    | 'sink'
    | 'principal'
    | 'startedAt'
    | 'begunAt'
    | 'path'
    | 'memory'
    | 'isDryRun'
    | 'tags'
    | 'trace'
  >,
): Context {
  return {
    id: given.id,
    incoming: given.incoming,
    sink: given.sink,
    principal: given.principal,
    startedAt: given.startedAt,
    begunAt: given.begunAt,
    path: given.path,
    memory: given.memory,
    isDryRun: given.isDryRun,
    tags: given.tags,
    trace: given.trace,
    firstByteAt: undefined,
    gone: false,
    stopped: undefined,
    stopListeners: [],
    abort: undefined,
    attempts: [],
    rowId: undefined,
    row: undefined,
    overrun: undefined,
    holding: undefined,
    status: undefined,
    place: undefined,
    rateHeaders: undefined,
  }
}

/**
 * Sends a response that the gateway has whole, in memory that its caller may be slow to receive.
 * @throws HeadgateError `over-limit` before anything is sent.
 */
export function answerWhole(context: Context, status: number, headers: AnswerHeaders, body: Uint8Array): void {
  if (context.gone) return
  context.memory.take(body.length)
  headers['content-length'] = String(body.length)
  answerHead(context, status, headers)
  context.sink.end(body)
}

/** Sends a whole answer that a candidate made, unless the caller has left. */
export function answerServed(
  context: Context,
  { name, losses = [] }: { readonly name: string; readonly losses?: readonly Loss[] | undefined },
  body: Uint8Array,
  more: AnswerHeaders = {},
): void {
  if (context.gone) return
  const headers: AnswerHeaders = {
    'content-type': 'application/json',
    'content-length': String(body.length),
    'headgate-vendor': name,
    ...more,
  }
  const lost = lostHeader(losses)
  if (lost !== undefined) headers['headgate-lost'] = lost
  answerHead(context, 200, headers)
  context.sink.end(body)
}

/**
 * Sends the head of an answer. One whose row is settled by then, as it is read whole, says what it cost, where that is
 * known.
 */
export function answerHead(context: Context, status: number, headers: AnswerHeaders): void {
  headers['x-request-id'] = context.id
  const charged = context.row?.charged ?? null
  if (charged !== null) headers['headgate-cost'] = inDollars(charged)
  if (context.rateHeaders) Object.assign(headers, context.rateHeaders)
  context.sink.head(status, headers)
  context.status = status
  context.firstByteAt ??= now()
}
