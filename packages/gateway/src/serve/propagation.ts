import type { RecordedAttempt } from '../cost/charge.ts'
import type { CallTraceHeaders } from '../http/send.ts'
import { spanIdOf, traceIdOf } from '../ports/span-ids.ts'
import { isInPart } from '../ports/tracing.ts'
import { uuidv7 } from '../uuid.ts'
import type { Context } from './context.ts'
import type { Core } from './core.ts'

/**
 * Trace context of a call to an upstream, with the span id of the call, which the row of the attempt keeps. Undefined if
 * the upstream gets none.
 * @param tracing setting of the provider; undefined = the gateway's
 */
export function callTrace(
  { propagation }: Pick<Core, 'propagation'>,
  { rowTrace, rowId }: Pick<Context, 'rowTrace' | 'rowId'>,
  row: RecordedAttempt,
  tracing: boolean | undefined,
): CallTraceHeaders | undefined {
  if (!(tracing ?? propagation?.isDefault) || rowTrace === undefined || rowId === undefined) return undefined
  const traceId = traceIdOf({ id: rowId, trace: rowTrace })
  const decided = propagation?.followsParent && !rowTrace.isLinked ? rowTrace.isSampled : undefined
  const isSampled = decided ?? isInPart(traceId, propagation?.ratio ?? 1)
  row.spanId = spanIdOf(uuidv7())
  const traceparent = `00-${traceId}-${row.spanId}-${isSampled ? '01' : '00'}`
  const { state, isLinked } = rowTrace
  return state === undefined || isLinked ? { traceparent } : { traceparent, tracestate: state }
}
