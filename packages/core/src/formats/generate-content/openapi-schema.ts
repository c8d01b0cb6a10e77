import { isObject, type Json } from '../../canonical/json.ts'
import { resolve } from '../../canonical/json-schema.ts'
import { invalid } from '../../errors.ts'
import { merged, SILENT, step, type Walk, type WrittenSchema, walk, writeBound } from './schema.ts'

const COPIED: ReadonlySet<string> = new Set([
  ...['title', 'description', 'default', 'pattern', 'minimum', 'maximum', 'minItems', 'maxItems'],
  ...['minLength', 'maxLength', 'minProperties', 'maxProperties', 'nullable'],
])

/** Keywords with specific handling. */
const HANDLED: ReadonlySet<string> = new Set([
  ...[
    'type',
    'enum',
    'const',
    'format',
    'items',
    'properties',
    'required',
    'anyOf',
    'oneOf',
    'allOf',
    '$ref',
    '$defs',
    'definitions',
  ],
  ...['propertyOrdering', 'exclusiveMinimum', 'exclusiveMaximum', 'examples'],
])

/** String formats of the Gemini API, which rejects others. */
const STRING_FORMATS: ReadonlySet<unknown> = new Set(['enum', 'date-time'])

/**
 * JSON Schema converted to the OpenAPI subset: inlined references, alternatives as `anyOf`, null as `nullable`.
 * @throws HeadgateError of kind `invalid-request` for a recursive schema, which the subset does not support.
 */
export function writeOpenApiSchema(schema: Json, at: string): WrittenSchema {
  const state = walk(schema, at)
  return { schema: subset(schema, state, [], 0), lost: [...state.lost] }
}

function subset(schema: Json, state: Walk, open: readonly string[], depth: number): Json {
  step(state, schema, depth)
  if (typeof schema['$ref'] === 'string') return inlined(schema, schema['$ref'], state, open, depth)
  const source = Array.isArray(schema['allOf']) ? merged(schema, schema['allOf'], state, depth) : schema
  const out: Json = {}
  for (const [key, value] of Object.entries(source)) {
    if (COPIED.has(key)) out[key] = value
    else if (key === 'exclusiveMinimum' || key === 'exclusiveMaximum') writeBound(key, value, out, state)
    else if (!HANDLED.has(key) && !SILENT.has(key)) state.lost.add(key)
  }
  if (Array.isArray(source['examples'])) out['example'] = source['examples'][0]
  writeType(source, out, state, open, depth)
  writeEnum(source, out, state)
  writeFormat(source, out, state)
  return out
}

function inlined(schema: Json, reference: string, state: Walk, open: readonly string[], depth: number): Json {
  if (open.includes(reference)) {
    throw invalid(
      state.at,
      `The schema at ${state.at} contains itself (${reference}). This model does not support recursive schemas. Unroll the schema, or use a newer model.`,
    )
  }
  const target = resolve(reference, state.root)
  if (!target)
    throw invalid(
      state.at,
      `The schema at ${state.at} refers to ${reference}, which it does not define. Define it under $defs.`,
    )
  const { $ref: _, ...siblings } = schema
  return subset({ ...target, ...siblings }, state, [...open, reference], depth + 1)
}

/** Writes types with their content: properties, items, alternatives. */
function writeType(source: Json, out: Json, state: Walk, open: readonly string[], depth: number): void {
  const types = typesOf(source)
  const kinds = types.filter((type) => type !== 'null')
  if (types.length > kinds.length && kinds.length > 0) out['nullable'] = true
  const alternatives = alternativesOf(source)
  if (Array.isArray(source['anyOf']) && source['oneOf'] !== undefined) state.lost.add('oneOf')
  if (kinds.length > 1) {
    const { type: _, enum: __, ...rest } = source
    out['anyOf'] = kinds.map((type) => subset({ ...structureOf(rest, type), type }, state, open, depth + 1))
    return
  }
  const [type] = kinds.length > 0 ? kinds : types
  if (type !== undefined) out['type'] = type.toUpperCase()
  if (type === 'object' || isObject(source['properties'])) writeProperties(source, out, state, open, depth)
  if (type === 'array' || source['items'] !== undefined) out['items'] = itemsOf(source['items'], state, open, depth)
  if (alternatives) writeAlternatives(alternatives, out, state, open, depth)
}

