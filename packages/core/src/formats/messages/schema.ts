import { jsonText } from '../../canonical/arguments.ts'
import { isObject, type Json } from '../../canonical/json.ts'
import {
  checkDepth,
  isObjectSchema,
  optionalCount,
  orNull,
  requiredOf,
  resolve,
  subschemas,
} from '../../canonical/json-schema.ts'
import { changed, type Loss } from '../../canonical/loss.ts'
import { invalid } from '../../errors.ts'

const FORMATS = new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid'])

/** Keywords without effect on validation, or with an equivalent, such as null as a type. */
const SILENT = new Set(['$comment', 'deprecated', 'readOnly', 'writeOnly', 'propertyOrdering', 'nullable'])

/** Handling of supported keywords: unchanged, or each schema in a map or list. */
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

/** Schema that the vendor enforces. */
export interface Enforceable {
  readonly schema: Json
  /** Keywords that are not enforced. The description contains them, if possible. */
  readonly loose: readonly string[]
}

/**
 * Schema for structured outputs and strict tools: closed objects, `anyOf` instead of `oneOf`, few formats, null as a
 * type, and other keywords as text in the description. The order of keys stays, and the caller's schema is not mutated.
 * @see https://platform.claude.com/docs/en/build-with-claude/structured-outputs
 */
export function enforceable(schema: Json, at: string | undefined): Enforceable {
  const state: Closing = { at, loose: new Set() }
  return { schema: close(schema, state, 0), loose: [...state.loose] }
}

/**
 * Declares keywords that are not enforced.
 * @param path path of the schema.
 */
export function declareLoose({ loose }: Enforceable, path: string, losses: Loss[]): void {
  if (loose.length > 0) changed(losses, path, `not enforced, only described: ${loose.join(', ')}`)
}

interface Closing {
  /** Path of the schema in the caller's body. */
  readonly at: string | undefined
  readonly loose: Set<string>
}

function close(schema: Json, state: Closing, depth: number): Json {
  checkDepth(depth, state.at)
  const out =
    typeof schema['$ref'] === 'string' ? closeReference(schema, state, depth) : closePlain(schema, state, depth)
  return schema['nullable'] === true ? orNull(out) : out
}

/** Schema with a reference, which can be next to definitions only. */
function closeReference(schema: Json, state: Closing, depth: number): Json {
  const out: Json = {}
  for (const [key, value] of said(schema)) {
    if (key === '$ref') out[key] = value
    else if (fateOf(key, value) === 'map') out[key] = closeMap(value, state, depth)
    else state.loose.add(key)
  }
  return out
}

function closePlain(schema: Json, state: Closing, depth: number): Json {
  const out: Json = {}
  const words: string[] = []
  const tell = (key: string, value: unknown): void => {
    state.loose.add(key)
    words.push(`${key}: ${typeof value === 'string' ? value : jsonText(value, state.at ?? key)}`)
  }
  const closed = isObjectSchema(schema)
  const even = evened(schema)
  for (const [key, value] of said(even)) {
    const fate = fateOf(key, value)
    if (key === 'additionalProperties') out[key] = closed ? false : closeInner(value, state, depth)
    else if (key === 'oneOf' && even['anyOf'] !== undefined) tell(key, value)
    else if (fate === 'plain') out[key] = value
    else if (fate === 'map') out[key] = closeMap(value, state, depth)
    else if (fate === 'list') {
      if (key === 'oneOf') state.loose.add(key)
      out[key === 'oneOf' ? 'anyOf' : key] = closeList(value, state, depth)
    } else if (value !== false) tell(key, value)
  }
  if (closed) out['additionalProperties'] ??= false
  if (even !== schema) {
    // The alternatives are part of `items`. Repeating them at each level of nested lists would exhaust the memory.
    for (const key of PLACES) if (schema[key] !== undefined) state.loose.add(key)
    words.push('each item is of another kind, in this order')
  }
  if (words.length === 0) return out
  const description = typeof schema['description'] === 'string' ? `${schema['description']}\n` : ''
  return { ...out, description: `${description}${words.join('; ')}.` }
}

/** Keywords with an effect. */
function said(schema: Json): [string, unknown][] {
  return Object.entries(schema).filter(
    ([key, value]) => value !== undefined && (value !== null || key === 'const') && !SILENT.has(key),
  )
}

function fateOf(key: string, value: unknown): 'plain' | 'map' | 'list' | undefined {
  if (key === 'format') return typeof value === 'string' && FORMATS.has(value) ? 'plain' : undefined
  if (key === 'minItems') return value === 0 || value === 1 ? 'plain' : undefined
  return Object.hasOwn(KEPT, key) ? KEPT[key] : undefined
}

function closeInner(value: unknown, state: Closing, depth: number): unknown {
  return isObject(value) ? close(value, state, depth + 1) : value
}

function closeList(value: unknown, state: Closing, depth: number): unknown {
  return Array.isArray(value) ? value.map((item) => closeInner(item, state, depth)) : closeInner(value, state, depth)
}

function closeMap(value: unknown, state: Closing, depth: number): unknown {
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, closeInner(one, state, depth)]))
}

const PLACES = ['prefixItems', 'items', 'additionalItems'] as const

/** Converts a tuple schema to a list whose items match any of its schemas. */
function evened(schema: Json): Json {
  const { prefixItems, items, additionalItems, ...rest } = schema
  const places: unknown = Array.isArray(prefixItems) ? prefixItems : items
  if (!Array.isArray(places)) return schema
  const others = [items, additionalItems].filter(isObject)
  return { ...rest, items: { anyOf: [...places.filter(isObject), ...others] } }
}

