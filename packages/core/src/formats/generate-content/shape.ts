import { z } from 'zod'
import { wrong } from '../../canonical/fields.ts'
import { isObject, type Json, put } from '../../canonical/json.ts'
import { invalid } from '../../errors.ts'

/**
 * Shape of a wire value. `names` is an enum, whose values can be numbers; `map` is an object with keys of the caller;
 * `any` and `object` are the caller's data, which stay unchanged; `later` is a recursive shape.
 */
export type WireShape =
  | 'string'
  | 'number'
  | 'boolean'
  | 'object'
  | 'any'
  | { readonly names: readonly string[] }
  | { readonly list: WireShape }
  | { readonly map: WireShape }
  | { readonly fields: Readonly<Record<string, WireShape>> }
  | { readonly later: () => WireShape }

/** Maximum nesting, which protects the stack. No schema requires more. */
const MAX_DEPTH = 100

/**
 * Value in proto3 JSON with a single spelling: camelCase field names, numbers as numbers, lists instead of single
 * values, and no nulls. Values without changes are returned as is, and nothing is mutated.
 * @throws HeadgateError of kind `invalid-request` with the invalid field.
 * @see https://protobuf.dev/programming-guides/json/
 */
export function conform(value: unknown, shape: WireShape, at: string, depth = 0): unknown {
  if (typeof shape === 'string') return scalar(value, shape, at)
  if (depth > MAX_DEPTH) throw invalid(at, `${at} is nested more than ${MAX_DEPTH} levels deep. Reduce its nesting.`)
  if ('later' in shape) return conform(value, shape.later(), at, depth)
  if ('names' in shape)
    return typeof value === 'number' ? (shape.names[value] ?? String(value)) : scalar(value, 'string', at)
  if ('list' in shape) return list(value, shape.list, at, depth)
  if (!isObject(value)) throw wrong(at, 'an object', value)
  return 'map' in shape ? map(value, shape.map, at, depth) : message(value, shape.fields, at, depth)
}

const ARTICLE = { string: 'a string', number: 'a number', boolean: 'true or false', object: 'an object' } as const

function scalar(value: unknown, type: 'string' | 'number' | 'boolean' | 'object' | 'any', at: string): unknown {
  if (type === 'any') return value
  if (type === 'object' ? isObject(value) : typeof value === type) return value
  if (type === 'number' && typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value)))
    return Number(value)
  throw wrong(at, ARTICLE[type], value)
}

function list(value: unknown, shape: WireShape, at: string, depth: number): unknown[] {
  if (!Array.isArray(value)) {
    if (!isObject(value) && typeof value !== shape) throw wrong(at, 'a list', value)
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

function map(value: Json, shape: WireShape, at: string, depth: number): Json {
  let out: Json | undefined
  for (const key in value) {
    const item = value[key]
    const next = conform(item, shape, `${at}.${key}`, depth + 1)
    if (next === item) continue
    out ??= { ...value }
    put(out, key, next)
  }
  return out ?? value
}

function message(value: Json, fields: Readonly<Record<string, WireShape>>, at: string, depth: number): Json {
  const keys = Object.keys(value)
  let out: Json | undefined
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] ?? ''
    const item = value[key]
    const name = key.includes('_') ? camelCase(key) : key
    const path = at === '' ? name : `${at}.${name}`
    const next = item === null || item === undefined ? undefined : field(item, fields, name, path, depth)
    if (!out) {
      if (next === item && name === key) continue
      out = firstFields(value, keys, index)
    }
    if (next === undefined) continue
    if (Object.hasOwn(out, name)) throw invalid(path, `${path} occurs in two spellings. Send it once.`)
    put(out, name, next)
  }
  return out ?? value
}

function field(
  value: unknown,
  fields: Readonly<Record<string, WireShape>>,
  name: string,
  path: string,
  depth: number,
): unknown {
  const shape = Object.hasOwn(fields, name) ? fields[name] : undefined
  return shape === undefined ? value : conform(value, shape, path, depth + 1)
}

/** Fields before the first change. */
function firstFields(value: Json, keys: readonly string[], end: number): Json {
  const out: Json = {}
  for (const key of keys.slice(0, end)) put(out, key, value[key])
  return out
}

/** Converts `max_output_tokens` to `maxOutputTokens`. A leading underscore stays. */
function camelCase(key: string): string {
  return key.replace(/(?<=[A-Za-z0-9])_+([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

/** Zod schema of a shape for documentation, with one spelling and unknown fields allowed. */
export function schemaOf(shape: WireShape): z.ZodType {
  if (typeof shape === 'string') return SCALARS[shape]
  const known = MADE.get(shape)
  if (known) return known
  const made = composed(shape)
  MADE.set(shape, made)
  return made
}

/** Schemas by shape. A recursive shape requires a single schema. */
const MADE = new WeakMap<object, z.ZodType>()

function composed(shape: Exclude<WireShape, string>): z.ZodType {
  if ('later' in shape) return z.lazy(() => schemaOf(shape.later()))
  if ('names' in shape) return z.string()
  if ('list' in shape) return z.array(schemaOf(shape.list))
  if ('map' in shape) return z.record(z.string(), schemaOf(shape.map))
  return z.looseObject(
    Object.fromEntries(Object.entries(shape.fields).map(([key, field]) => [key, schemaOf(field).optional()])),
  )
}

const SCALARS = {
  string: z.string(),
  number: z.number(),
  boolean: z.boolean(),
  object: z.looseObject({}),
  any: z.unknown(),
} as const