function typesOf(source: Json): string[] {
  const { type } = source
  const types = Array.isArray(type) ? type : [type]
  const named = types.filter((item): item is string => typeof item === 'string')
  if (named.length > 0) return named
  if (isObject(source['properties'])) return ['object']
  if (source['items'] !== undefined) return ['array']
  if (source['const'] !== undefined) return [typeof source['const']]
  return Array.isArray(source['enum']) ? ['string'] : []
}

/** Keywords for one of several types. Only objects have properties, and only arrays have items. */
function structureOf(rest: Json, type: string): Json {
  const { properties, required, items, ...others } = rest
  if (type === 'object')
    return { ...others, ...(properties !== undefined && { properties }), ...(required !== undefined && { required }) }
  return type === 'array' && items !== undefined ? { ...others, items } : others
}

function alternativesOf(source: Json): Json[] | undefined {
  const list = Array.isArray(source['anyOf']) ? source['anyOf'] : source['oneOf']
  return Array.isArray(list) ? list.filter(isObject) : undefined
}

/** Writes alternatives. Null becomes `nullable`, and a single alternative is inlined. */
function writeAlternatives(
  list: readonly Json[],
  out: Json,
  state: Walk,
  open: readonly string[],
  depth: number,
): void {
  const others = list.filter((item) => item['type'] !== 'null')
  if (others.length === 0) {
    out['type'] = 'NULL'
    return
  }
  if (others.length < list.length) out['nullable'] = true
  const schemas = others.map((item) => subset(item, state, open, depth + 1))
  const [only] = schemas
  if (schemas.length === 1 && only) Object.assign(out, { ...only, ...out })
  else out['anyOf'] = schemas
}

function writeProperties(source: Json, out: Json, state: Walk, open: readonly string[], depth: number): void {
  const properties = isObject(source['properties']) ? source['properties'] : {}
  const names = Object.keys(properties)
  if (names.length === 0) return
  out['properties'] = Object.fromEntries(names.map((name) => [name, innerSubset(properties[name], state, open, depth)]))
  const required = Array.isArray(source['required'])
    ? source['required'].filter((name: unknown) => typeof name === 'string' && Object.hasOwn(properties, name))
    : []
  if (required.length > 0) out['required'] = required
  if (names.length > 1) out['propertyOrdering'] = names
}

function innerSubset(value: unknown, state: Walk, open: readonly string[], depth: number): Json {
  return isObject(value) ? subset(value, state, open, depth + 1) : {}
}

/** Schema of an array's items, which is required. */
function itemsOf(items: unknown, state: Walk, open: readonly string[], depth: number): Json {
  if (Array.isArray(items)) return { anyOf: items.map((item) => innerSubset(item, state, open, depth)) }
  return isObject(items) ? subset(items, state, open, depth + 1) : { type: 'STRING' }
}

/** Writes an enum. Members must be strings. */
function writeEnum(source: Json, out: Json, state: Walk): void {
  const members: unknown[] | undefined = Array.isArray(source['enum'])
    ? source['enum']
    : source['const'] === undefined
      ? undefined
      : [source['const']]
  if (!members) return
  if (members.includes(null)) out['nullable'] = true
  const values = members.filter((member) => member !== null)
  if (values.length === 0) return
  if (values.every((value) => typeof value === 'string')) {
    out['enum'] = values
    return
  }
  state.lost.add(source['enum'] ? 'enum' : 'const')
}

function writeFormat(source: Json, out: Json, state: Walk): void {
  const { format } = source
  if (format === undefined) return
  if (out['type'] === 'STRING' && !STRING_FORMATS.has(format)) state.lost.add('format')
  else out['format'] = format
}
