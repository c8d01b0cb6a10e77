import type { Loss } from '@headgate/core/canonical'
import type { Content } from '@headgate/core/contract'
import { now } from '../clock.ts'
import type { RecordedAttempt } from '../cost/charge.ts'
import { inDollars } from '../cost/dollars.ts'
import type { Spender } from '../cost/spending/spending.ts'
import { attemptsHeader } from '../edge/attempts-header.ts'
import { lostHeader } from '../edge/lost.ts'
import type { Incoming, ResponseHeaders, Sink } from '../edge/sink.ts'
import { offStop, onStop, type Stoppable } from '../edge/stop.ts'
import type { MemoryLease } from '../http/memory.ts'
import type { ShedRequest } from '../ports/gateway-options.ts'
import type { RequestTrace } from '../ports/ledger.ts'
import type { RateSlot } from '../ports/rates.ts'
import type { ServiceClass } from '../ports/service-class.ts'
import type { SpanPlace } from '../routing/call-queue.ts'
import type { ExcludedCandidate } from '../routing/candidates.ts'
import type { IdempotentRun } from './idempotency/run.ts'
import type { Rivals } from './rivals.ts'
import type { NarrowedRouting } from './routing-request.ts'
import type { Tracing } from './trace.ts'

const NONE: readonly ExcludedCandidate[] = []

/** Message of a failed call. */
export interface AttemptWords {
  readonly row: RecordedAttempt
  readonly text: string
}

/** State of one request. */
export interface Context extends Stoppable, Spender {
  readonly incoming: Incoming
  /** Sink of the response. For a background response, it is replaced after the caller got its id. */
  sink: Sink
  /** Path without the query. */
  readonly path: string
  /** Its part of the memory quota. */
  readonly memory: MemoryLease
  /** Set for a dry run. */
  readonly isDryRun: boolean
  /** Trace of the request, for its usage row; undefined unless traces are exported. */
  readonly rowTrace: RequestTrace | undefined
  /** Recorder of the request's HTTP traffic; usually undefined. */
  readonly trace: Tracing | undefined
  /** Family, format and model of the request, once they are known. */
  asked: { readonly family: string; readonly format: string; readonly model: string } | undefined
  /** True if messages of failed calls are recorded. */
  readonly recordsWords: boolean
  /** Messages of failed calls; undefined = no call has failed. */
  words: AttemptWords[] | undefined
  /** Number of output tokens beyond the limit that the upstream got. */
  overrun: number | undefined
  /** Policy and conditions of the request; undefined = the gateway's policy without conditions. */
  routing: NarrowedRouting | undefined
  /** Endpoints that conditions of the request exclude. */
  excluded: readonly ExcludedCandidate[]
  /** Time until the upstream's response begins, in milliseconds; undefined = the gateway's. */
  firstByteMs: number | undefined
  /** Time at which the request began to wait for an endpoint with space, by the clock of {@link now}. */
  waitingSince: number | undefined
  /** Place at an endpoint that the request waited for, until its call begins. */
  callPlace: SpanPlace | undefined
  /** Leaves the gateway's capacity; undefined unless `limits.concurrent` is set. */
  leaveCapacity: (() => void) | undefined
  /** Class of the request: the class of its key, or a lower one. */
  readonly serviceClass: ServiceClass
  /** Reason for which the request was refused without a call, for the access record. */
  shed: ShedRequest | undefined
  /** True if slow calls may be sent to a second endpoint; undefined = the gateway's option. */
  hedge: boolean | undefined
  /** Attempts that may run at the same time; undefined unless the request is hedged. */
  rivals: Rivals | undefined
  /** True if the caller gets a stream. Known after the candidates are ordered. */
  isStream: boolean
  /** Start of the first call of a provider, by the clock of {@link now}; undefined = none was called. */
  calledAt: number | undefined
  /** Arrival of the upstream's bytes that began or completed the response, by the clock of {@link now}. */
  answeredAt: number | undefined
  /** Pieces in which the upstream's stream arrived. */
  chunks: number
  /** Attempt in progress: its endpoint, and its start by the clock of {@link now}. */
  running: { readonly place: string; readonly begunAt: number } | undefined
  /** Slot within the rate limits, if any apply. */
  slot: RateSlot | undefined
  /** Response headers about rate limits. */
  rateHeaders: ResponseHeaders | undefined
  /** Set for a request with an idempotency key, once it is executed or its response is repeated. */
  once: IdempotentRun | undefined
}

