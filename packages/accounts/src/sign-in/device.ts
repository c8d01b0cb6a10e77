import { newToken } from '../database/ids.ts'
import type { Parts } from '../parts.ts'

/** A text for a cookie of one browser: it shows that somebody has signed in there. It signs nobody in. */
export interface Device {
  readonly device: string
  /** Unix milliseconds. */
  readonly expiresAt: number
}

/** Browsers keep no cookie longer. */
const LASTS = 400 * 86_400_000
/** Maximum length of a device's text, in characters. */
const LONGEST = 200

/**
 * Marks the browser of a person who has just signed in. A mark of the same person keeps its id, by which its failures
 * are counted.
 */
export async function markDevice(parts: Parts, person: string, held?: string): Promise<Device> {
  const id = deviceOf(parts, person, held) ?? newToken()
  const expires = Math.floor((parts.now() + LASTS) / 1_000)
  return {
    device: [id, expires, parts.keys.sign(['device', person, id], expires)].join('.'),
    expiresAt: expires * 1_000,
  }
}

/** The id of a device that the person has signed in with; undefined for any other text. */
export function deviceOf({ keys, now }: Parts, person: string, held: unknown): string | undefined {
  if (typeof held !== 'string' || held.length > LONGEST) return undefined
  const [id = '', expires = '', signature = '', ...more] = held.split('.')
  return more.length === 0 && keys.verify(['device', person, id], Number(expires), signature, now()) ? id : undefined
}
