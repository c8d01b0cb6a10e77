import type { HealthReport } from '@headgate/gateway'

/** Health reports by name of the endpoint; empty name = the provider has only one endpoint. */
export function byEndpoint(reports: readonly HealthReport[]): ReadonlyMap<string, readonly HealthReport[]> {
  return Map.groupBy(reports, ({ endpoint = '' }) => endpoint)
}

/**
 * Value of an endpoint: from the report of the whole endpoint, or else the sum over its models. Undefined if no report
 * has it.
 */
export function totalOf(
  reports: readonly HealthReport[],
  valueIn: (report: HealthReport) => number | undefined,
): number | undefined {
  const whole = reports.find((report) => report.model === undefined && valueIn(report) !== undefined)
  if (whole) return valueIn(whole)
  const values = reports.flatMap((report) => valueIn(report) ?? [])
  return values.length > 0 ? values.reduce((sum, value) => sum + value, 0) : undefined
}
