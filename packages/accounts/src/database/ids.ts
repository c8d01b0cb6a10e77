import { hash, randomBytes, randomInt } from 'node:crypto'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
/** Length of an id: 16 letters out of 62 are 95 bits. */
const LETTERS = 16
/** Length of a token in bytes. */
const TOKEN = 32

/** Prefixes of ids. */
export type IdKind = 'org' | 'per' | 'prj' | 'inv' | 'ses' | 'viw'

/**
 * Ids of the first organization and project. They are constant, so that only one of two concurrent processes creates
 * them.
 */
export const FIRST_ORGANIZATION = 'org_default'
export const FIRST_PROJECT = 'prj_default'

/** Random id with the prefix of its kind. */
export function newId(kind: IdKind): string {
  return `${kind}_${Array.from({ length: LETTERS }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')}`
}

/** Random token of 32 bytes, as text that is safe in cookies, headers and URLs. */
export function newToken(): string {
  return randomBytes(TOKEN).toString('base64url')
}

/** Stored hash of a token. Tokens have enough entropy for a plain hash. */
export function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}
