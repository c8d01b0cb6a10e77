import { invalid } from '../errors.ts'
import { isObject, type Json } from './json.ts'

/** Maximum nesting of a schema, which protects the stack. */
const DEEPEST = 200

/**
 * Rejects a schema that is nested too deep.
 * @throws HeadgateError of kind `invalid-request`.
 */
export function checkDepth(depth: number, at: string | undefined): void {
  if (depth <= DEEPEST) return
  throw invalid(
    at,
    `The schema${at === undefined ? '' : ` at ${at}`} is nested more than ${DEEPEST} levels deep. Reduce its nesting.`,
  )
}

export function isObjectSchema(schema: Json): boolean {
  const { type } = schema
  return type === 'object' || (Array.isArray(type) && type.includes('object')) || isObject(schema['properties'])
}

/** Names of the required properties. */
export function requiredOf(schema: Json): unknown[] {
  return Array.isArray(schema['required']) ? schema['required'] : []
}

/** Number of optional properties. */
export function optionalCount(schema: Json): number {
  if (!isObject(schema['properties'])) return 0
  const required = new Set(requiredOf(schema))
  return Object.keys(schema['properties']).filter((name) => !required.has(name)).length
}

/** Schema that also allows null, as `nullable` does in the OpenAPI subset. */
export function orNull(schema: Json): Json {
  const { type, anyOf, $ref, enum: members } = schema
  const out = Array.isArray(members) && !members.includes(null) ? { ...schema, enum: [...members, null] } : schema
  if (typeof type === 'string') return type === 'null' ? out : { ...out, type: [type, 'null'] }
  if (Array.isArray(type)) return type.includes('null') ? out : { ...out, type: [...type, 'null'] }
  if (Array.isArray(anyOf)) return { ...out, anyOf: [...anyOf, { type: 'null' }] }
  if ($ref === undefined) return out
  const { $ref: _, ...rest } = out
  return { ...rest, anyOf: [{ $ref }, { type: 'null' }] }
}

/** Keywords whose values are data. `$ref` and other keywords have no meaning in them. */
const DATA: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples', 'example', 'required'])

/** Keywords whose values map names to schemas. */
const NAMED: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  '$defs',
  'definitions',
])

/** Direct subschemas of a schema, including definitions. */
export function subschemas(schema: Json): Json[] {
  return Object.entries(schema).flatMap(([key, value]) => {
    if (DATA.has(key)) return []
    if (NAMED.has(key)) return isObject(value) ? Object.values(value).filter(isObject) : []
    if (Array.isArray(value)) return value.filter(isObject)
    return isObject(value) ? [value] : []
  })
}

/** Schema that a local reference names. */
export function resolve(reference: unknown, root: Json): Json | undefined {
  if (typeof reference !== 'string' || !reference.startsWith('#')) return undefined
  let found: unknown = root
  for (const step of reference.slice(1).split('/').slice(1)) {
    const key = unescaped(step)
    if (Array.isArray(found)) found = found[Number(key)] as unknown
    else found = isObject(found) && Object.hasOwn(found, key) ? found[key] : undefined
  }
  return isObject(found) ? found : undefined
}

/** Unescaped step of a JSON pointer in a URL. */
function unescaped(step: string): string {
  let key = step
  try {
    key = decodeURIComponent(step)
  } catch {
    // A percent sign without hex digits is literal.
  }
  return key.replaceAll('~1', '/').replaceAll('~0', '~')
}
