import { isObject, type Json } from '../../chat/json.ts'
import { type HeadgateError, invalid } from '../../errors.ts'

/** The path of a field; `at` is empty at the top. */
export function join(at: string, key: string): string {
  return at === '' ? key : `${at}.${key}`
}

/** A value in words: short, and without what a prompt may hold. */
function found(value: unknown): string {
  if (value === undefined) return 'is missing'
  if (value === null) return 'is null'
  if (Array.isArray(value)) return 'is a list'
  return `is ${typeof value === 'object' ? 'an object' : `a ${typeof value}`}`
}

export function wrong(path: string, expected: string, value: unknown): HeadgateError {
  return invalid(path, `${path} ${found(value)}. Send ${expected}.`)
}

/** The error for a word that is not one of those allowed. */
export function unknownWord(path: string, value: unknown, allowed: readonly string[]): HeadgateError {
  const list = allowed.map((word) => `"${word}"`).join(', ')
  const was = typeof value === 'string' ? `is "${value.slice(0, 40)}", which is not known` : found(value)
  return invalid(path, `${path} ${was}. Allowed: ${list}.`)
}

/** The readers of fields below take null as absent, as the vendor does. */
export function stringField(object: Json, key: string, at: string): string | undefined {
  const value = object[key]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') throw wrong(join(at, key), 'a string', value)
  return value
}

export function requiredString(object: Json, key: string, at: string): string {
  const value = object[key]
  if (typeof value !== 'string') throw wrong(join(at, key), 'a string', value)
  return value
}

export function numberField(object: Json, key: string, at: string): number | undefined {
  const value = object[key]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'number' || !Number.isFinite(value)) throw wrong(join(at, key), 'a number', value)
  return value
}

export function integerField(object: Json, key: string, at: string): number | undefined {
  const value = numberField(object, key, at)
  if (value !== undefined && !Number.isInteger(value))
    throw invalid(join(at, key), `${join(at, key)} is not a whole number. Send an integer.`)
  return value
}

export function booleanField(object: Json, key: string, at: string): boolean | undefined {
  const value = object[key]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'boolean') throw wrong(join(at, key), 'true or false', value)
  return value
}

export function objectField(object: Json, key: string, at: string): Json | undefined {
  const value = object[key]
  if (value === undefined || value === null) return undefined
  if (!isObject(value)) throw wrong(join(at, key), 'an object', value)
  return value
}

export function requiredObject(object: Json, key: string, at: string): Json {
  const value = objectField(object, key, at)
  if (!value) throw wrong(join(at, key), 'an object', undefined)
  return value
}

export function listField(object: Json, key: string, at: string): unknown[] | undefined {
  const value = object[key]
  if (value === undefined || value === null) return undefined
  if (!Array.isArray(value)) throw wrong(join(at, key), 'a list', value)
  return value
}

export function wordField<const W extends string>(object: Json, key: string, at: string, allowed: readonly W[]): W | undefined {
  const value = object[key]
  if (value === undefined || value === null) return undefined
  const word = allowed.find((candidate) => candidate === value)
  if (word === undefined) throw unknownWord(join(at, key), value, allowed)
  return word
}

/** The items of a list as objects under their paths. */
export function readObjects<T>(list: readonly unknown[], at: string, read: (item: Json, at: string, index: number) => T): T[] {
  return list.map((item, index) => {
    const path = `${at}[${index}]`
    if (!isObject(item)) throw wrong(path, 'an object', item)
    return read(item, path, index)
  })
}
