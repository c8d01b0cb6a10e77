import { isTooDeep, MAX_DEPTH } from './depth.ts'
import { hasTooManyKeys } from './different-keys.ts'

/** A JSON object whose fields are not known. */
export type Json = { [key: string]: unknown }

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value as an object, or undefined. */
export function object(value: unknown): Json | undefined {
  return isObject(value) ? value : undefined
}

/** The value as a string, or undefined. */
export function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** The value as a finite number, or undefined. */
export function number(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** The value as a list of objects; anything else in it is left out. */
export function objects(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

/** A text of fewer characters has not enough brackets to be too deep. */
const SHALLOW = 2 * MAX_DEPTH

/**
 * The JSON value of a text, or undefined if it is not JSON, is nested too deep to be read and written, or has too many
 * different keys.
 */
export function parse(source: string): unknown {
  return parseWith(JSON.parse, source)
}

/** The value of a text as `read` reads it, or undefined as for `parse`, or if `read` throws. */
export function parseWith(read: (source: string) => unknown, source: string): unknown {
  if (hasTooManyKeys(source)) return undefined
  try {
    const value = read(source)
    return source.length > SHALLOW && isTooDeep(value) ? undefined : value
  } catch {
    return undefined
  }
}

/** The fields that are not undefined. */
export function compact<T extends object>(fields: { [Key in keyof T]: T[Key] | undefined }): T {
  const out: Json = {}
  for (const key in fields) if (fields[key] !== undefined) out[key] = fields[key]
  return out as T
}

/** Sets a field, whatever its name: assignment to `__proto__` would do something else. */
export function put(target: Json | unknown[], key: string | number, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true })
  else (target as Json)[key] = value
}
