import { isObject, type Json, put } from '../../canonical/json.ts'
import { checkDepth, isObjectSchema, optionalCount, subschemas } from '../../canonical/json-schema.ts'
import { WRAPPER } from '../../canonical/pieces.ts'

/**
 * Parameters of a function, whose root must be an object for the vendor.
 * @param isWrapped true to wrap them, see `wrapped`.
 */
export function writeParameters(schema: Json | undefined, isWrapped = false): Json {
  if (schema && isWrapped) return wrapped(schema)
  if (!schema) return { type: 'object', properties: {} }
  if (schema['type'] !== undefined && schema['type'] !== 'object') return schema
  if (schema['type'] === 'object' && schema['properties'] !== undefined) return schema
  return { type: 'object', properties: {}, ...schema }
}

/** Keywords that the vendor rejects at the root. */
const NOT_AT_ROOT = ['anyOf', 'oneOf', 'allOf', 'not', 'enum', 'const', '$ref'] as const

/**
 * True if the vendor rejects the root of a schema, which must be an object without alternatives.
 * @see https://platform.openai.com/docs/guides/structured-outputs#root-objects-must-not-be-anyof-and-must-be-an-object
 */
export function needsWrapper(schema: Json): boolean {
  const { type } = schema
  return (type !== undefined && type !== 'object') || NOT_AT_ROOT.some((key) => schema[key] !== undefined)
}

/** Definitions stay at the root, so that references to them remain valid. */
const DEFINITIONS = ['$defs', 'definitions'] as const

/** Object schema whose only property `value` has the given schema. Responses are unwrapped, see `unwrapping`. */
export function wrapped(schema: Json): Json {
  const inner = moved(schema, 0) as Json
  const out: Json = {
    type: 'object',
    properties: { [WRAPPER]: inner },
    required: [WRAPPER],
    additionalProperties: false,
  }
  for (const key of DEFINITIONS) {
    if (inner[key] === undefined) continue
    out[key] = inner[key]
    delete inner[key]
  }
  return out
}

/** Copy of a schema whose references to the root are adapted to the wrapper. */
function moved(value: unknown, depth: number): unknown {
  checkDepth(depth, undefined)
  if (Array.isArray(value)) return value.map((item) => moved(item, depth + 1))
  if (!isObject(value)) return value
  const copy: Json = {}
  for (const key in value) {
    const inner = value[key]
    put(copy, key, key === '$ref' && typeof inner === 'string' ? movedReference(inner) : moved(inner, depth + 1))
  }
  return copy
}

function movedReference(reference: string): string {
  if (reference !== '#' && !reference.startsWith('#/')) return reference
  if (DEFINITIONS.some((key) => reference.startsWith(`#/${key}/`))) return reference
  return `#/properties/${WRAPPER}${reference.slice(1)}`
}

/** Maximum nesting; the vendor rejects deeper schemas. */
const DEEPEST = 100

/**
 * True if a schema meets the rules of strict mode: all objects are closed, and all properties required.
 * @see https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
 */
export function isStrict(schema: unknown, depth = 0): boolean {
  if (!isObject(schema)) return true
  if (depth > DEEPEST) return false
  if (isObjectSchema(schema) && (schema['additionalProperties'] !== false || optionalCount(schema) > 0)) return false
  return subschemas(schema).every((inner) => isStrict(inner, depth + 1))
}
