import { hash, randomBytes, randomInt } from 'node:crypto'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
/** 16 of 62 letters are 95 bits. */
const LETTERS = 16
/** Bytes of a token. */
const TOKEN = 32

/** What ids of each kind begin with. */
export type IdKind = 'org' | 'per' | 'prj' | 'inv' | 'ses'

/**
 * The first organization and its first project have the same ids everywhere: of two processes that make them, one does.
 */
export const FIRST_ORGANIZATION = 'org_default'
export const FIRST_PROJECT = 'prj_default'

/** An id that says nothing but its kind. */
export function newId(kind: IdKind): string {
  return `${kind}_${Array.from({ length: LETTERS }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')}`
}

/** 32 random bytes, as text that cookies, headers and URLs hold as it is. */
export function newToken(): string {
  return randomBytes(TOKEN).toString('base64url')
}

/** What is kept of a token. It has enough entropy that one plain hash can not be turned back. */
export function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}
