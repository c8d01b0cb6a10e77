import { type HeadgateError, invalid } from '../errors.ts'
import { isObject, type Json } from './json.ts'

/**
 * Readers of request fields. `at` is the path of the object, empty for the body. Null counts as absent, as for every
 * vendor. Invalid values throw a HeadgateError of kind `invalid-request` with the field, its type, and the expected
 * value.
 */

/** Path of a field. */
export function join(at: string, key: string): string {
  return at === '' ? key : `${at}.${key}`
}

/** Description of a value for messages. It never contains parts of a prompt. */
function found(value: unknown): string {
  if (value === undefined) return 'is missing'
  if (value === null) return 'is null'
  if (Array.isArray(value)) return 'is a list'
  return `is ${typeof value === 'object' ? 'an object' : `a ${typeof value}`}`
}

/**
 * Error for a value of the wrong type.
 * @param expected description of a valid value.
 */
export function wrong(path: string, expected: string, value: unknown): HeadgateError {
  return invalid(path === '' ? undefined : path, `${path || 'The body'} ${found(value)}. Send ${expected}.`)
}

/** Error for a string that is not an allowed value. */
export function unknownWord(path: string, value: unknown, allowed: readonly string[]): HeadgateError {
  const list = allowed.map((word) => `"${word}"`).join(', ')
  const was = typeof value === 'string' ? `is "${value.slice(0, 40)}", which is not supported` : found(value)
  return invalid(path, `${path} ${was}. Allowed: ${list}.`)
}

/** Error for two fields that exclude each other. */
export function bothGiven(at: string, first: string, second: string): HeadgateError {
  return invalid(join(at, second), `${at || 'The body'} has both ${first} and ${second}. Send one of them.`)
}

/** Value of a field. Null counts as absent. */
function given(object: Json, key: string): unknown {
  return object[key] ?? undefined
}

export function stringField(object: Json, key: string, at: string): string | undefined {
  const value = given(object, key)
  if (value === undefined || typeof value === 'string') return value
  throw wrong(join(at, key), 'a string', value)
}

export function requiredString(object: Json, key: string, at: string): string {
  const value = object[key]
  if (typeof value !== 'string') throw wrong(join(at, key), 'a string', value)
  return value
}

/** String that is not blank. */
export function requiredName(object: Json, key: string, at: string): string {
  const name = requiredString(object, key, at)
  if (name.trim() !== '') return name
  throw invalid(join(at, key), `${join(at, key)} is blank. Send a name.`)
}

export function numberField(object: Json, key: string, at: string): number | undefined {
  const value = given(object, key)
  if (value === undefined) return undefined
  if (typeof value !== 'number' || !Number.isFinite(value)) throw wrong(join(at, key), 'a number', value)
  return value
}

export function integerField(object: Json, key: string, at: string): number | undefined {
  const value = numberField(object, key, at)
  if (value === undefined || Number.isInteger(value)) return value
  throw invalid(join(at, key), `${join(at, key)} is not a whole number. Send an integer.`)
}

export function booleanField(object: Json, key: string, at: string): boolean | undefined {
  const value = given(object, key)
  if (value === undefined || typeof value === 'boolean') return value
  throw wrong(join(at, key), 'true or false', value)
}

export function objectField(object: Json, key: string, at: string): Json | undefined {
  const value = given(object, key)
  if (value === undefined || isObject(value)) return value
  throw wrong(join(at, key), 'an object', value)
}

export function requiredObject(object: Json, key: string, at: string): Json {
  const value = object[key]
  if (!isObject(value)) throw wrong(join(at, key), 'an object', value)
  return value
}

export function listField(object: Json, key: string, at: string): unknown[] | undefined {
  const value = given(object, key)
  if (value === undefined || Array.isArray(value)) return value
  throw wrong(join(at, key), 'a list', value)
}

/** List of strings. */
export function stringsField(object: Json, key: string, at: string): string[] | undefined {
  return listField(object, key, at)?.map((item, index) => {
    if (typeof item !== 'string') throw wrong(`${join(at, key)}[${index}]`, 'a string', item)
    return item
  })
}

/** String from a fixed list. */
export function wordField<const W extends string>(
  object: Json,
  key: string,
  at: string,
  allowed: readonly W[],
): W | undefined {
  const value = given(object, key)
  return value === undefined ? undefined : wordOf(value, allowed, join(at, key))
}

export function requiredWord<const W extends string>(object: Json, key: string, at: string, allowed: readonly W[]): W {
  return wordOf(object[key], allowed, join(at, key))
}

function wordOf<W extends string>(value: unknown, allowed: readonly W[], path: string): W {
  const word = allowed.find((candidate) => candidate === value)
  if (word === undefined) throw unknownWord(path, value, allowed)
  return word
}

/** Results of reading each object in a list, with its path. */
export function readObjects<T>(
  list: readonly unknown[],
  at: string,
  read: (item: Json, at: string, index: number) => T,
): T[] {
  return list.map((item, index) => {
    const path = `${at}[${index}]`
    if (!isObject(item)) throw wrong(path, 'an object', item)
    return read(item, path, index)
  })
}

/** Model in a body, else in the request line. */
export function modelField(body: Json, line: { model?: string }): string {
  const model = stringField(body, 'model', '') ?? line.model
  if (!model) throw wrong('model', 'the name of a model', body['model'] === '' ? undefined : body['model'])
  return model
}
