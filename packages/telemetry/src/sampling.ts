import { isInPart, type UsageRow } from '@headgate/gateway/ports'
import type { TraceSettings } from './export-settings.ts'

/** Requests that took longer are always exported, in milliseconds. */
const SLOW = 30_000

/**
 * Decision about the spans of a request: failures and slow requests always; the decision of a trusted caller; otherwise
 * by the trace id, so that all processes decide alike.
 */
export function isSampled(
  { trace, status, failure, durationMs }: Pick<UsageRow, 'trace' | 'status' | 'failure' | 'durationMs'>,
  traceId: string,
  { ratio, followsParent }: Pick<TraceSettings, 'ratio' | 'followsParent'>,
): boolean {
  if (followsParent && trace?.isSampled !== undefined && !trace.isLinked) return trace.isSampled
  if (ratio === 0) return false
  if (status >= 400 || failure !== undefined || durationMs > SLOW) return true
  return isInPart(traceId, ratio)
}
