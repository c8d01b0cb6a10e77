import { hash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** Digits of base 62, in the order of their values. */
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const BASE = ALPHABET.length
/** Number of random characters: 30 of 62 characters have 178 bits. */
const LETTERS = 30
/** Number of checksum digits: 62^6 exceeds 2^32. */
const CHECKSUM = 6
const BEGIN = /^hg_[psdx]_/
const WHOLE = /^hg_[psdx]_[0-9A-Za-z]{36}$/
const HEAD = 'hg_p_'.length
const LENGTH = HEAD + LETTERS + CHECKSUM
/** Number of characters shown at the start and the end of a key. */
const SHOWN = 4

/**
 * Regular expression of stored keys, for secret scanners: `hg_`, a letter for the environment, 30 random letters and
 * digits, and the CRC-32 of everything before it in 6 digits of base 62.
 */
export const API_KEY_PATTERN = String.raw`\bhg_[psdx]_[0-9A-Za-z]{36}\b`

/** Letter of an environment; `x` for other names than the three known ones. */
function letterOf(environment: string): string {
  const known: Readonly<Record<string, string>> = { production: 'p', staging: 's', development: 'd' }
  return (Object.hasOwn(known, environment) && known[environment]) || 'x'
}

/**
 * New API key of an environment. A double click selects it, secret scanners find it, and typos are detected without a
 * lookup.
 */
export function createApiKey(environment: string): string {
  const text = `hg_${letterOf(environment)}_${randomText(LETTERS)}`
  return text + checksum(text)
}

/** CRC-32 of an ASCII string, in digits of base 62. */
function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let count = 0; count < CHECKSUM; count += 1) {
    digits = (ALPHABET[rest % BASE] ?? '') + digits
    rest = Math.floor(rest / BASE)
  }
  return digits
}

export function randomText(length: number): string {
  return Array.from({ length }, () => ALPHABET[randomInt(BASE)]).join('')
}

/**
 * Stored hash of a key: its SHA-256 in hexadecimal. The key has enough entropy that a plain hash cannot be reversed.
 */
export function hashApiKey(key: string): string {
  return hash('sha256', key, 'hex')
}

/** First and last characters of a key, by which its owner recognizes it. */
export function displayPrefix(key: string): string {
  return `${key.slice(0, HEAD + SHOWN)}…${key.slice(-SHOWN)}`
}

/** True if a string has the form and the checksum of a stored key. Any other string needs no lookup. */
export function isStorable(key: string): boolean {
  return key.length === LENGTH && WHOLE.test(key) && key.endsWith(checksum(key.slice(0, -CHECKSUM)))
}

/** Message for a mistyped stored key; undefined for a valid key and for strings that do not look like one. */
export function typoOf(key: string): string | undefined {
  if (!BEGIN.test(key) || isStorable(key)) return undefined
  if (key.length === LENGTH) return 'The key has a typo: its checksum is wrong.'
  return `The key has a typo: it has ${key.length} characters instead of ${LENGTH}.`
}
