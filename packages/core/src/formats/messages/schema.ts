import { jsonText } from '../../chat/arguments.ts'
import { isObject, type Json } from '../../chat/json.ts'
import { checkDepth, isObjectSchema, optionalCount, requiredOf, resolve, subschemas } from '../../chat/json-schema.ts'
import { invalid } from '../../errors.ts'

/** The vendor's limit of optional properties within one schema. */
const MOST_OPTIONAL = 24

const FORMATS = new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid'])

/** Keywords that the vendor's decoder does not enforce; the model reads them in the description instead. */
const CONSTRAINTS = new Set([
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'not',
])

/** Keywords that say nothing about what fits, or that are written anew. */
const SILENT = new Set(['$comment', 'examples', 'deprecated', 'readOnly', 'writeOnly', 'propertyOrdering'])

/** What becomes of a keyword that is kept: its value as it is, each schema in its map, or each schema in its list. */
const KEPT: Readonly<Record<string, 'plain' | 'map' | 'list'>> = {
  $schema: 'plain',
  $id: 'plain',
  title: 'plain',
  description: 'plain',
  default: 'plain',
  const: 'plain',
  enum: 'plain',
  type: 'plain',
  required: 'plain',
  properties: 'map',
  $defs: 'map',
  definitions: 'map',
  anyOf: 'list',
  oneOf: 'list',
  allOf: 'list',
  items: 'list',
}

/** A schema that the vendor enforces, and whether it says less than the caller's. */
export interface Enforceable {
  readonly schema: Json
  readonly relaxed: boolean
}

/**
 * The schema as structured outputs and strict tools take it: closed objects, `anyOf` for `oneOf`, few formats, bounds as words in
 * the description. The order of keys stays; the caller's schema is not touched.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/structured-outputs
 */
export function enforceable(schema: Json, at: string | undefined): Enforceable {
  const state: Closing = { at, relaxed: false }
  return { schema: close(schema, state, 0), relaxed: state.relaxed }
}

interface Closing {
  /** Where the caller put the schema. */
  readonly at: string | undefined
  relaxed: boolean
}

function close(schema: Json, state: Closing, depth: number): Json {
  checkDepth(depth, state.at)
  const sub = (value: unknown): unknown => (isObject(value) ? close(value, state, depth + 1) : value)
  const out: Json = {}
  const reference = typeof schema['$ref'] === 'string'
  const closed = isObjectSchema(schema)
  for (const [key, value] of Object.entries(schema)) {
    const kind = Object.hasOwn(KEPT, key) ? KEPT[key] : undefined
    // Nothing but definitions may stand beside a reference.
    if (key === '$ref') out[key] = value
    else if (value === null || value === undefined || (reference && kind !== 'map')) continue
    else if (key === 'additionalProperties') out[key] = closed ? false : sub(value)
    else if (kind === 'plain' || (key === 'format' && typeof value === 'string' && FORMATS.has(value))) out[key] = value
    else if (kind === 'map')
      out[key] = isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, sub(one)])) : value
    else if (kind === 'list') out[key === 'oneOf' ? 'anyOf' : key] = Array.isArray(value) ? value.map(sub) : sub(value)
    else if (key !== 'format' && !SILENT.has(key) && !CONSTRAINTS.has(key)) state.relaxed = true
  }
  if (reference) return out
  if (closed) out['additionalProperties'] ??= false
  const words = constraintsOf(schema, state.at)
  if (words.length === 0) return out
  state.relaxed = true
  const description = typeof schema['description'] === 'string' ? `${schema['description']}\n` : ''
  return { ...out, description: `${description}${words.join('; ')}.` }
}

function constraintsOf(schema: Json, at: string | undefined): string[] {
  const words = [...CONSTRAINTS].flatMap((key) => {
    const value = schema[key]
    if (value === undefined || value === null || value === false) return []
    return `${key}: ${typeof value === 'string' ? value : jsonText(value, at ?? key)}`
  })
  const format = schema['format']
  return typeof format === 'string' && !FORMATS.has(format) ? [...words, `format: ${format}`] : words
}

/** The schemas that stand directly within a schema; definitions are reached through their references only. */
function within(schema: Json): Json[] {
  const { $defs: _, definitions: __, ...plain } = schema
  return subschemas(plain)
}

/** Deeper schemas are sent as they are, and the vendor is not asked to enforce them. */
const DEEPEST = 200

/**
 * Whether the vendor can enforce the schema without refusing it (references that lead back to themselves, too many optional
 * properties) or losing data (objects with free keys, which it closes).
 */
export function isEnforceable(schema: Json): boolean {
  const open = new Set<Json>()
  const known = new Map<Json, number>()
  // Optional properties of the node, or undefined when it can not be enforced.
  const count = (node: Json): number | undefined => {
    const before = known.get(node)
    if (before !== undefined) return before
    if (open.has(node) || open.size > DEEPEST || hasFreeKeys(node)) return undefined
    open.add(node)
    const target = resolve(node['$ref'], schema)
    let total = optionalCount(node)
    for (const child of target ? [target, ...within(node)] : within(node)) {
      const more = count(child)
      if (more === undefined) return undefined
      total += more
    }
    open.delete(node)
    known.set(node, total)
    return total
  }
  const total = count(schema)
  return total !== undefined && total <= MOST_OPTIONAL
}

function hasFreeKeys(schema: Json): boolean {
  const { additionalProperties, patternProperties } = schema
  if (additionalProperties === true || isObject(additionalProperties)) return true
  if (isObject(patternProperties) && Object.keys(patternProperties).length > 0) return true
  return isObjectSchema(schema) && !isObject(schema['properties']) && additionalProperties !== false
}

const COMBINATORS = ['allOf', 'anyOf', 'oneOf'] as const

/** The schema of a tool's input, which must be an object at its root, and whether it says less than the caller's. */
export function inputSchema(schema: Json | undefined, at: string | undefined): Enforceable {
  if (!schema) return { schema: { type: 'object', properties: {} }, relaxed: false }
  const type = schema['type']
  if (type !== undefined && type !== 'object' && !(Array.isArray(type) && type.includes('object'))) {
    throw invalid(at, `${at ?? 'A tool'}: the schema of a tool must describe an object. Put the value into a property of an object.`)
  }
  if (COMBINATORS.some((key) => schema[key] !== undefined)) return { schema: joined(schema), relaxed: true }
  if (type === 'object') return { schema, relaxed: false }
  return { schema: { ...schema, type: 'object' }, relaxed: false }
}

/** Combined objects at the root, which the vendor refuses, as one object that allows what any of them allows. */
function joined(schema: Json): Json {
  const { allOf, anyOf, oneOf, ...root } = schema
  const properties: Json = {}
  const required = new Set(requiredOf(schema))
  const all = branches(schema, allOf)
  const options = [...branches(schema, anyOf), ...branches(schema, oneOf)]
  for (const branch of [...options, ...all, root]) if (isObject(branch['properties'])) Object.assign(properties, branch['properties'])
  for (const branch of all) for (const name of requiredOf(branch)) required.add(name)
  const [first, ...others] = options
  if (first) for (const name of requiredOf(first)) if (others.every((branch) => requiredOf(branch).includes(name))) required.add(name)
  return { ...root, type: 'object', properties, ...(required.size > 0 && { required: [...required] }) }
}

function branches(root: Json, list: unknown): Json[] {
  if (!Array.isArray(list)) return []
  return list.filter(isObject).map((branch) => resolve(branch['$ref'], root) ?? branch)
}
