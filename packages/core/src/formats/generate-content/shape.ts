import { z } from 'zod'
import { wrong } from '../../canonical/fields.ts'
import { isObject, type Json, put } from '../../canonical/json.ts'
import { invalid } from '../../errors.ts'

/**
 * What a value of the wire must be. `names` is an enum, whose values may come as numbers; `map` is an object whose keys
 * are the caller's own words; `any` and `object` are the caller's data, which nobody touches; `later` is a shape that
 * contains itself.
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
 * A value as proto3 JSON means it, in one spelling: field names camelCase, numbers as numbers, one value in place of a
 * list as a list of one, null as absent. What needs no change is handed on as it is; nothing is mutated.
 *
 * @throws HeadgateError `invalid-request` naming the field whose type is wrong.
 * @see https://protobuf.dev/programming-guides/json/
 */
export function conform(value: unknown, shape: Shape, at: string, depth = 0): unknown {
  if (typeof shape === 'string') return scalar(value, shape, at)
  if (depth > MAX_DEPTH) throw invalid(at, `${at} is nested more than ${MAX_DEPTH} levels deep. Flatten it.`)
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

function list(value: unknown, shape: Shape, at: string, depth: number): unknown[] {
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

function map(value: Json, shape: Shape, at: string, depth: number): Json {
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

function message(value: Json, fields: Readonly<Record<string, Shape>>, at: string, depth: number): Json {
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
    if (Object.hasOwn(out, name)) throw invalid(path, `${path} is given in two spellings. Send it once.`)
    put(out, name, next)
  }
  return out ?? value
}

function field(
  value: unknown,
  fields: Readonly<Record<string, Shape>>,
  name: string,
  path: string,
  depth: number,
): unknown {
  const shape = Object.hasOwn(fields, name) ? fields[name] : undefined
  return shape === undefined ? value : conform(value, shape, path, depth + 1)
}

/** The fields before one that changes. */
function firstFields(value: Json, keys: readonly string[], end: number): Json {
  const out: Json = {}
  for (const key of keys.slice(0, end)) put(out, key, value[key])
  return out
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
