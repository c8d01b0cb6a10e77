import { newToken } from '../database/ids.ts'
import type { Parts } from '../parts.ts'

/** Cookie text of a browser. It proves an earlier sign-in, but does not sign anyone in. */
export interface Device {
  readonly device: string
  /** Expiry in Unix milliseconds. */
  readonly expiresAt: number
}

/** Maximum lifetime of cookies in browsers, in milliseconds. */
const LASTS = 400 * 86_400_000
/** Maximum length of the cookie text in characters. */
const LONGEST = 200

/**
 * Marks the browser of a person after a sign-in. An existing mark of the person keeps its id, by which failures are
 * counted.
 */
export async function markDevice(parts: Parts, person: string, held?: string): Promise<Device> {
  const id = deviceOf(parts, person, held) ?? newToken()
  const expires = Math.floor((parts.now() + LASTS) / 1_000)
  return {
    device: [id, expires, parts.keys.sign(['device', person, id], expires)].join('.'),
    expiresAt: expires * 1_000,
  }
}

/** Id of a device that the person has signed in with; undefined for any other text. */
export function deviceOf({ keys, now }: Parts, person: string, held: unknown): string | undefined {
  if (typeof held !== 'string' || held.length > LONGEST) return undefined
  const [id = '', expires = '', signature = '', ...more] = held.split('.')
  return more.length === 0 && keys.verify(['device', person, id], Number(expires), signature, now()) ? id : undefined
}
