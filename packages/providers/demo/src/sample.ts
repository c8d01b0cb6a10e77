type Schema = { readonly [keyword: string]: unknown }

/** Maximum number of values created for one schema. Further values are null, because schemas can be recursive. */
const MOST_VALUES = 2_000

/** Maximum depth of references and members. */
const MOST_DEPTH = 24

const BY_FORMAT = new Map(
  Object.entries({
    'date-time': '2000-01-01T00:00:00Z',
    date: '2000-01-01',
    time: '00:00:00Z',
    duration: 'P1D',
    email: 'demo@example.com',
    hostname: 'example.com',
    ipv4: '127.0.0.1',
    ipv6: '::1',
    uri: 'https://example.com/',
    uuid: '00000000-0000-4000-8000-000000000000',
  }),
)

/**
 * Smallest value that a JSON Schema allows: only required members, and the first of several types or options.
 * Deterministic. `pattern`, `uniqueItems`, `not` and conditions are ignored.
 */
export function sample(schema: unknown): unknown {
  let made = 0

  const make = (given: unknown, depth: number): unknown => {
    made += 1
    if (!isSchema(given) || made > MOST_VALUES || depth > MOST_DEPTH) return null
    if (typeof given['$ref'] === 'string') return make(dereferenced(schema, given), depth + 1)
    const { allOf, anyOf, oneOf, ...rest } = given
    if (Array.isArray(allOf))
      return make([rest, ...allOf.map((part) => dereferenced(schema, part))].reduce(merge, {}), depth + 1)
    const options = anyOf ?? oneOf
    if (Array.isArray(options)) return make(merge(rest, simplest(options)), depth + 1)
    if ('const' in rest) return rest['const']
    if (Array.isArray(rest['enum'])) return rest['enum'][0] ?? null
    if ('default' in rest) return rest['default']
    return byType(rest, depth + 1)
  }

  const byType = (given: Schema, depth: number): unknown => {
    switch (typeOf(given)) {
      case 'object':
        return Object.fromEntries(
          list(given['required']).map((name) => [name, make(memberOf(given, String(name)), depth)]),
        )
      case 'array':
        return Array.from({ length: Math.min(count(given['minItems']), MOST_VALUES - made) }, (_, index) =>
          make(itemOf(given, index), depth),
        )
      case 'integer':
      case 'number':
        return aNumber(given)
      case 'boolean':
        return false
      case 'null':
        return null
      default:
        return aString(given)
    }
  }

  return make(schema, 0)
}

function typeOf({ type, properties, required, items }: Schema): unknown {
  if (type !== undefined) return Array.isArray(type) ? type[0] : type
  if (properties !== undefined || required !== undefined) return 'object'
  return items === undefined ? 'string' : 'array'
}

function aString({ format, minLength, maxLength }: Schema): string {
  const text = BY_FORMAT.get(String(format)) ?? 'demo'
  return text
    .padEnd(Math.min(count(minLength), MOST_VALUES), '.')
    .slice(0, typeof maxLength === 'number' ? maxLength : undefined)
}

/** First allowed number of several candidates; 0 if it is allowed. */
function aNumber(given: Schema): number {
  const least = Math.max(numberOr(given['minimum'], -Infinity), numberOr(given['exclusiveMinimum'], -Infinity))
  const most = Math.min(numberOr(given['maximum'], Infinity), numberOr(given['exclusiveMaximum'], Infinity))
  const step = numberOr(given['multipleOf'], 1)
  const above = Math.ceil(least / step) * step
  const below = Math.floor(most / step) * step
  const likely = [0, above, above + step, below, below - step, least, most, (least + most) / 2]
  return likely.find((value) => isAllowed(value, given)) ?? 0
}

function isAllowed(
  value: number,
  { type, minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf }: Schema,
): boolean {
  return (
    Number.isFinite(value) &&
    value >= numberOr(minimum, -Infinity) &&
    value > numberOr(exclusiveMinimum, -Infinity) &&
    value <= numberOr(maximum, Infinity) &&
    value < numberOr(exclusiveMaximum, Infinity) &&
    (multipleOf === undefined || Number.isInteger(value / numberOr(multipleOf, 1))) &&
    (type !== 'integer' || Number.isInteger(value))
  )
}

/** Option without a reference to another schema: for `next` of a list, null. */
function simplest(options: readonly unknown[]): unknown {
  return options.find((option) => isSchema(option) && !('$ref' in option)) ?? options[0]
}

/** Schema with its reference resolved. */
function dereferenced(root: unknown, given: unknown): unknown {
  if (!isSchema(given) || typeof given['$ref'] !== 'string') return given
  const { $ref, ...rest } = given
  return merge(resolve(root, String($ref)), rest)
}

/** Target of a local reference: `#/$defs/node`. */
function resolve(root: unknown, reference: string): unknown {
  const steps = reference.replace(/^#\/?/, '').split('/')
  return steps.filter(Boolean).reduce((at: unknown, step) => {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    return typeof at === 'object' && at !== null && Object.hasOwn(at, key) ? Object(at)[key] : undefined
  }, root)
}

/** Combination of two schemas. The second takes precedence. */
function merge(a: unknown, b: unknown): Schema {
  const first = isSchema(a) ? a : {}
  const second = isSchema(b) ? b : {}
  const required = [...new Set([...list(first['required']), ...list(second['required'])])]
  return {
    ...first,
    ...second,
    ...((first['properties'] !== undefined || second['properties'] !== undefined) && {
      properties: { ...Object(first['properties']), ...Object(second['properties']) },
    }),
    ...(required.length > 0 && { required }),
  }
}

function memberOf({ properties, additionalProperties }: Schema, name: string): unknown {
  return isSchema(properties) && Object.hasOwn(properties, name) ? properties[name] : (additionalProperties ?? {})
}

function itemOf({ prefixItems, items }: Schema, index: number): unknown {
  return list(prefixItems)[index] ?? items ?? {}
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function count(value: unknown): number {
  return Math.max(0, Math.floor(numberOr(value, 0)))
}

function numberOr(value: unknown, other: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : other
}
