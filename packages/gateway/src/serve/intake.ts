import type { HeadgateError } from '@headgate/core/errors'
import { now, since } from '../clock.ts'
import type { InFlightEntry } from '../edge/in-flight.ts'
import { requestId } from '../edge/request-id.ts'
import type { Incoming, Sink } from '../edge/sink.ts'
import type { MemoryLease } from '../http/memory.ts'
import type { AccessRecord, GatewayOverhead } from '../ports/gateway-options.ts'
import type { Principal, RequestTrace } from '../ports/ledger.ts'
import { spanIdOf, traceIdOf } from '../ports/span-ids.ts'
import type { Context } from './context.ts'

/** Principal of a caller with a signed URL. */
export const ANONYMOUS: Principal = { id: '' }

/** A request before its caller is known. */
export interface RequestIntake extends InFlightEntry {
  readonly id: string
  readonly incoming: Incoming
  readonly sink: Sink
  readonly startedAt: number
  readonly begunAt: number
  /** Path as the caller sent it. */
  readonly path: string
  /** Path that is served, in canonical spelling. */
  at: string
  readonly query: string
  /** Known caller; set once it is authenticated. */
  principal: Principal | undefined
  /** Family of the path; undefined if it is not known yet, or belongs to none. */
  family: string | undefined
  /** Trace of the request, and the id of its usage row; undefined unless traces are exported. */
  rowTrace: RequestTrace | undefined
  rowId: string | undefined
  context: Context | undefined
  /** Its part of the memory quota. */
  readonly memory: MemoryLease
}

export function createIntake(incoming: Incoming, sink: Sink, memory: MemoryLease): RequestIntake {
  const mark = incoming.url.indexOf('?')
  const path = mark < 0 ? incoming.url : incoming.url.slice(0, mark)
  const query = mark < 0 ? '' : incoming.url.slice(mark + 1)
  const startedAt = Date.now()
  return {
    id: requestId(startedAt),
    incoming,
    sink,
    startedAt,
    begunAt: now(),
    path,
    at: path,
    query,
    principal: undefined,
    family: undefined,
    rowTrace: undefined,
    rowId: undefined,
    context: undefined,
    memory,
    index: 0,
  }
}

/** Failure in the form of the access log. */
export function failureOf({ kind, upstreamStatus, code }: HeadgateError): NonNullable<AccessRecord['error']> {
  return { kind, ...(upstreamStatus !== undefined && { upstreamStatus }), ...(code !== undefined && { code }) }
}

function overheadOf({ begunAt, answeredAt, firstByteAt }: Context, calledAt: number): GatewayOverhead {
  const outMs = answeredAt === undefined || firstByteAt === undefined ? undefined : firstByteAt - answeredAt
  return { inMs: calledAt - begunAt, outMs: outMs !== undefined && outMs >= 0 ? outMs : undefined }
}

/** Access record of a request that has ended. */
export function accessOf(intake: RequestIntake, error?: HeadgateError): AccessRecord {
  const { id, incoming, path, begunAt, context } = intake
  return {
    requestId: id,
    method: incoming.method,
    path,
    status: error
      ? context?.gone
        ? 499
        : error.status
      : (context?.status ?? (context?.gone ? 499 : context ? 200 : 204)),
    durationMs: since(begunAt),
    ...(context && context.principal !== ANONYMOUS && { principal: context.principal.id }),
    ...(context?.row && { usage: context.row }),
    ...(context?.calledAt !== undefined && { overhead: overheadOf(context, context.calledAt) }),
    ...(context && context.chunks > 0 && { chunks: context.chunks }),
    ...(context?.principal.owners?.project !== undefined && { project: context.principal.owners.project }),
    ...(context?.overrun !== undefined && { overrun: context.overrun }),
    span: spanOf(intake),
    ...(error && context?.shed && { shed: context.shed }),
    ...(error && { error: failureOf(error) }),
    ...(context?.once?.isReplay && { replayed: true as const }),
  }
}

function spanOf({ rowTrace: trace, rowId, context }: RequestIntake): AccessRecord['span'] {
  const id = context?.rowId ?? rowId
  return id === undefined || trace === undefined ? undefined : { traceId: traceIdOf({ id, trace }), id: spanIdOf(id) }
}
