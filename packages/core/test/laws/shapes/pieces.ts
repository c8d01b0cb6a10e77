import type { Json } from '../../../src/canonical/json.ts'

/** Bodies of one shape, of any size. */
export type Shape = (size: number) => Json

export const list = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: Math.max(1, Math.floor(count)) }, (_, i) => make(i))
export const keys = (count: number, value: unknown = 1, name = (index: number): string => `k${index}`): Json =>
  Object.fromEntries(
    list(count, (i) => [name(i), typeof value === 'function' ? (value as (index: number) => unknown)(i) : value]),
  )
export const dotted = (index: number): string => `a.b${index}`
export const snake = (index: number): string => `a_b_${index}`

export const PNG = 'iVBORw0KGgoAAAANSUhEUgAA'
export const PDF = 'JVBERi0xLjQK'
export const sealed = (value: string): string => `hg1.claude.${Buffer.from(value).toString('base64url')}`
export const THOUGHTS = sealed(`thoughts:${JSON.stringify([['a', 'b']])}`)
export const text = { type: 'text', text: 'x' }
export const object = (properties: Json, more: Json = {}): Json => ({ type: 'object', properties, ...more })

/** Texts that are read or written character by character somewhere. */
export const TEXTS: Readonly<Record<string, (size: number) => string>> = {
  'plain text': (n) => 'a'.repeat(20 * n),
  quotes: (n) => '"'.repeat(10 * n),
  backslashes: (n) => '\\'.repeat(10 * n),
  'control characters': (n) => '\u0001'.repeat(4 * n),
  'line ends and blanks': (n) => '\n '.repeat(8 * n),
  'characters of several bytes': (n) => 'é😀'.repeat(4 * n),
  'halves of characters': (n) => '\ud83d'.repeat(4 * n),
  'long numbers': (n) => '12345678901234567890 '.repeat(n),
  'beginnings of tokens': (n) => 'eyJaaaaaaaa-'.repeat(2 * n),
}

export const chat = (messages: readonly Json[], more: Json = {}): Json => ({ model: 'm', messages, ...more })
export const user = (content: unknown = 'x', more: Json = {}): Json => ({ role: 'user', content, ...more })
export const asks = (content: unknown, more: Json = {}): Json => chat([user(content)], more)
