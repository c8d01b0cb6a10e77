/** The header that says how many gateways a request has come through. */
export const HOPS = 'headgate-hops'

/** The value of that header for the next one. */
export function nextHop(hops: number): string {
  return String(hops + 1)
}
