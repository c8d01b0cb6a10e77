import { HeadgateError } from '@headgate/core/errors'
import { HOPS } from '../http/hops.ts'
import { headerOf, type Incoming } from './sink.ts'

/** Maximum number of gateways before this one. A longer chain is treated as a loop. */
const MAX_HOPS = 4

/**
 * Number of gateways that a request has passed before this one. Gateways send a number; any other value counts as 0.
 */
export function hopsOf(incoming: Pick<Incoming, 'headers'>): number {
  if (incoming.headers[HOPS] === undefined) return 0
  const value = headerOf(incoming, HOPS) ?? ''
  return /^\d{1,15}$/.test(value) ? Number(value) : 0
}

/** Rejects requests that loop through gateways. */
export function checkHops(incoming: Incoming): void {
  const hops = hopsOf(incoming)
  if (hops <= MAX_HOPS) return
  throw new HeadgateError(
    'loop',
    `The request has passed ${hops} gateways; the limit is ${MAX_HOPS}. The base URL of a provider probably points back to one of these gateways. Ask their operator to check the base URLs; changing the request will not help.`,
  )
}
