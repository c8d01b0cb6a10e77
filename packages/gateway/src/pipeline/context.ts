import type { Loss } from '@headgate/core/canonical'
import type { HeadgateError } from '@headgate/core/errors'
import { now } from '../clock.ts'
import { lostHeader } from '../edge/lost.ts'
import type { AnswerHeaders, Incoming, Sink } from '../edge/sink.ts'
import type { Tags } from '../edge/tags.ts'
import type { MemoryLease } from '../http/memory.ts'
import type { Principal, UsageRow } from '../ports/ledger.ts'
import type { RatePlace } from '../ports/rates.ts'
import type { NotedAttempt } from './charge.ts'
import { inDollars } from './dollars.ts'
import type { Tracing } from './trace.ts'

/**
 * Called when a request must end: its caller has left, its deadline has passed, or the gateway shuts down. Called again
 * if another of these follows.
 */
export type StopListener = (error: HeadgateError) => void

/** The part of a request that ends what runs for it. */
export type Stoppable = Pick<Context, 'stopped' | 'stopListeners' | 'abort'>

/** Adds a listener, which is not called for a request that has been stopped before. */
export function onStop({ stopListeners }: Pick<Stoppable, 'stopListeners'>, listener: StopListener): void {
  stopListeners.push(listener)
}

export function offStop({ stopListeners }: Pick<Stoppable, 'stopListeners'>, listener: StopListener): void {
  const at = stopListeners.lastIndexOf(listener)
  if (at >= 0) stopListeners.splice(at, 1)
}

/** The abort signal of a request, made when it is first used: streams and unary answers have listeners instead. */
export function signalOf(context: Stoppable): AbortSignal {
  if (!context.abort) {
    context.abort = new AbortController()
    if (context.stopped) context.abort.abort(context.stopped)
  }
  return context.abort.signal
}

/** What is reserved for a request, and must be accounted for or given back. */
export interface Holding {
  /** The request is over: nothing more is sent for it. Never throws. */
  end(): void
}

/** One request of a caller on its way through the gateway. */
export interface Context {
  readonly id: string
  readonly incoming: Incoming
  /** Nowhere, once the caller of an answer that is made in the background has been told so. */
  sink: Sink
  readonly principal: Principal
  /** Unix time in milliseconds. */
  readonly startedAt: number
  /** The same moment by the clock of {@link now}, from which durations and deadlines count. */
  readonly begunAt: number
  /** Without its query. */
  readonly path: string
  /** Its part of the memory quota. */
  readonly memory: MemoryLease
  /** The caller only wants to know what would become of its request. */
  readonly isDryRun: boolean
  /** What the caller says of it. */
  readonly tags: Tags | undefined
  /** Where it is noted what goes over the wire; mostly it is not. */
  readonly trace: Tracing | undefined
  /** When the first byte of the answer went out, by the clock of {@link now}. */
  firstByteAt: number | undefined
  /** The caller has left. */
  gone: boolean
  /** Why nothing more is begun: the caller has left, the deadline has passed, or the gateway shuts down. */
  stopped: HeadgateError | undefined
  /** Called then; see {@link onStop}. */
  readonly stopListeners: StopListener[]
  /** Aborts then; see {@link signalOf}. */
  abort: AbortController | undefined
  readonly attempts: NotedAttempt[]
  /** The id that its row will have, where something has asked for it already. */
  rowId: string | undefined
  /** The row of the request, once it is settled. */
  row: UsageRow | undefined
  /** Tokens by which the output exceeded the limit that the upstream was given. */
  overrun: number | undefined
  /** Set where budgets bound what it may cost. */
  holding: Holding | undefined
  /** Status of the answer, once it has a head. */
  status: number | undefined
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

/** Ends everything that runs for a request, and prevents that anything more begins. */
export function stopContext(context: Context, error: HeadgateError): void {
  context.stopped ??= error
  context.abort?.abort(context.stopped)
  for (const listener of [...context.stopListeners]) listener(error)
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
