import type { HeadgateError } from '@headgate/core/errors'
import { now, since } from '../clock.ts'
import type { InFlightEntry } from '../edge/in-flight.ts'
import { requestId } from '../edge/request-id.ts'
import type { Incoming, Sink } from '../edge/sink.ts'
import type { MemoryLease } from '../http/memory.ts'
import type { AccessRecord } from '../ports/gateway-options.ts'
import type { Principal } from '../ports/ledger.ts'
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
    context: undefined,
    memory,
    index: 0,
  }
}

/** Failure in the form of the access log. */
export function failureOf({ kind, upstreamStatus, code }: HeadgateError): NonNullable<AccessRecord['error']> {
  return { kind, ...(upstreamStatus !== undefined && { upstreamStatus }), ...(code !== undefined && { code }) }
}

/** Access record of a request that has ended. */
export function accessOf({ id, incoming, path, begunAt, context }: RequestIntake, error?: HeadgateError): AccessRecord {
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
    ...(context?.overrun !== undefined && { overrun: context.overrun }),
    ...(error && context?.shed && { shed: context.shed }),
    ...(error && { error: failureOf(error) }),
    ...(context?.once?.isReplay && { replayed: true as const }),
  }
}
