import type { UsageRow } from '@headgate/gateway/ports'
import type { TraceSettings } from './export-settings.ts'

/** Requests that took longer are always exported, in milliseconds. */
const SLOW = 30_000
/** Digits of the random part of a trace id, and their number of values. */
const RANDOM_DIGITS = 14
const RANDOM = 2 ** 56

/**
 * Decision about the spans of a request: failures and slow requests always; the decision of a trusted caller; otherwise
 * by the random part of the trace id, so that all processes decide alike.
 * @see https://opentelemetry.io/docs/specs/otel/trace/tracestate-probability-sampling/
 */
export function isSampled(
  { trace, status, failure, durationMs }: Pick<UsageRow, 'trace' | 'status' | 'failure' | 'durationMs'>,
  traceId: string,
  { ratio, followsParent }: Pick<TraceSettings, 'ratio' | 'followsParent'>,
): boolean {
  if (followsParent && trace?.isSampled !== undefined && !trace.isLinked) return trace.isSampled
  if (ratio === 0) return false
  if (status >= 400 || failure !== undefined || durationMs > SLOW) return true
  return Number.parseInt(traceId.slice(-RANDOM_DIGITS), 16) >= (1 - ratio) * RANDOM
}
