import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { isObject, type Json } from '../../src/canonical/json.ts'
import { type FormatId, folder } from './recordings.ts'

/** The vendors' files, beside the recordings, and in them the schema of a request. */
const SOURCES: Readonly<Record<FormatId, { file: string; root: string; overlaps?: boolean }>> = {
  'chat-completions': { file: 'openai/openapi.trimmed.json', root: 'CreateChatCompletionRequest' },
  messages: { file: 'anthropic/openapi.messages.json', root: 'BetaCreateMessageParams' },
  'generate-content': { file: 'google/gemini-v1beta.openapi.json', root: 'GenerateContentRequest' },
  // A message of the user's is one by two of its schemas.
  responses: { file: 'openai/openapi.trimmed.json', root: 'CreateResponse', overlaps: true },
}

/** Where a body breaks the vendor's specification: path and rule, nothing of its content. */
export type Specification = (body: unknown) => string[]

/**
 * The specification of a format's requests. It is stricter than the file in one thing: a field that an object's schema does not name is
 * wrong, since the vendors refuse what they do not know.
 */
export function readSpecification(format: FormatId): Specification {
  const { file, root, overlaps = false } = SOURCES[format]
  const document = JSON.parse(readFileSync(join(folder ?? '', '..', 'specs', file), 'utf8')) as { components: { schemas: Json } }
  const { schemas } = document.components
  const shared = new Set(sharedBy(schemas))
  const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false })
  const closed = Object.entries(overlaps ? anyOfEach(schemas) : schemas).map(([name, schema]) => [name, adapted(schema, !shared.has(name))])
  ajv.addSchema({ $id: 'vendor', components: { schemas: Object.fromEntries(closed) as Json } })
  const validate = ajv.compile({ $ref: `vendor#/components/schemas/${root}`, unevaluatedProperties: false })
  return (body) => {
    if (validate(body)) return []
    return [...new Set((validate.errors ?? []).map((error) => `${error.instancePath.replace(/\/\d+/g, '/*')} ${error.keyword}`))]
  }
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

/** OpenAPI as JSON Schema: `nullable` adds null, what only describes goes; where `closed`, objects have no fields but their own. */
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
  if (closed && !isComposed && isObject(out['properties']) && !OPEN.has(out['title'])) out['additionalProperties'] ??= false
  return value['nullable'] === true ? { anyOf: [{ type: 'null' }, out] } : out
}

function mapped(properties: unknown, closed: boolean): unknown {
  if (!isObject(properties)) return properties
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, adapted(schema, closed)]))
}
