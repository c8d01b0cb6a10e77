import {
  type OtlpDestination,
  otlpDestination,
  resourceOf,
  type Variables,
  variableReader,
} from './otlp-destination.ts'
import type { Attribute } from './span.ts'

/** Settings of log records. */
export interface LogExportSettings {
  readonly destination: OtlpDestination
  readonly resource: readonly Attribute[]
  /** True if each request is also exported as a log record. */
  readonly isAccess: boolean
}

/**
 * Settings of log records from the variables of OpenTelemetry; undefined if no endpoint is set, or logs are off.
 * @throws HeadgateError that names the invalid variable
 */
export function logSettings(environment: Variables, isAccess: boolean): LogExportSettings | undefined {
  const read = variableReader(environment)
  const destination = otlpDestination(read, 'logs')
  return destination && { destination, resource: resourceOf(read), isAccess }
}
