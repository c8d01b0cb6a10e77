import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'

/** Beside the recordings lie the vendors' specifications, in `specs`. */
const recordings = process.env['HEADGATE_RECORDINGS'] || undefined

/** Where a body breaks a schema of the vendor's discovery document: path and rule. */
export type Check = (body: unknown) => string[]

/**
 * The check of a schema in the discovery document of the Custom Search JSON API; undefined where the document is not
 * there. Stricter than the document in one thing: a field that it does not name is wrong.
 */
export function readDiscoveryDocument(schema: string): Check | undefined {
  if (recordings === undefined) return undefined
  const text = readFileSync(join(recordings, '..', 'specs', 'google', 'customsearch.v1.discovery.json'), 'utf8')
  const { schemas }: { schemas: Record<string, unknown> } = JSON.parse(text)
  const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false, allErrors: true })
  for (const [name, one] of Object.entries(schemas)) ajv.addSchema({ ...Object(closed(one)), $id: `vendor:${name}` })
  const validate = ajv.getSchema(`vendor:${schema}`)
  if (!validate) throw new Error(`The discovery document has no schema ${schema}.`)
  return (body) =>
    validate(body) ? [] : (validate.errors ?? []).map(({ instancePath, keyword }) => `${instancePath} ${keyword}`)
}

/** As JSON Schema: `any` is no type there, references are names, and objects have no fields but their own. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed)
  if (typeof value !== 'object' || value === null) return value
  const { type, $ref, id: _, properties, ...rest } = value as Record<string, unknown>
  return {
    ...Object.fromEntries(Object.entries(rest).map(([key, inner]) => [key, closed(inner)])),
    ...(type !== undefined && type !== 'any' && { type }),
    ...($ref !== undefined && { $ref: `vendor:${String($ref)}` }),
    ...(properties !== undefined && { additionalProperties: false, properties: fieldsOf(properties) }),
  }
}

function fieldsOf(properties: unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(Object(properties)).map(([name, schema]) => [name, closed(schema)]))
}
