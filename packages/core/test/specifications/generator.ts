import { isObject, type Json } from '../../src/canonical/json.ts'
import type { Random } from './random.ts'

/** A value for a field, where a schema does not say all that the vendor demands; undefined leaves it to the schema. */
export type Known = (key: string, schema: Json, within: string, random: Random) => unknown

/** Generator of valid values of the schemas of a document. */
export interface Generator {
  /** A value of the named schema. Nesting is bounded. */
  value(name: string, random: Random): unknown
}

interface Place {
  readonly key: string
  /** Name of the nearest named schema. */
  readonly within: string
  readonly depth: number
}

/** Objects deeper than this have required fields only. */
const DEEP = 7
const PROBABILITY = [0.3, 0.45, 0.4, 0.3, 0.25, 0.2]
const WORDS = ['amber', 'birch', 'cedar', 'delta', 'ember', 'fjord', 'grove', 'heron', 'inlet', 'jetty']

/**
 * @param known values of fields that schemas describe too loosely
 * @param avoid names of schemas that are not generated
 * @param always top-level fields that every value has
 */
export function generatorOf(
  schemas: Json,
  known: Known,
  avoid: ReadonlySet<string>,
  always: ReadonlySet<string>,
): Generator {
  const heights = new Map<string, number>()
  let count = 0

  function resolved(schema: Json): { schema: Json; name: string | undefined } {
    const ref = schema['$ref']
    if (typeof ref !== 'string') return { schema, name: undefined }
    const name = ref.slice(ref.lastIndexOf('/') + 1)
    const target = schemas[name]
    return { schema: isObject(target) ? target : {}, name }
  }

  /** How many objects a value of the schema has at least in each other; infinite for what is avoided. */
  function height(schema: unknown): number {
    if (!isObject(schema)) return 0
    const ref = schema['$ref']
    if (typeof ref === 'string') {
      const name = ref.slice(ref.lastIndexOf('/') + 1)
      if (avoid.has(name)) return Number.POSITIVE_INFINITY
      const found = heights.get(name)
      if (found !== undefined) return found
      heights.set(name, Number.POSITIVE_INFINITY)
      const own = height(schemas[name])
      heights.set(name, own)
      return own
    }
    const choices = choicesOf(schema)
    if (choices) return Math.min(...choices.map(height))
    const parts = Array.isArray(schema['allOf']) ? Math.max(...schema['allOf'].map(height)) : 0
    const properties = isObject(schema['properties']) ? schema['properties'] : {}
    const required = Array.isArray(schema['required']) ? (schema['required'] as string[]) : []
    const inner = required.map((key) => height(properties[key]))
    const items = Number(schema['minItems'] ?? 0) > 0 ? height(schema['items']) : 0
    return Math.max(parts, items, inner.length > 0 ? 1 + Math.max(...inner) : 0)
  }

  function choicesOf(schema: Json): Json[] | undefined {
    const list = schema['oneOf'] ?? schema['anyOf']
    if (!Array.isArray(list) || list.length === 0) return undefined
    // `anyOf: [{ required: ['a'] }]` only constrains the object around it.
    const choices = list
      .filter(isObject)
      .filter((one) => Object.keys(one).some((key) => !['required', 'description', 'title'].includes(key)))
    return choices.length > 0 ? choices : undefined
  }

  /** The schema with what `allOf` adds. */
  function merged(schema: Json): Json {
    if (!Array.isArray(schema['allOf'])) return schema
    const { allOf, ...rest } = schema
    const parts = [...(allOf as unknown[]).filter(isObject).map((part) => merged(resolved(part).schema)), rest]
    const properties = Object.assign({}, ...parts.map((part) => part['properties'] ?? {})) as Json
    const required = parts.flatMap((part) => (Array.isArray(part['required']) ? (part['required'] as string[]) : []))
    return { ...Object.assign({}, ...parts), ...(Object.keys(properties).length > 0 && { properties }), required }
  }

  function make(given: Json, place: Place, random: Random): unknown {
    const { schema: found, name = place.within } = resolved(given)
    const at = { ...place, within: name }
    const fixed = known(at.key, found, name, random)
    if (fixed !== undefined) return fixed
    if ('const' in found) return found['const']
    if (Array.isArray(found['enum'])) return random.pick(found['enum'].filter((one) => one !== null))
    const schema = merged(found)
    const choices = choicesOf(schema)
    if (choices && !isObject(schema['properties'])) return make(chosen(choices, at, random), at, random)
    return typed(schema, at, random)
  }

  function chosen(choices: readonly Json[], { depth }: Place, random: Random): Json {
    const real = choices.filter((one) => one['type'] !== 'null' && height(one) !== Number.POSITIVE_INFINITY)
    if (real.length === 0) return { type: 'null' }
    if (depth < DEEP) return random.pick(real)
    return real.reduce((least, one) => (height(one) < height(least) ? one : least))
  }

  function typed(schema: Json, place: Place, random: Random): unknown {
    const type = Array.isArray(schema['type'])
      ? random.pick(schema['type'].filter((one) => one !== 'null'))
      : schema['type']
    switch (type ?? (isObject(schema['properties']) ? 'object' : undefined)) {
      case 'null':
        return null
      case 'boolean':
        return random.chance(0.5)
      case 'integer':
        return numberOf(schema, random, true)
      case 'number':
        return numberOf(schema, random, false)
      case 'string':
        return stringOf(schema, random)
      case 'array':
        return listOf(schema, place, random)
      default:
        return objectOf(schema, place, random)
    }
  }

  function numberOf(schema: Json, random: Random, isInteger: boolean): number {
    const least = Number(schema['minimum'] ?? schema['exclusiveMinimum'] ?? 0)
    const most = Number(schema['maximum'] ?? schema['exclusiveMaximum'] ?? least + 100)
    if (isInteger) return least + 1 <= most ? least + 1 + random.below(Math.min(most - least, 100)) : least
    return Math.round((least + random.next() * (most - least)) * 64) / 64
  }

  function stringOf(schema: Json, random: Random): string {
    count += 1
    const pattern = String(schema['pattern'] ?? '')
    const prefix = /^\^([a-z]+_)/.exec(pattern)?.[1] ?? ''
    const text = `${prefix}${random.pick(WORDS)}${count}`
    if (schema['format'] === 'byte') return Buffer.from(text).toString('base64')
    if (schema['format'] === 'uri') return `https://files.example.com/${text}.png`
    if (/date|time/.test(String(schema['format']))) return '2026-01-02T03:04:05Z'
    if (schema['format'] === 'int64') return String(count)
    return text.slice(0, Number(schema['maxLength'] ?? text.length))
  }

  function listOf(schema: Json, place: Place, random: Random): unknown[] {
    const items = isObject(schema['items']) ? schema['items'] : {}
    const least = Number(schema['minItems'] ?? 0)
    if (height(items) === Number.POSITIVE_INFINITY) return []
    const wanted = place.depth >= DEEP ? 0 : place.depth <= 1 ? 1 + random.below(5) : 1 + random.below(2)
    const length = Math.min(Math.max(least, wanted), Number(schema['maxItems'] ?? Number.POSITIVE_INFINITY))
    return Array.from({ length }, () => make(items, { ...place, depth: place.depth + 1 }, random))
  }

  function objectOf(schema: Json, { within, depth }: Place, random: Random): Json {
    const properties = isObject(schema['properties']) ? schema['properties'] : undefined
    const required = new Set(Array.isArray(schema['required']) ? (schema['required'] as string[]) : [])
    if (!properties) return { [`key${random.below(9)}`]: random.pick(WORDS) }
    const probability = depth >= DEEP ? 0 : (PROBABILITY[depth] ?? 0.15)
    const entries = Object.entries(properties).flatMap(([key, inner]): [string, unknown][] => {
      if (!isObject(inner) || (isObject(inner) && height(inner) === Number.POSITIVE_INFINITY && !required.has(key)))
        return []
      if (!required.has(key) && !(depth === 0 && always.has(key)) && !random.chance(probability)) return []
      const value = make(inner, { key, within, depth: depth + 1 }, random)
      return value === undefined ? [] : [[key, value]]
    })
    return Object.fromEntries(entries)
  }

  return { value: (name, random) => make({ $ref: `#/${name}` }, { key: '', within: name, depth: 0 }, random) }
}
