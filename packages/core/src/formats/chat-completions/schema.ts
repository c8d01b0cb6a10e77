import { isObject, type Json } from '../../canonical/json.ts'
import { isObjectSchema, optionalCount, subschemas } from '../../canonical/json-schema.ts'

/** The vendor wants an object at the root of a function's parameters. */
export function writeParameters(schema: Json | undefined): Json {
  if (!schema) return { type: 'object', properties: {} }
  if (schema['type'] !== undefined && schema['type'] !== 'object') return schema
  if (schema['type'] === 'object' && schema['properties'] !== undefined) return schema
  return { type: 'object', properties: {}, ...schema }
}

/** Deeper schemas are refused upstream. */
const DEEPEST = 100

/**
 * Whether a schema already is what strict mode wants: every object closed, every property required.
 *
 * @see https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
 */
export function isStrict(schema: unknown, depth = 0): boolean {
  if (!isObject(schema)) return true
  if (depth > DEEPEST) return false
  if (isObjectSchema(schema) && (schema['additionalProperties'] !== false || optionalCount(schema) > 0)) return false
  return subschemas(schema).every((inner) => isStrict(inner, depth + 1))
}