/** Creates a context. All fields are set from the start, so that all contexts have the same hidden class. */
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
    | 'serviceClass'
    | 'endUser'
    | 'session'
    | 'recordsWords'
    | 'rowTrace'
    | 'rowId'
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
    endUser: given.endUser,
    session: given.session,
    recordsWords: given.recordsWords,
    rowTrace: given.rowTrace,
    asked: undefined,
    words: undefined,
    refusedBy: undefined,
    firstByteAt: undefined,
    gone: false,
    stopped: undefined,
    stopListeners: [],
    abort: undefined,
    attempts: [],
    rowId: given.rowId,
    row: undefined,
    overrun: undefined,
    routing: undefined,
    excluded: NONE,
    firstByteMs: undefined,
    waitingSince: undefined,
    callPlace: undefined,
    leaveCapacity: undefined,
    serviceClass: given.serviceClass,
    shed: undefined,
    hedge: undefined,
    rivals: undefined,
    isStream: false,
    calledAt: undefined,
    answeredAt: undefined,
    chunks: 0,
    running: undefined,
    decision: undefined,
    holding: undefined,
    status: undefined,
    slot: undefined,
    rateHeaders: undefined,
    once: undefined,
  }
}

/**
 * Sends a complete response and counts its memory until the caller has received it.
 * @throws HeadgateError `over-limit` before anything is sent
 */
export function sendWholeBody(context: Context, status: number, headers: ResponseHeaders, body: Uint8Array): void {
  if (context.gone) return
  context.memory.take(body.length)
  headers['content-length'] = String(body.length)
  sendHead(context, status, headers)
  context.sink.end(body)
}

/** Sends a complete response of a candidate, unless the caller has left. */
export function sendServed(
  context: Context,
  { name, losses = [] }: { readonly name: string; readonly losses?: readonly Loss[] | undefined },
  body: Uint8Array,
  more: ResponseHeaders = {},
): void {
  if (context.gone) return
  sendHead(context, 200, servedHeaders({ name, losses }, body.length, more))
  context.sink.end(body)
}

function servedHeaders(
  { name, losses }: { readonly name: string; readonly losses: readonly Loss[] },
  size: number,
  more: ResponseHeaders,
): ResponseHeaders {
  const headers: ResponseHeaders = {
    'content-type': 'application/json',
    'content-length': String(size),
    'headgate-vendor': name,
    ...more,
  }
  const lost = lostHeader(losses)
  if (lost !== undefined) headers['headgate-lost'] = lost
  return headers
}

/** Sends a complete response of a candidate as {@link sendServed} does, as fast as the caller reads. */
export async function sendServedContent(
  context: Context,
  { name, losses = [] }: { readonly name: string; readonly losses?: readonly Loss[] | undefined },
  content: Content,
  more: ResponseHeaders = {},
): Promise<void> {
  if (context.gone) return
  await sendContent(context, 200, servedHeaders({ name, losses }, content.size, more), content)
}

/** Sends a complete response as fast as the caller reads. */
export async function sendContent(
  context: Context,
  status: number,
  headers: ResponseHeaders,
  content: Content,
): Promise<void> {
  sendHead(context, status, headers)
  try {
    for await (const chunk of content.read()) {
      if (context.gone) return
      if (!context.sink.write(chunk)) await drained(context)
    }
    if (!context.gone) context.sink.end()
  } catch {
    // The head was sent, so that only a broken connection can tell the caller.
    context.sink.destroy()
  }
}

/** Resolves when more can be written, or the caller has left. */
function drained(context: Context): Promise<void> {
  return new Promise((resolve) => {
    const over = (): void => {
      offStop(context, over)
      resolve()
    }
    onStop(context, over)
    context.sink.onDrain(over)
    if (context.stopped) over()
  })
}

/**
 * Sends the head of a response. If the row is settled already, as for responses that are read whole, the head includes
 * the known cost.
 */
export function sendHead(context: Context, status: number, headers: ResponseHeaders): void {
  headers['x-request-id'] = context.id
  const charged = context.row?.charged ?? null
  if (charged !== null) headers['headgate-cost'] = inDollars(charged)
  if (context.rateHeaders) Object.assign(headers, context.rateHeaders)
  const attempts = attemptsHeader(context)
  if (attempts !== undefined) headers['headgate-attempts'] = attempts
  context.sink.head(status, headers)
  context.status = status
  context.firstByteAt ??= now()
}