/** Remaining limits of the vendor for the schemas of a request. */
export interface Allowance {
  tools: number
  /** Optional properties. */
  optional: number
  /** Values of several types. */
  unions: number
}

export function allowance(): Allowance {
  return { tools: 20, optional: 24, unions: 16 }
}

/**
 * Deducts a schema of a tool or output from the limits.
 * @returns reason why the vendor cannot enforce it; undefined if it can.
 */
export function refusal(schema: Json, left: Allowance, tools: 0 | 1): string | undefined {
  const cost = costOf(schema)
  if (!cost) return 'the model cannot enforce this schema'
  if (cost.optional > left.optional || cost.unions > left.unions || tools > left.tools)
    return 'the schemas of the request exceed the limits of the vendor for enforcement'
  left.tools -= tools
  left.optional -= cost.optional
  left.unions -= cost.unions
  return undefined
}

interface SchemaCost {
  readonly optional: number
  readonly unions: number
}

/** Direct subschemas that are sent. Definitions are reached only through references. */
function within(schema: Json): Json[] {
  return subschemas(
    Object.fromEntries(Object.entries(schema).filter(([key, value]) => !DEFINED.has(key) && fateOf(key, value))),
  )
}

const DEFINED: ReadonlySet<string> = new Set(['$defs', 'definitions'])

/** Maximum nesting for enforcement. Deeper schemas are sent without it. */
const DEEPEST = 200

/**
 * Cost of enforcing a schema. Undefined if the vendor would reject it (recursive references), or data would be lost
 * (objects with additional properties, which it closes).
 */
function costOf(schema: Json): SchemaCost | undefined {
  const open = new Set<Json>()
  const known = new Map<Json, SchemaCost>()
  const count = (source: Json): SchemaCost | undefined => {
    const before = known.get(source)
    if (before) return before
    if (open.has(source) || open.size > DEEPEST || hasFreeKeys(source)) return undefined
    open.add(source)
    const node = evened(source)
    const target = resolve(node['$ref'], schema)
    let optional = optionalCount(node)
    let unions = isUnion(node) ? 1 : 0
    for (const child of target ? [target, ...within(node)] : within(node)) {
      const more = count(child)
      if (!more) return undefined
      optional += more.optional
      unions += more.unions
    }
    open.delete(source)
    const cost = { optional, unions }
    known.set(source, cost)
    return cost
  }
  return count(schema)
}

function isUnion({ type, anyOf, oneOf, nullable }: Json): boolean {
  return (Array.isArray(type) && type.length > 1) || anyOf !== undefined || oneOf !== undefined || nullable === true
}

function hasFreeKeys(schema: Json): boolean {
  const { additionalProperties, patternProperties } = schema
  if (additionalProperties === true || isObject(additionalProperties)) return true
  if (isObject(patternProperties) && Object.keys(patternProperties).length > 0) return true
  return isObjectSchema(schema) && !isObject(schema['properties']) && additionalProperties !== false
}

/**
 * Schema whose root reference is replaced by its target, since a tool's schema must state at its root that it is an
 * object.
 */
export function withRoot(schema: Json): Json {
  const target = resolve(schema['$ref'], schema)
  if (!target) return schema
  const { $ref: _, ...rest } = schema
  return { ...target, ...rest }
}

const COMBINATORS = ['allOf', 'anyOf', 'oneOf'] as const

/** Schema of a tool's input. */
export interface InputSchema {
  readonly schema: Json
  /** True if it is less strict than the caller's. */
  readonly relaxed: boolean
}

/** Schema of a tool's input, which must be an object at its root. */
export function inputSchema(schema: Json | undefined, at: string | undefined): InputSchema {
  if (!schema) return { schema: { type: 'object', properties: {} }, relaxed: false }
  const type = schema['type']
  if (type !== undefined && type !== 'object' && !(Array.isArray(type) && type.includes('object'))) {
    throw invalid(
      at,
      `${at ?? 'A tool'}: the schema of a tool must describe an object. Wrap the value in a property of an object.`,
    )
  }
  if (COMBINATORS.some((key) => schema[key] !== undefined)) return { schema: joined(schema), relaxed: true }
  if (type === 'object') return { schema, relaxed: false }
  return { schema: { ...schema, type: 'object' }, relaxed: false }
}

/**
 * Merges combined objects at the root, which the vendor rejects, into an object that allows what any of them allows.
 */
function joined(schema: Json): Json {
  const { allOf, anyOf, oneOf, ...root } = schema
  const properties: Json = {}
  const required = new Set(requiredOf(schema))
  const all = branches(schema, allOf)
  const options = [...branches(schema, anyOf), ...branches(schema, oneOf)]
  for (const branch of [...options, ...all, root])
    if (isObject(branch['properties'])) Object.assign(properties, branch['properties'])
  for (const branch of all) for (const name of requiredOf(branch)) required.add(name)
  const [first, ...others] = options
  const asked = others.map((branch) => new Set(requiredOf(branch)))
  if (first) for (const name of requiredOf(first)) if (asked.every((names) => names.has(name))) required.add(name)
  return { ...root, type: 'object', properties, ...(required.size > 0 && { required: [...required] }) }
}

function branches(root: Json, list: unknown): Json[] {
  if (!Array.isArray(list)) return []
  return [...new Set(list.filter(isObject).map((branch) => resolve(branch['$ref'], root) ?? branch))]
}
