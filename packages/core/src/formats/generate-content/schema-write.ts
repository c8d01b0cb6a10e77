import { isObject, type Json } from '../../canonical/json.ts'
import { orNull } from '../../canonical/json-schema.ts'
import { writeOpenApiSchema } from './openapi-schema.ts'
import { merged, SILENT, step, type Walk, type WrittenSchema, walk, writeBound } from './schema.ts'

/**
 * Supported and ignored keywords.
 * @see https://ai.google.dev/api/generate-content#FIELDS.response_json_schema
 */
const UNDERSTOOD: ReadonlySet<string> = new Set([
  ...['$ref', 'type', 'format', 'title', 'description', 'enum', 'default', 'required', 'propertyOrdering'],
  ...[
    'minItems',
    'maxItems',
    'uniqueItems',
    'minimum',
    'maximum',
    'minLength',
    'maxLength',
    'pattern',
    'minProperties',
    'maxProperties',
  ],
])

/** Keywords with one schema, a list of schemas, or schemas by name. */
const ONE: ReadonlySet<string> = new Set(['items', 'additionalProperties'])
const MANY: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'prefixItems'])
const NAMED: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions'])

/** Schema for a model: JSON Schema if it is supported, else the OpenAPI subset. */
export function writeSchema(schema: Json, at: string, jsonSchema: boolean): WrittenSchema {
  return jsonSchema ? writeJsonSchema(schema, at) : writeOpenApiSchema(schema, at)
}

/** JSON Schema with the keywords that the `…JsonSchema` fields support. References stay, so recursion is possible. */
export function writeJsonSchema(schema: Json, at: string): WrittenSchema {
  const state = walk(schema, at)
  return { schema: within(schema, state, 0), lost: [...state.lost] }
}

function within(schema: Json, state: Walk, depth: number): Json {
  step(state, schema, depth)
  const source = Array.isArray(schema['allOf']) ? merged(schema, schema['allOf'], state, depth) : schema
  const out: Json = {}
  for (const [key, value] of Object.entries(source)) {
    if (UNDERSTOOD.has(key)) out[key] = key === '$ref' ? renamedReference(value) : value
    else if (ONE.has(key))
      out[key] = Array.isArray(value)
        ? value.map((item) => innerJson(item, state, depth))
        : innerJson(value, state, depth)
    else if (MANY.has(key) && Array.isArray(value)) out[key] = value.map((item) => innerJson(item, state, depth))
    else if (NAMED.has(key) && isObject(value))
      out[key === 'definitions' ? '$defs' : key] = namedJson(value, state, depth)
    else if (key === 'const') writeConst(value, out, state)
    else if (key === 'exclusiveMinimum' || key === 'exclusiveMaximum') writeBound(key, value, out, state)
    else if (key !== 'nullable' && !SILENT.has(key)) state.lost.add(key)
  }
  return onlyReference(source['nullable'] === true ? orNull(out) : out)
}

function innerJson(value: unknown, state: Walk, depth: number): unknown {
  return isObject(value) ? within(value, state, depth + 1) : value
}

function namedJson(value: Json, state: Walk, depth: number): Json {
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, innerJson(schema, state, depth)]))
}

function renamedReference(value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/^#\/definitions\//, '#/$defs/') : value
}

/** Moves a reference to an `anyOf`, since it can be next to keywords with `$` only. */
function onlyReference(schema: Json): Json {
  const { $ref, ...rest } = schema
  if ($ref === undefined || Object.keys(rest).every((key) => key.startsWith('$'))) return schema
  return { ...rest, anyOf: [...(Array.isArray(rest['anyOf']) ? rest['anyOf'] : []), { $ref }] }
}

function writeConst(value: unknown, out: Json, state: Walk): void {
  if (typeof value === 'string' || typeof value === 'number') out['enum'] = [value]
  else state.lost.add('const')
}
