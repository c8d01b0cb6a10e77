import { wrong } from '../database/input.ts'

/** Whether an address is one of these origins, or below it. */
export function isOneOf(origins: readonly string[], address: string): boolean {
  return typeof address === 'string' && URL.canParse(address) && origins.includes(new URL(address).origin)
}

/**
 * The domain that passkeys of an origin belong to. @throws HeadgateError `invalid-request` for an origin that can have
 * none.
 */
export function domainOf(origins: readonly string[], origin: string): string {
  if (!origins.includes(origin)) throw wrong('origin', 'This is no origin of this gateway.')
  const { hostname } = new URL(origin)
  if (!/^\[|^[\d.]+$/.test(hostname)) return hostname
  throw wrong('origin', 'Passkeys need a name and no number: come by http://localhost, or set HEADGATE_PUBLIC_URL.')
}
