import { hash, randomInt } from 'node:crypto'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const PREFIX = 'sk-hg-'
/** 40 of 62 letters are 238 bits. */
const LETTERS = 40

/** A fresh API key: `sk-hg-` and 40 random letters and digits, so that a double click selects it and a scanner finds it. */
export function createApiKey(): string {
  return PREFIX + randomText(LETTERS)
}

export function randomText(length: number): string {
  return Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
}

/** What is kept of a key: its SHA-256, in hexadecimal digits. It has enough entropy that one plain hash can not be turned back. */
export function hashApiKey(key: string): string {
  return hash('sha256', key, 'hex')
}

/** The start of a key, by which its owner knows it again. */
export function displayPrefix(key: string): string {
  return `${key.slice(0, PREFIX.length + 4)}…`
}

/** Whether a store can hold this key; any other is unknown without a look. */
export function isStorable(key: string): boolean {
  return key.length === PREFIX.length + LETTERS && key.startsWith(PREFIX)
}
