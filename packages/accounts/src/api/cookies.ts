import type { NewSession } from '../sessions/sessions.ts'
import type { Device } from '../sign-in/device.ts'
import type { Flow } from '../sign-in/flow.ts'

/** Cookies of browsers at the allowed origins. */
export interface Cookies {
  /** Name of the session cookie. */
  readonly name: string
  /** Unverified tokens from the browser. */
  read(headers: Headers): { readonly session?: string; readonly flow?: string; readonly device?: string }
  session(session: NewSession, now: number): string
  flow(flow: Flow, now: number): string
  device(device: Device, now: number): string
  endSession(): string
  endFlow(): string
}

/** Maximum length of the cookie header in characters. */
const LONGEST = 16_384

/**
 * Creates the cookies. With TLS, only this host can set and read them (`__Host-`). On loopback some browsers drop
 * `Secure` cookies.
 */
export function createCookies(origins: readonly string[]): Cookies {
  const isSecure = origins.length > 0 && origins.every((origin) => origin.startsWith('https:'))
  const session = isSecure ? '__Host-headgate' : 'headgate'
  const flow = isSecure ? '__Host-headgate-flow' : 'headgate-flow'
  const device = isSecure ? '__Host-headgate-device' : 'headgate-device'
  const cookie = (name: string, value: string, seconds: number): string =>
    `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
  const until = (expiresAt: number, now: number): number => Math.max(0, Math.floor((expiresAt - now) / 1_000))
  return {
    name: session,
    read(headers) {
      const held = valuesOf(headers.get('cookie') ?? '')
      const [token, text, mark] = [held.get(session), held.get(flow), held.get(device)]
      return {
        ...(token !== undefined && { session: token }),
        ...(text !== undefined && { flow: text }),
        ...(mark !== undefined && { device: mark }),
      }
    },
    session: ({ token, session: { expiresAt } }, now) => cookie(session, token, until(expiresAt, now)),
    flow: ({ flow: value, expiresAt }, now) => cookie(flow, value, until(expiresAt, now)),
    device: ({ device: value, expiresAt }, now) => cookie(device, value, until(expiresAt, now)),
    endSession: () => cookie(session, '', 0),
    endFlow: () => cookie(flow, '', 0),
  }
}

/**
 * Cookie values by name. Of repeated names the first counts. Browsers send the cookie with the longest path first, so a
 * foreign cookie makes the session invalid.
 */
function valuesOf(header: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>()
  if (header.length > LONGEST) return values
  for (const pair of header.split(';')) {
    const mark = pair.indexOf('=')
    const name = pair.slice(0, Math.max(mark, 0)).trim()
    if (name !== '' && !values.has(name)) values.set(name, pair.slice(mark + 1).trim())
  }
  return values
}
