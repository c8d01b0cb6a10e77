import type { Dialect } from './dialects.ts'

/** Measurement of model calls, whose metric each dialect names. */
export type GenAiMeasure =
  | 'duration'
  | 'firstChunk'
  | 'perChunk'
  | 'otherDuration'
  | 'tokenUsage'
  | 'inputTokens'
  | 'outputTokens'
  | 'inputUsage'
  | 'outputUsage'
  | 'cacheReadUsage'
  | 'cacheWriteUsage'
  | 'reasoningUsage'

/** Metric of model calls. */
export interface GenAiMetric {
  readonly name: string
  readonly type: 'histogram' | 'counter'
  /** Unit in UCUM. */
  readonly unit: 's' | '{token}'
  readonly meaning: string
}

/** Upper bounds of durations in seconds. The last three are additions: a response can last 15 minutes. */
export const DURATION_BOUNDS: readonly number[] = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92, 163.84, 327.68, 655.36,
]

/** Upper bounds of numbers of tokens. */
export const TOKEN_BOUNDS: readonly number[] = [
  1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864,
]

function seconds(name: string, meaning: string): GenAiMetric {
  return { name, type: 'histogram', unit: 's', meaning }
}

function tokens(type: GenAiMetric['type'], name: string, meaning: string): GenAiMetric {
  return { name, type, unit: '{token}', meaning }
}

const DURATION = 'Duration of calls of models.'
const FIRST = 'Time from the start of a call to the first byte of its stream.'
const CHUNK = 'Time between the chunks of a stream; each response counts with its mean.'

const OLD: Readonly<Partial<Record<GenAiMeasure, GenAiMetric>>> = {
  duration: seconds('gen_ai.client.operation.duration', DURATION),
  otherDuration: seconds('gen_ai.client.operation.duration', DURATION),
  firstChunk: seconds('gen_ai.client.operation.time_to_first_chunk', FIRST),
  perChunk: seconds('gen_ai.client.operation.time_per_output_chunk', CHUNK),
  tokenUsage: tokens('histogram', 'gen_ai.client.token.usage', 'Tokens of served calls, by type: `input`, `output`.'),
}

const NEW: Readonly<Partial<Record<GenAiMeasure, GenAiMetric>>> = {
  duration: seconds('gen_ai.client.inference.duration', DURATION),
  otherDuration: seconds('gen_ai.client.operation.duration', 'Duration of calls other than inference.'),
  firstChunk: seconds('gen_ai.client.inference.time_to_first_chunk', FIRST),
  perChunk: seconds('gen_ai.client.inference.time_per_output_chunk', CHUNK),
  inputTokens: tokens('histogram', 'gen_ai.client.inference.operation.input_tokens', 'Input tokens of served calls.'),
  outputTokens: tokens(
    'histogram',
    'gen_ai.client.inference.operation.output_tokens',
    'Output tokens of served calls.',
  ),
  inputUsage: tokens('counter', 'gen_ai.client.inference.usage.input_tokens', 'Input tokens, by modality.'),
  outputUsage: tokens('counter', 'gen_ai.client.inference.usage.output_tokens', 'Output tokens, by modality.'),
  cacheReadUsage: tokens(
    'counter',
    'gen_ai.client.inference.usage.cache_read.input_tokens',
    'Input tokens that were read from a cache, by modality.',
  ),
  cacheWriteUsage: tokens(
    'counter',
    'gen_ai.client.inference.usage.cache_write.input_tokens',
    'Input tokens that were written to a cache, by modality.',
  ),
  reasoningUsage: tokens(
    'counter',
    'gen_ai.client.inference.usage.reasoning.output_tokens',
    'Output tokens of reasoning, by modality.',
  ),
}

/**
 * Metrics of model calls by dialect. A dialect without a measurement leaves it out.
 * @see https://github.com/open-telemetry/semantic-conventions/blob/v1.41.0/docs/gen-ai/gen-ai-metrics.md
 * @see https://github.com/open-telemetry/semantic-conventions-genai
 */
export const GEN_AI_METRICS: Readonly<Record<Dialect, Readonly<Partial<Record<GenAiMeasure, GenAiMetric>>>>> = {
  '1.41': OLD,
  'gen-ai-0.1': NEW,
  // OpenInference has attributes of spans only.
  openinference: OLD,
}

/**
 * Name of a metric in Prometheus: the unit of seconds is appended, and counters end in `_total`.
 * @see https://opentelemetry.io/docs/specs/otel/compatibility/prometheus_and_openmetrics/
 */
export function prometheusName({ name, type, unit }: Pick<GenAiMetric, 'name' | 'type' | 'unit'>): string {
  const base = name.replaceAll('.', '_')
  return `${base}${unit === 's' ? '_seconds' : ''}${type === 'counter' ? '_total' : ''}`
}
