import type { ErrorKind } from '@headgate/core/errors'

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
