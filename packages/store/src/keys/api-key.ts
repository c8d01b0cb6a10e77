import { hash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** In the order of their value as digits. */
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const BASE = ALPHABET.length
/** 30 of 62 letters are 178 bits. */
const LETTERS = 30
/** 62^6 is more than 2^32. */
const CHECKSUM = 6
const BEGIN = /^hg_[psdx]_/
const WHOLE = /^hg_[psdx]_[0-9A-Za-z]{36}$/
const HEAD = 'hg_p_'.length
const LENGTH = HEAD + LETTERS + CHECKSUM
/** How much of a key its owner knows it by, at its beginning and its end. */
const SHOWN = 4

/**
 * What finds keys in texts, for scanners of secrets: `hg_`, a letter for the environment, 30 random letters and digits,
 * and the CRC-32 of all before it in 6 digits of base 62.
 */
export const API_KEY_PATTERN = String.raw`\bhg_[psdx]_[0-9A-Za-z]{36}\b`

/** The letter of an environment: that of its name where it is one of the three. */
function letterOf(environment: string): string {
  const known: Readonly<Record<string, string>> = { production: 'p', staging: 's', development: 'd' }
  return (Object.hasOwn(known, environment) && known[environment]) || 'x'
}

/**
 * A fresh API key of an environment. A double click selects it, a scanner finds it, and a typo in it is known without a
 * look-up.
 */
export function createApiKey(environment: string): string {
  const text = `hg_${letterOf(environment)}_${randomText(LETTERS)}`
  return text + checksum(text)
}

/** The CRC-32 of a text of ASCII, in digits of base 62. */
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
 * What is kept of a key: its SHA-256, in hexadecimal digits. It has enough entropy that one plain hash can not be
 * turned back.
 */
export function hashApiKey(key: string): string {
  return hash('sha256', key, 'hex')
}

/** The start and the end of a key, by which its owner knows it again. */
export function displayPrefix(key: string): string {
  return `${key.slice(0, HEAD + SHOWN)}…${key.slice(-SHOWN)}`
}

/** Whether a text has the form and the checksum of a stored key. Any other text needs no lookup. */
export function isStorable(key: string): boolean {
  return key.length === LENGTH && WHOLE.test(key) && key.endsWith(checksum(key.slice(0, -CHECKSUM)))
}

/** What is wrong with a text that was a key of a store; undefined for one that is a key, or that never was one. */
export function typoOf(key: string): string | undefined {
  if (!BEGIN.test(key) || isStorable(key)) return undefined
  if (key.length === LENGTH) return 'The key has a typo: its last characters do not fit the rest.'
  return `The key has a typo: it has ${key.length} characters, and ${LENGTH} belong to a key.`
}
