import { Ajv2020 } from 'ajv/dist/2020.js'
import { isObject, type Json } from '../../src/canonical/json.ts'
import { readDocument, schemasOf } from './documents.ts'

/** Where a vendor describes a request. */
export interface Source {
  readonly file: string
  /** Name of the schema of the request, or the schema itself. */
  readonly root: string | Json
  /** A value may match several of the choices of a schema. */
  readonly overlaps?: boolean
  /** The vendor ignores fields that it does not know, so they are no breach. */
  readonly open?: boolean
}

/** Requests of the formats of core. */
export const REQUESTS = {
  'chat-completions': { file: 'openai/openapi.trimmed.json', root: 'CreateChatCompletionRequest' },
  messages: { file: 'anthropic/openapi.messages.json', root: 'BetaCreateMessageParams' },
  'generate-content': { file: 'google/gemini-v1beta.openapi.json', root: 'GenerateContentRequest' },
  // A user message matches two of its schemas.
  responses: { file: 'openai/openapi.trimmed.json', root: 'CreateResponse', overlaps: true },
} as const satisfies Readonly<Record<string, Source>>

/** Where a body breaks the vendor's specification: path and rule, nothing of its content. */
export type Specification = (body: unknown) => string[]

/**
 * The specification of a request. It is stricter than the file in one thing: a field that an object's schema does not
 * name is wrong, since vendors refuse what they do not know.
 */
export function readSpecification(source: Source): Specification {
  const known = compiled.get(source)
  if (known) return known
  const specification = compile(source)
  compiled.set(source, specification)
  return specification
}

const compiled = new Map<Source, Specification>()

function compile({ file, root, overlaps = false, open = false }: Source): Specification {
  const schemas = withLater(file, schemasOf(readDocument(file)))
  const shared = new Set(sharedBy(schemas))
  const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false })
  const prepared = overlaps ? anyOfEach(schemas) : schemas
  const closed = Object.entries(prepared).map(([name, schema]) => [name, adapted(schema, !open && !shared.has(name))])
  ajv.addSchema({ $id: 'vendor', components: { schemas: Object.fromEntries(closed) as Json } })
  const whole =
    typeof root === 'string'
      ? { $ref: `vendor#/components/schemas/${root}` }
      : (adapted(qualified(root), !open) as Json)
  const validate = ajv.compile(open ? whole : { ...whole, unevaluatedProperties: false })
  return (body) => {
    if (validate(body)) return []
    const errors = validate.errors ?? []
    return [
      ...new Set(
        errors.map(
          (error) => `${error.instancePath.replace(/\/\d+/g, '/*')} ${error.keyword}${detailOf(error.params)}`,
        ),
      ),
    ]
  }
}

/** Words that vendors added after the file: the official SDKs have them. */
const LATER: Readonly<Record<string, readonly (readonly [schema: string, property: string, word: string])[]>> = {
  'anthropic/openapi.messages.json': [['BetaInputMessage', 'role', 'system']],
}

function withLater(file: string, schemas: Json): Json {
  const later = LATER[file]
  if (!later) return schemas
  const out = structuredClone(schemas)
  for (const [schema, property, word] of later) {
    const { properties } = out[schema] as { properties: Record<string, { enum: string[] }> }
    properties[property]?.enum.push(word)
  }
  return out
}

/** The field that is one too many, or missing. */
function detailOf(params: Json): string {
  const name = params['additionalProperty'] ?? params['unevaluatedProperty'] ?? params['missingProperty']
  return name === undefined ? '' : ` ${String(name)}`
}

/** A schema outside of the named ones, with references to these. */
function qualified(schema: Json): Json {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"vendor#/components/')) as Json
}

/** The schemas with choices of which more than one may fit: the vendor goes by what tells them apart. */
function anyOfEach(schemas: Json): Json {
  return JSON.parse(JSON.stringify(schemas).replaceAll('"oneOf":', '"anyOf":')) as Json
}

/** Names of the schemas that others extend: these can not say that there are no more fields. */
function* sharedBy(value: unknown, within = ''): Generator<string> {
  if (Array.isArray(value)) for (const item of value) yield* sharedBy(item, within)
  if (!isObject(value)) return
  const { $ref } = value
  if (within === 'allOf' && typeof $ref === 'string') yield $ref.slice($ref.lastIndexOf('/') + 1)
  for (const [key, inner] of Object.entries(value)) yield* sharedBy(inner, key)
}

const NOT_SCHEMAS: ReadonlySet<string> = new Set(['discriminator', 'default', 'example', 'examples', 'nullable'])
/** Bodies whose fields are the caller's own. */
const OPEN: ReadonlySet<unknown> = new Set(['FunctionParameters', 'InputSchema'])

/**
 * OpenAPI as JSON Schema: `nullable` adds null, what only describes goes; where `closed`, objects have no fields but
 * their own.
 */
function adapted(value: unknown, closed: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => adapted(item, closed))
  if (!isObject(value)) return value
  const out: Json = {}
  for (const [key, inner] of Object.entries(value)) {
    if (NOT_SCHEMAS.has(key)) continue
    if (key === 'properties') out[key] = mapped(inner, closed)
    else out[key] = adapted(inner, closed && key !== 'allOf')
  }
  const isComposed = ['allOf', 'anyOf', 'oneOf'].some((key) => key in out)
  if (closed && !isComposed && isObject(out['properties']) && !OPEN.has(out['title']))
    out['additionalProperties'] ??= false
  return value['nullable'] === true ? { anyOf: [{ type: 'null' }, out] } : out
}

function mapped(properties: unknown, closed: boolean): unknown {
  if (!isObject(properties)) return properties
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, adapted(schema, closed)]))
}
