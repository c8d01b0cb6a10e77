import { isObject, type Json, put } from '../../canonical/json.ts'
import { checkDepth, resolve } from '../../canonical/json-schema.ts'
import { invalid } from '../../errors.ts'

/** Written schema with its unsupported keywords. */
export interface WrittenSchema {
  schema: Json
  lost: readonly string[]
}

/** Maximum schemas after following references, and maximum keywords and properties in them. */
const MAX_SIZE = 10_000
const MAX_KEYS = 200_000

/** Keywords without effect on validation. They are dropped without a loss. */
export const SILENT: ReadonlySet<string> = new Set(['$schema', '$comment', '$id', '$anchor', '$vocabulary'])

/** Walk over a schema. */
export interface Walk {
  readonly at: string
  readonly root: Json
  readonly lost: Set<string>
  size: number
  /** Keywords and properties of all schemas so far, once per visit. */
  keys: number
}

export function walk(root: Json, at: string): Walk {
  return { at, root, lost: new Set(), size: 0, keys: 0 }
}

/**
 * Counts a step into a schema.
 * @throws HeadgateError if it is nested too deep or too large.
 */
export function step(state: Walk, schema: Json, depth: number): void {
  state.size += 1
  checkDepth(depth, state.at)
  countKeys(state, schema)
}

function countKeys(state: Walk, object: Json): void {
  state.keys += Object.keys(object).length
  if (state.size > MAX_SIZE || state.keys > MAX_KEYS)
    throw invalid(
      state.at,
      `The schema at ${state.at} has more than ${MAX_SIZE} parts after following its references. Simplify it.`,
    )
}

/**
 * Writes an exclusive bound as an inclusive one, since the vendor supports no others. For integers they are equivalent.
 */
export function writeBound(key: 'exclusiveMinimum' | 'exclusiveMaximum', value: unknown, out: Json, state: Walk): void {
  if (typeof value !== 'number') return
  const bound = key === 'exclusiveMinimum' ? 'minimum' : 'maximum'
  if (out[bound] === undefined) out[bound] = value
  state.lost.add(key)
}

/** Schema that combines several schemas, as far as possible. */
export function merged(schema: Json, all: readonly unknown[], state: Walk, depth: number): Json {
  step(state, schema, depth)
  const { allOf: _, ...out } = schema
  const own: Joined = {}
  for (const item of all) {
    if (!isObject(item)) continue
    const target = resolve(item['$ref'], state.root) ?? item
    const part = Array.isArray(target['allOf']) ? merged(target, target['allOf'], state, depth + 1) : target
    countKeys(state, part)
    if (isObject(part['properties'])) countKeys(state, part['properties'])
    for (const [key, value] of Object.entries(part)) join(out, key, value, own)
  }
  if (own.required) out['required'] = [...own.required]
  return out
}

/** Combined members that belong to this module and can be changed. */
interface Joined {
  properties?: Json
  required?: Set<unknown>
}

function join(out: Json, key: string, value: unknown, own: Joined): void {
  const before = out[key]
  if (key === 'properties' && isObject(before) && isObject(value)) {
    own.properties ??= { ...before }
    for (const name in value) put(own.properties, name, value[name])
    out[key] = own.properties
  } else if (key === 'required' && Array.isArray(before) && Array.isArray(value)) {
    own.required ??= new Set<unknown>(before)
    for (const name of value) own.required.add(name)
  } else out[key] = before ?? value
}
