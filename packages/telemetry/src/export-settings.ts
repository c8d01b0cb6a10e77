import { HeadgateError } from '@headgate/gateway/ports'
import { DIALECTS, type Dialect } from './dialects.ts'
import type { Attribute } from './span.ts'

/** Destination of traces over OTLP. */
export interface TraceDestination {
  /** Complete URL. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly encoding: 'protobuf' | 'json'
  readonly isCompressed: boolean
  /** Time of one request in milliseconds. */
  readonly timeoutMs: number
}

/** Settings of traces. */
export interface TraceSettings {
  readonly destination: TraceDestination
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

type Variables = Readonly<Record<string, string | undefined>>

const PATH = '/v1/traces'
/** Signal with separate variables. */
const SIGNAL = 'TRACES'

/**
 * Settings of traces from the variables of OpenTelemetry; undefined if no endpoint is set, or traces are off.
 * @see https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
 * @see https://opentelemetry.io/docs/specs/otel/protocol/exporter/
 * @throws HeadgateError that names the invalid variable
 */
export function traceSettings(environment: Variables): TraceSettings | undefined {
  const read = (name: string): string | undefined => environment[name]?.trim() || undefined
  const ofSignal = (name: string): string | undefined =>
    read(`OTEL_EXPORTER_OTLP_${SIGNAL}_${name}`) ?? read(`OTEL_EXPORTER_OTLP_${name}`)
  if (read('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return undefined
  const exporter = read('OTEL_TRACES_EXPORTER') ?? 'otlp'
  if (exporter === 'none') return undefined
  if (exporter !== 'otlp') throw invalid('OTEL_TRACES_EXPORTER', 'Set it to `otlp` or `none`.')
  const own = read(`OTEL_EXPORTER_OTLP_${SIGNAL}_ENDPOINT`)
  const shared = read('OTEL_EXPORTER_OTLP_ENDPOINT')
  if (own === undefined && shared === undefined) return undefined
  const url =
    own === undefined
      ? checkedUrl('OTEL_EXPORTER_OTLP_ENDPOINT', `${(shared ?? '').replace(/\/+$/, '')}${PATH}`)
      : checkedUrl(`OTEL_EXPORTER_OTLP_${SIGNAL}_ENDPOINT`, own)
  const { ratio, followsParent } = samplerOf(read)
  return {
    destination: {
      url,
      headers: {
        ...pairsOf('OTEL_EXPORTER_OTLP_HEADERS', read('OTEL_EXPORTER_OTLP_HEADERS')),
        ...pairsOf(`OTEL_EXPORTER_OTLP_${SIGNAL}_HEADERS`, read(`OTEL_EXPORTER_OTLP_${SIGNAL}_HEADERS`)),
      },
      encoding: encodingOf(ofSignal('PROTOCOL')),
      isCompressed: compressionOf(ofSignal('COMPRESSION')),
      timeoutMs: numberOf('OTEL_EXPORTER_OTLP_TIMEOUT', ofSignal('TIMEOUT'), 10_000),
    },
    dialect: dialectOf(read),
    resource: resourceOf(read),
    ratio,
    followsParent,
    delayMs: numberOf('OTEL_BSP_SCHEDULE_DELAY', read('OTEL_BSP_SCHEDULE_DELAY'), 5_000),
    maxQueue: numberOf('OTEL_BSP_MAX_QUEUE_SIZE', read('OTEL_BSP_MAX_QUEUE_SIZE'), 2_048),
    maxBatch: numberOf('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', read('OTEL_BSP_MAX_EXPORT_BATCH_SIZE'), 512),
  }
}

type Read = (name: string) => string | undefined

function invalid(name: string, advice: string): HeadgateError {
  return new HeadgateError('invalid-request', `The variable ${name} is invalid. ${advice}`)
}

function checkedUrl(name: string, text: string): string {
  const url = URL.parse(text)
  if (url && (url.protocol === 'http:' || url.protocol === 'https:')) return url.href
  throw invalid(name, 'Set it to a URL with http or https, such as `http://localhost:4318`.')
}

function encodingOf(protocol = 'http/protobuf'): TraceDestination['encoding'] {
  if (protocol === 'http/protobuf') return 'protobuf'
  if (protocol === 'http/json') return 'json'
  throw invalid(
    'OTEL_EXPORTER_OTLP_PROTOCOL',
    'Headgate sends `http/protobuf` or `http/json`, not gRPC. Use the port for HTTP, usually 4318.',
  )
}

function compressionOf(compression = 'gzip'): boolean {
  if (compression === 'gzip' || compression === 'none') return compression === 'gzip'
  throw invalid('OTEL_EXPORTER_OTLP_COMPRESSION', 'Set it to `gzip` or `none`.')
}

/** Number of at least 1. */
function numberOf(name: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise
  const value = Number(text)
  if (Number.isSafeInteger(value) && value > 0) return value
  throw invalid(name, 'Set it to a whole number above 0.')
}

function dialectOf(read: Read): Dialect {
  const chosen = read('HEADGATE_TRACE_CONVENTIONS')
  const found = DIALECTS.find((one) => one === chosen)
  if (found) return found
  if (chosen !== undefined) throw invalid('HEADGATE_TRACE_CONVENTIONS', `Set it to one of: ${DIALECTS.join(', ')}.`)
  const isNewest = read('OTEL_SEMCONV_STABILITY_OPT_IN')
    ?.split(',')
    .some((one) => one.trim() === 'gen_ai_latest_experimental')
  return isNewest ? 'gen-ai-0.1' : '1.41'
}

function resourceOf(read: Read): readonly Attribute[] {
  const named = pairsOf('OTEL_RESOURCE_ATTRIBUTES', read('OTEL_RESOURCE_ATTRIBUTES'))
  const service = read('OTEL_SERVICE_NAME') ?? named['service.name'] ?? 'headgate'
  return Object.entries({ ...named, 'service.name': service })
}

/** Pairs such as `authorization=Bearer%20abc,x-team=blue`. */
function pairsOf(name: string, text = ''): Record<string, string> {
  const pairs: Record<string, string> = {}
  for (const part of text.split(',')) {
    if (part.trim() === '') continue
    const at = part.indexOf('=')
    if (at < 1) throw invalid(name, 'Set it to pairs such as `name=value,other=value`.')
    try {
      pairs[part.slice(0, at).trim()] = decodeURIComponent(part.slice(at + 1).trim())
    } catch {
      throw invalid(name, 'Its values must be percent-encoded, such as `Bearer%20abc`.')
    }
  }
  return pairs
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

function samplerOf(read: Read): Pick<TraceSettings, 'ratio' | 'followsParent'> {
  const sampler = SAMPLERS[read('OTEL_TRACES_SAMPLER') ?? 'parentbased_always_on']
  if (!sampler) throw invalid('OTEL_TRACES_SAMPLER', `Set it to one of: ${Object.keys(SAMPLERS).join(', ')}.`)
  const [followsParent, fixed] = sampler
  const ratio = fixed ?? Number(read('OTEL_TRACES_SAMPLER_ARG') ?? '1')
  if (!(ratio >= 0 && ratio <= 1)) throw invalid('OTEL_TRACES_SAMPLER_ARG', 'Set it to a number from 0 to 1.')
  return { ratio, followsParent }
}
