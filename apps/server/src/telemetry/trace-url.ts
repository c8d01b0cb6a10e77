import type { RequestUsage } from '@headgate/store'
import { isSampled } from '@headgate/telemetry'
import type { Settings } from '../config/settings.ts'

type TracedRequest = Pick<RequestUsage, 'traceId' | 'status' | 'failure' | 'durationMs'>

/**
 * Page of a request's trace in the configured system; undefined without a system, or if the sampler left the trace out.
 * The decision of a trusted caller is not stored, so that the sampler's decision is used for it.
 */
export function traceUrlOf(
  { traceId, status, failure, durationMs }: TracedRequest,
  { config, traceExport }: Pick<Settings, 'config' | 'traceExport'>,
): string | undefined {
  const url = config.telemetry?.traceUrl
  if (url === undefined || traceId === null || !traceExport) return undefined
  // The sampler reads only whether the request failed.
  const request = { status, durationMs, trace: undefined, failure: failure === null ? undefined : 'internal' } as const
  return isSampled(request, traceId, traceExport) ? url.replaceAll('{trace_id}', traceId) : undefined
}
