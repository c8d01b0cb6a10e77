import { isObject, type Json } from '../../chat/json.ts'
import { checkDepth, resolve } from '../../chat/json-schema.ts'
import { invalid } from '../../errors.ts'

/** A schema as it is sent, and the keywords that had no place there. */
export interface WrittenSchema {
  schema: Json
  lost: readonly string[]
}

/** Most schemas that one may consist of once its references are followed. */
const MAX_SIZE = 10_000

/** Keywords that say nothing about what is valid: they go without notice. */
export const SILENT: ReadonlySet<string> = new Set(['$schema', '$comment', '$id', '$anchor', '$vocabulary'])

/** One walk over a schema. */
export interface Walk {
  readonly at: string
  readonly root: Json
  readonly lost: Set<string>
  size: number
}

export function walk(root: Json, at: string): Walk {
  return { at, root, lost: new Set(), size: 0 }
}

/** Counts a step into the schema. @throws HeadgateError when it goes too deep or too far. */
export function step(state: Walk, depth: number): void {
  state.size += 1
  checkDepth(depth, state.at)
  if (state.size > MAX_SIZE)
    throw invalid(state.at, `The schema at ${state.at} has more than ${MAX_SIZE} parts once its references are followed. Simplify it.`)
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
  step(state, depth)
  const { allOf: _, ...out } = schema
  for (const item of all) {
    if (!isObject(item)) continue
    const target = resolve(item['$ref'], state.root) ?? item
    const part = Array.isArray(target['allOf']) ? merged(target, target['allOf'], state, depth + 1) : target
    for (const [key, value] of Object.entries(part)) out[key] = mergedValue(key, out[key], value)
  }
  return out
}

function mergedValue(key: string, before: unknown, value: unknown): unknown {
  if (key === 'properties' && isObject(before) && isObject(value)) return { ...before, ...value }
  if (key === 'required' && Array.isArray(before) && Array.isArray(value)) return [...new Set<unknown>([...before, ...value])]
  return before ?? value
}
