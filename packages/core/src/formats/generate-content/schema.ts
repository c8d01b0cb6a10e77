import { isObject, type Json, put } from '../../canonical/json.ts'
import { checkDepth, resolve } from '../../canonical/json-schema.ts'
import { invalid } from '../../errors.ts'

/** A schema as it is sent, and the keywords that had no place there. */
export interface WrittenSchema {
  schema: Json
  lost: readonly string[]
}

/** Most schemas that one may consist of once its references are followed, and most keywords and properties of these. */
const MAX_SIZE = 10_000
const MAX_KEYS = 200_000

/** Keywords that say nothing about what is valid: they go without notice. */
export const SILENT: ReadonlySet<string> = new Set(['$schema', '$comment', '$id', '$anchor', '$vocabulary'])

/** One walk over a schema. */
export interface Walk {
  readonly at: string
  readonly root: Json
  readonly lost: Set<string>
  size: number
  /** Keywords and properties of all schemas so far, each as often as it was read. */
  keys: number
}

export function walk(root: Json, at: string): Walk {
  return { at, root, lost: new Set(), size: 0, keys: 0 }
}

/** Counts a step into a schema. @throws HeadgateError when it goes too deep or too far. */
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
      `The schema at ${state.at} has more than ${MAX_SIZE} parts once its references are followed. Simplify it.`,
    )
}

/** The vendor knows inclusive bounds only; for integers the same can be said. */
export function writeBound(key: 'exclusiveMinimum' | 'exclusiveMaximum', value: unknown, out: Json, state: Walk): void {
  if (typeof value !== 'number') return
  const bound = key === 'exclusiveMinimum' ? 'minimum' : 'maximum'
  if (out[bound] === undefined) out[bound] = value
  state.lost.add(key)
}

/** What all of the schemas together ask for, as far as one schema can say it. */
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

/** What several schemas ask for together, made here and so to be added to. */
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
