import { isTooDeep, MAX_DEPTH } from './depth.ts'
import { hasTooManyKeys } from './different-keys.ts'

/** JSON object with unknown fields. */
export type Json = { [key: string]: unknown }

/**
 * True for a JSON object, but not for a list or null.
 * @example if (isObject(body)) read(body['data'])
 */
export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * The value if it is an object, else undefined.
 * @example object([1]) // undefined
 */
export function object(value: unknown): Json | undefined {
  return isObject(value) ? value : undefined
}

/**
 * The value if it is a string, else undefined.
 * @example text(7) // undefined
 */
export function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/**
 * The value if it is a finite number, else undefined.
 * @example number('7') // undefined
 */
export function number(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/**
 * Objects in a list. Empty if the value is not a list.
 * @example objects([{ id: 1 }, null]) // [{ id: 1 }]
 */
export function objects(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

/** Maximum length of JSON text that needs no depth check. */
const SHALLOW = 2 * MAX_DEPTH

/**
 * Parsed JSON text. Undefined if it is not JSON, is nested too deep, or has too many different keys.
 * @example parse('{"a":1}') // { a: 1 }
 */
export function parse(source: string): unknown {
  return parseWith(JSON.parse, source)
}

/** Parsed text with another parser, under the same limits as `parse`. Undefined if `read` throws. */
export function parseWith(read: (source: string) => unknown, source: string): unknown {
  if (hasTooManyKeys(source)) return undefined
  try {
    const value = read(source)
    return source.length > SHALLOW && isTooDeep(value) ? undefined : value
  } catch {
    return undefined
  }
}

/**
 * Copy of an object without undefined fields.
 * @example compact({ model: 'm', seed: undefined }) // { model: 'm' }
 */
export function compact<T extends object>(fields: { [Key in keyof T]: T[Key] | undefined }): T {
  const out: Json = {}
  for (const key in fields) if (fields[key] !== undefined) out[key] = fields[key]
  return out as T
}

/** Sets a field of any name. Assigning to `__proto__` would change the prototype. */
export function put(target: Json | unknown[], key: string | number, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true })
  else (target as Json)[key] = value
}
