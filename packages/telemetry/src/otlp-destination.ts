import { HeadgateError } from '@headgate/gateway/ports'
import type { Attribute } from './span.ts'

/** Receiver of OTLP over HTTP. */
export interface OtlpDestination {
  /** Complete URL. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly encoding: 'protobuf' | 'json'
  readonly isCompressed: boolean
  /** Time of one request in milliseconds. */
  readonly timeoutMs: number
}

/** Environment variables. */
export type Variables = Readonly<Record<string, string | undefined>>

/** Trimmed value of a variable; undefined if it is unset or empty. */
export type ReadVariable = (name: string) => string | undefined

/** Signals of OpenTelemetry, each with separate variables. */
export type OtlpSignal = 'traces' | 'metrics' | 'logs'

/** Reader of variables. */
export function variableReader(environment: Variables): ReadVariable {
  return (name) => environment[name]?.trim() || undefined
}

/**
 * Destination of a signal from the variables of OpenTelemetry; undefined if no endpoint is set, or the signal is off.
 * @see https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
 * @see https://opentelemetry.io/docs/specs/otel/protocol/exporter/
 * @throws HeadgateError that names the invalid variable
 */
export function otlpDestination(read: ReadVariable, signal: OtlpSignal): OtlpDestination | undefined {
  const name = signal.toUpperCase()
  const ofSignal = (part: string): string | undefined =>
    read(`OTEL_EXPORTER_OTLP_${name}_${part}`) ?? read(`OTEL_EXPORTER_OTLP_${part}`)
  if (read('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return undefined
  const exporter = read(`OTEL_${name}_EXPORTER`) ?? 'otlp'
  if (exporter === 'none') return undefined
  if (exporter !== 'otlp') throw invalidVariable(`OTEL_${name}_EXPORTER`, 'Set it to `otlp` or `none`.')
  const own = read(`OTEL_EXPORTER_OTLP_${name}_ENDPOINT`)
  const shared = read('OTEL_EXPORTER_OTLP_ENDPOINT')
  if (own === undefined && shared === undefined) return undefined
  const url =
    own === undefined
      ? checkedUrl('OTEL_EXPORTER_OTLP_ENDPOINT', `${(shared ?? '').replace(/\/+$/, '')}/v1/${signal}`)
      : checkedUrl(`OTEL_EXPORTER_OTLP_${name}_ENDPOINT`, own)
  return {
    url,
    headers: {
      ...pairsOf('OTEL_EXPORTER_OTLP_HEADERS', read('OTEL_EXPORTER_OTLP_HEADERS')),
      ...pairsOf(`OTEL_EXPORTER_OTLP_${name}_HEADERS`, read(`OTEL_EXPORTER_OTLP_${name}_HEADERS`)),
    },
    encoding: encodingOf(ofSignal('PROTOCOL')),
    isCompressed: compressionOf(ofSignal('COMPRESSION')),
    timeoutMs: wholeNumber('OTEL_EXPORTER_OTLP_TIMEOUT', ofSignal('TIMEOUT'), 10_000),
  }
}

/** Error about a variable. */
export function invalidVariable(name: string, advice: string): HeadgateError {
  return new HeadgateError('invalid-request', `The variable ${name} is invalid. ${advice}`)
}

function checkedUrl(name: string, text: string): string {
  const url = URL.parse(text)
  if (url && (url.protocol === 'http:' || url.protocol === 'https:')) return url.href
  throw invalidVariable(name, 'Set it to a URL with http or https, such as `http://localhost:4318`.')
}

function encodingOf(protocol = 'http/protobuf'): OtlpDestination['encoding'] {
  if (protocol === 'http/protobuf') return 'protobuf'
  if (protocol === 'http/json') return 'json'
  throw invalidVariable(
    'OTEL_EXPORTER_OTLP_PROTOCOL',
    'Headgate sends `http/protobuf` or `http/json`, not gRPC. Use the port for HTTP, usually 4318.',
  )
}

function compressionOf(compression = 'gzip'): boolean {
  if (compression === 'gzip' || compression === 'none') return compression === 'gzip'
  throw invalidVariable('OTEL_EXPORTER_OTLP_COMPRESSION', 'Set it to `gzip` or `none`.')
}

/** Whole number of at least 1. @throws HeadgateError that names the invalid variable */
export function wholeNumber(name: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise
  const value = Number(text)
  if (Number.isSafeInteger(value) && value > 0) return value
  throw invalidVariable(name, 'Set it to a whole number above 0.')
}

/** Attributes of this program: `OTEL_RESOURCE_ATTRIBUTES`, and `service.name`. */
export function resourceOf(read: ReadVariable): readonly Attribute[] {
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
    if (at < 1) throw invalidVariable(name, 'Set it to pairs such as `name=value,other=value`.')
    try {
      pairs[part.slice(0, at).trim()] = decodeURIComponent(part.slice(at + 1).trim())
    } catch {
      throw invalidVariable(name, 'Its values must be percent-encoded, such as `Bearer%20abc`.')
    }
  }
  return pairs
}
