/** Header with the number of gateways that a request has passed. */
export const HOPS = 'headgate-hops'

/** Value of the header for the next gateway. */
export function nextHop(hops: number): string {
  return String(hops + 1)
}
