import { z } from 'zod'
import { isObject, type Json } from '../../chat/json.ts'
import { invalid } from '../../errors.ts'

/**
 * What a value of the wire must be. `names` is an enum, whose values may come as numbers; `map` is an object whose keys are the caller's own words; `any` and `object` are the
 * caller's data, which nobody touches; `later` is a shape that contains itself.
 */
export type Shape =
  | 'string'
  | 'number'
  | 'boolean'
  | 'object'
  | 'any'
  | { readonly names: readonly string[] }
  | { readonly list: Shape }
  | { readonly map: Shape }
  | { readonly fields: Readonly<Record<string, Shape>> }
  | { readonly later: () => Shape }

/** Deeper nesting is refused: no schema needs it, and it would exhaust the stack. */
const MAX_DEPTH = 100

/**
 * A value as proto3 JSON means it, in one spelling: field names camelCase, numbers as numbers, one value in place of a list
 * as a list of one, null as absent. What needs no change is handed on as it is; nothing is mutated.
 *
 * @throws HeadgateError `invalid-request` naming the field whose type is wrong.
 * @see https://protobuf.dev/programming-guides/json/
 */
export function conform(value: unknown, shape: Shape, at: string, depth = 0): unknown {
  if (typeof shape === 'string') return scalar(value, shape, at)
  if (depth > MAX_DEPTH) throw invalid(at, `${at} is nested more than ${MAX_DEPTH} levels deep. Flatten it.`)
  if ('later' in shape) return conform(value, shape.later(), at, depth)
  if ('names' in shape) return typeof value === 'number' ? (shape.names[value] ?? String(value)) : scalar(value, 'string', at)
  if ('list' in shape) return list(value, shape.list, at, depth)
  if (!isObject(value)) throw wrong(value, 'an object', at)
  return 'map' in shape ? map(value, shape.map, at, depth) : message(value, shape.fields, at, depth)
}

export function wrong(value: unknown, expected: string, at: string): Error {
  return invalid(at, `${at || 'The body'} must be ${expected}, but is ${kindOf(value)}.`)
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (value === undefined) return 'absent'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'an object'
  return typeof value === 'string' ? 'a string' : `the ${typeof value} ${String(value)}`
}

const ARTICLE = { string: 'a string', number: 'a number', boolean: 'true or false', object: 'an object' } as const

function scalar(value: unknown, type: 'string' | 'number' | 'boolean' | 'object' | 'any', at: string): unknown {
  if (type === 'any') return value
  if (type === 'object' ? isObject(value) : typeof value === type) return value
  if (type === 'number' && typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value))) return Number(value)
  throw wrong(value, ARTICLE[type], at)
}

function list(value: unknown, shape: Shape, at: string, depth: number): unknown[] {
  if (!Array.isArray(value)) {
    if (!isObject(value) && typeof value !== shape) throw wrong(value, 'a list', at)
    return [conform(value, shape, at, depth + 1)]
  }
  let out: unknown[] | undefined
  for (let index = 0; index < value.length; index++) {
    const item: unknown = value[index]
    const next = conform(item, shape, `${at}[${index}]`, depth + 1)
    if (next === item) continue
    out ??= value.slice()
    out[index] = next
  }
  return out ?? value
}

function map(value: Json, shape: Shape, at: string, depth: number): Json {
  let same = true
  const entries = Object.entries(value).map(([key, item]) => {
    const next = conform(item, shape, `${at}.${key}`, depth + 1)
    if (next !== item) same = false
    return [key, next] as const
  })
  return same ? value : Object.fromEntries(entries)
}

function message(value: Json, fields: Readonly<Record<string, Shape>>, at: string, depth: number): Json {
  const keys = Object.keys(value)
  const entries: [string, unknown][] = []
  let same = true
  for (const key of keys) {
    const item = value[key]
    if (item === null || item === undefined) {
      same = false
      continue
    }
    const name = key.includes('_') ? camelCase(key) : key
    const shape = Object.hasOwn(fields, name) ? fields[name] : undefined
    const next = shape === undefined ? item : conform(item, shape, at ? `${at}.${name}` : name, depth + 1)
    if (next !== item || name !== key) same = false
    entries.push([name, next])
  }
  return same ? value : fromFields(entries, at)
}

function fromFields(entries: [string, unknown][], at: string): Json {
  const names = new Set<string>()
  for (const [name] of entries) {
    const path = at ? `${at}.${name}` : name
    if (names.has(name)) throw invalid(path, `${path} is given in two spellings. Send it once.`)
    names.add(name)
  }
  return Object.fromEntries(entries)
}

/** `max_output_tokens` → `maxOutputTokens`; a leading underscore stays. */
function camelCase(key: string): string {
  return key.replace(/(?<=[A-Za-z0-9])_+([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

/** The shape as a zod schema, for documentation: in one spelling, unknown fields allowed. */
export function schemaOf(shape: Shape): z.ZodType {
  if (typeof shape === 'string') return SCALARS[shape]
  const known = MADE.get(shape)
  if (known) return known
  const made = composed(shape)
  MADE.set(shape, made)
  return made
}

/** One shape is one schema: a shape that contains itself must meet itself again. */
const MADE = new WeakMap<object, z.ZodType>()

function composed(shape: Exclude<Shape, string>): z.ZodType {
  if ('later' in shape) return z.lazy(() => schemaOf(shape.later()))
  if ('names' in shape) return z.string()
  if ('list' in shape) return z.array(schemaOf(shape.list))
  if ('map' in shape) return z.record(z.string(), schemaOf(shape.map))
  return z.looseObject(Object.fromEntries(Object.entries(shape.fields).map(([key, field]) => [key, schemaOf(field).optional()])))
}

const SCALARS = {
  string: z.string(),
  number: z.number(),
  boolean: z.boolean(),
  object: z.looseObject({}),
  any: z.unknown(),
} as const
