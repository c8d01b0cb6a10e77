import { isObject, type Json } from '../../chat/json.ts'
import { invalid } from '../../errors.ts'

/** What a value is, in words that hold none of its content. */
export function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object') return 'an object'
  return `a ${typeof value}`
}

export function wrong(path: string, expected: string, found: unknown) {
  return invalid(path, `${path} must be ${expected}, but ${kindOf(found)} was found.`)
}

export function objectAt(value: unknown, path: string): Json {
  if (!isObject(value)) throw wrong(path, 'an object', value)
  return value
}

export function listAt(value: unknown, path: string): unknown[] {
  if (!Array.isArray(value)) throw wrong(path, 'an array', value)
  return value
}

export function stringAt(value: unknown, path: string): string {
  if (typeof value !== 'string') throw wrong(path, 'a string', value)
  return value
}

export function numberAt(value: unknown, path: string): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw wrong(path, 'a number', value)
  return value
}

export function integerAt(value: unknown, path: string): number {
  if (typeof value !== 'number' || !Number.isInteger(value)) throw wrong(path, 'a whole number', value)
  return value
}

export function booleanAt(value: unknown, path: string): boolean {
  if (typeof value !== 'boolean') throw wrong(path, 'true or false', value)
  return value
}

/** One of a few words; others are named in the error. */
export function wordAt<Word extends string>(value: unknown, words: readonly Word[], path: string): Word {
  const found = words.find((word) => word === value)
  if (found !== undefined) return found
  const shown = typeof value === 'string' ? JSON.stringify(value.slice(0, 64)) : kindOf(value)
  throw invalid(path, `${path} must be one of ${words.join(', ')}, but ${shown} was found.`)
}

/** The value where there is one; null counts as absent. */
export function maybe<Value>(value: unknown, path: string, read: (value: unknown, path: string) => Value): Value | undefined {
  return value === undefined || value === null ? undefined : read(value, path)
}

/** The fields that a reader has no other place for, or undefined when there are none. Null says nothing. */
export function rest(object: Json, known: ReadonlySet<string>): Json | undefined {
  let left: Json | undefined
  for (const key in object) {
    if (known.has(key) || object[key] === undefined || object[key] === null) continue
    left ??= {}
    left[key] = object[key]
  }
  return left
}
