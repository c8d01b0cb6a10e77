import { DIALECTS, type Dialect } from './dialects.ts'
import {
  invalidVariable,
  type OtlpDestination,
  otlpDestination,
  type ReadVariable,
  resourceOf,
  type Variables,
  variableReader,
  wholeNumber,
} from './otlp-destination.ts'
import type { Attribute } from './span.ts'

/** Settings of traces. */
export interface TraceSettings {
  readonly destination: OtlpDestination
  readonly dialect: Dialect
  readonly resource: readonly Attribute[]
  /** Part of the traces that is exported, from 0 to 1. Failures are always exported. */
  readonly ratio: number
  /** True if the decision of trusted callers counts. */
  readonly followsParent: boolean
  /** Longest time until a batch is sent, in milliseconds. */
  readonly delayMs: number
  /** Maximum number of spans that wait. */
  readonly maxQueue: number
  /** Maximum number of spans of one batch. */
  readonly maxBatch: number
}

/**
 * Settings of traces from the variables of OpenTelemetry; undefined if no endpoint is set, or traces are off.
 * @throws HeadgateError that names the invalid variable
 */
export function traceSettings(environment: Variables): TraceSettings | undefined {
  const read = variableReader(environment)
  const destination = otlpDestination(read, 'traces')
  if (!destination) return undefined
  const { ratio, followsParent } = samplerOf(read)
  return {
    destination,
    dialect: dialectOf(read),
    resource: resourceOf(read),
    ratio,
    followsParent,
    delayMs: wholeNumber('OTEL_BSP_SCHEDULE_DELAY', read('OTEL_BSP_SCHEDULE_DELAY'), 5_000),
    maxQueue: wholeNumber('OTEL_BSP_MAX_QUEUE_SIZE', read('OTEL_BSP_MAX_QUEUE_SIZE'), 2_048),
    maxBatch: wholeNumber('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', read('OTEL_BSP_MAX_EXPORT_BATCH_SIZE'), 512),
  }
}

/** Conventions of names: `HEADGATE_TRACE_CONVENTIONS`, or the newest ones by `OTEL_SEMCONV_STABILITY_OPT_IN`. */
export function dialectOf(read: ReadVariable): Dialect {
  const chosen = read('HEADGATE_TRACE_CONVENTIONS')
  const found = DIALECTS.find((one) => one === chosen)
  if (found) return found
  if (chosen !== undefined)
    throw invalidVariable('HEADGATE_TRACE_CONVENTIONS', `Set it to one of: ${DIALECTS.join(', ')}.`)
  const isNewest = read('OTEL_SEMCONV_STABILITY_OPT_IN')
    ?.split(',')
    .some((one) => one.trim() === 'gen_ai_latest_experimental')
  return isNewest ? 'gen-ai-0.1' : '1.41'
}

/** Samplers by name: whether the parent's decision counts, and the ratio of the others. */
const SAMPLERS: Readonly<Record<string, readonly [followsParent: boolean, ratio: number | undefined]>> = {
  always_on: [false, 1],
  always_off: [false, 0],
  traceidratio: [false, undefined],
  parentbased_always_on: [true, 1],
  parentbased_always_off: [true, 0],
  parentbased_traceidratio: [true, undefined],
}

function samplerOf(read: ReadVariable): Pick<TraceSettings, 'ratio' | 'followsParent'> {
  const sampler = SAMPLERS[read('OTEL_TRACES_SAMPLER') ?? 'parentbased_always_on']
  if (!sampler) throw invalidVariable('OTEL_TRACES_SAMPLER', `Set it to one of: ${Object.keys(SAMPLERS).join(', ')}.`)
  const [followsParent, fixed] = sampler
  const ratio = fixed ?? Number(read('OTEL_TRACES_SAMPLER_ARG') ?? '1')
  if (!(ratio >= 0 && ratio <= 1)) throw invalidVariable('OTEL_TRACES_SAMPLER_ARG', 'Set it to a number from 0 to 1.')
  return { ratio, followsParent }
}
