/** Uses of the trace that a caller names. */
export const TRACINGS = ['parent', 'trusted', 'link', 'ignore'] as const

/**
 * Use of the trace that a caller names. `parent`: requests are part of it. `trusted`: the caller also decides whether
 * they are exported. `link`: requests have separate traces that link to it. `ignore`: it is not used.
 */
export type CallerTracing = (typeof TRACINGS)[number]

/**
 * True for a use of traces.
 *
 * @example
 * ```ts
 * isTracing('link') // true
 * ```
 */
export function isTracing(name: string): name is CallerTracing {
  return (TRACINGS as readonly string[]).includes(name)
}

/** Sending of trace contexts to providers. */
export interface TracePropagation {
  /** True for all providers without a setting. */
  readonly isDefault: boolean
  /** Part of the traces that is exported, from 0 to 1, which decides the `sampled` flag. */
  readonly ratio: number
  /** True if the decision of trusted callers counts. */
  readonly followsParent: boolean
}

/** Digits of the random part of a trace id, and their number of values. */
const RANDOM_DIGITS = 14
const RANDOM = 2 ** 56

/**
 * True if a trace belongs to a part of all traces, from 0 to 1. It depends on the random part of the trace id, so that
 * all processes decide alike.
 * @see https://opentelemetry.io/docs/specs/otel/trace/tracestate-probability-sampling/
 */
export function isInPart(traceId: string, ratio: number): boolean {
  return Number.parseInt(traceId.slice(-RANDOM_DIGITS), 16) >= (1 - ratio) * RANDOM
}
