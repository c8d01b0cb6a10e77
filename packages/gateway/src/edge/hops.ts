import { HeadgateError } from '@headgate/core/errors'
import { HOPS } from '../http/hops.ts'
import { headerOf, type Incoming } from './sink.ts'

/** More are a circle, or as good as one. */
const MOST = 4

/**
 * How many gateways a request has come through, this one not counted. What is no number was sent by no gateway, and
 * counts as none.
 */
export function hopsOf(incoming: Pick<Incoming, 'headers'>): number {
  if (incoming.headers[HOPS] === undefined) return 0
  const said = headerOf(incoming, HOPS) ?? ''
  return /^\d{1,15}$/.test(said) ? Number(said) : 0
}

/** Refuses what goes round in a circle of gateways. */
export function checkHops(incoming: Incoming): void {
  const hops = hopsOf(incoming)
  if (hops <= MOST) return
  throw new HeadgateError(
    'loop',
    `The request has come through ${hops} gateways, more than ${MOST}: the base URL of a provider leads back to a gateway that it came through. Their operator has to mend that; the request can not.`,
  )
}
