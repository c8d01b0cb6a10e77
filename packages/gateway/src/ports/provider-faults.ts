import { type ErrorKind, FAILURES } from '@headgate/core/errors'

/** Error kinds that are a problem of the called endpoint, not of the request. Routing counts them. */
export const ENDPOINT_FAULTS: ReadonlySet<ErrorKind> = new Set([
  'rate-limited',
  'overloaded',
  'upstream',
  'timeout',
  'our-credential',
  'our-quota',
])

/** Error kinds of calls that count as failed by the provider: also responses that broke off after their start. */
export const PROVIDER_FAULTS: ReadonlySet<string> = new Set([...ENDPOINT_FAULTS, 'cut'])

/** Outcome of a request without calls, by the kind of its failure. `refused`: the caller is the reason. */
export function outcomeWithoutCalls(kind: string): 'refused' | 'canceled' | 'failed' {
  if (kind === 'canceled') return 'canceled'
  const { status } = FAILURES[kind as ErrorKind] ?? { status: 500 }
  return status < 500 ? 'refused' : 'failed'
}
