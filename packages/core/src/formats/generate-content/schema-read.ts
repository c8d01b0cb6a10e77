import { isObject, type Json, objects } from '../../canonical/json.ts'
import { orNull } from '../../canonical/json-schema.ts'

/**
 * Schema of the OpenAPI subset (in Vertex AI with `defs` and `ref`) as JSON Schema: lower-case types, `nullable` as a
 * type, and properties in the order of `propertyOrdering`. Names of properties stay unchanged.
 * @see https://ai.google.dev/api/caching#Schema
 */
export function readSchema(schema: Json): Json {
  const out: Json = {}
  for (const [key, value] of Object.entries(schema)) {
    const read = READERS[key]
    if (read) read(value, out)
    else if (!DONE_LAST.has(key)) out[key] = value
  }
  order(out, schema['propertyOrdering'])
  return schema['nullable'] === true ? orNull(out) : out
}

const DONE_LAST = new Set(['nullable', 'propertyOrdering'])

const READERS: Readonly<Record<string, (value: unknown, out: Json) => void>> = {
  type: (value, out) => {
    if (typeof value === 'string' && value !== 'TYPE_UNSPECIFIED') out['type'] = value.toLowerCase()
  },
  format: (value, out) => {
    if (value !== 'enum') out['format'] = value
  },
  example: (value, out) => {
    out['examples'] = [value]
  },
  items: (value, out) => {
    out['items'] = inner(value)
  },
  anyOf: (value, out) => {
    out['anyOf'] = objects(value).map(readSchema)
  },
  properties: (value, out) => {
    out['properties'] = schemas(value)
  },
  additionalProperties: (value, out) => {
    out['additionalProperties'] = inner(value)
  },
  defs: (value, out) => {
    out['$defs'] = schemas(value)
  },
  ref: (value, out) => {
    out['$ref'] = typeof value === 'string' ? value.replace(/^#\/defs\//, '#/$defs/') : value
  },
}

function inner(value: unknown): unknown {
  return isObject(value) ? readSchema(value) : value
}

function schemas(value: unknown): unknown {
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, inner(schema)]))
}

function order(schema: Json, names: unknown): void {
  const properties = schema['properties']
  if (!Array.isArray(names) || !isObject(properties)) return
  const first = new Set(
    names.filter((name): name is string => typeof name === 'string' && Object.hasOwn(properties, name)),
  )
  const rest = Object.keys(properties).filter((name) => !first.has(name))
  schema['properties'] = Object.fromEntries([...first, ...rest].map((name) => [name, properties[name]]))
}
