import { wrong } from '../database/input.ts'

/** True if an address is on one of the origins. */
export function isOneOf(origins: readonly string[], address: string): boolean {
  return typeof address === 'string' && URL.canParse(address) && origins.includes(new URL(address).origin)
}

/**
 * Domain of passkeys for an origin. @throws HeadgateError `invalid-request` for an origin that cannot have passkeys.
 */
export function domainOf(origins: readonly string[], origin: string): string {
  if (!origins.includes(origin)) throw wrong('origin', 'This origin is not allowed.')
  const { hostname } = new URL(origin)
  if (!/^\[|^[\d.]+$/.test(hostname)) return hostname
  throw wrong(
    'origin',
    'Passkeys require a host name instead of an IP address. Open http://localhost, or set HEADGATE_PUBLIC_URL.',
  )
}
