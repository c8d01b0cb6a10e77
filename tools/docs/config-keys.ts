import { configJsonSchema } from '../../apps/server/src/config/schema.ts'
import { code, table } from './markdown.ts'

/** Used members of a JSON Schema. */
export interface JsonSchema {
  readonly type?: string
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly additionalProperties?: JsonSchema | boolean
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
}

/** Every setting of the configuration file, in the order of its schema. */
export function configKeys(): string {
  const schema: JsonSchema = configJsonSchema()
  return keysTable(schema)
}

/** Keys of an object and of nested objects. */
export function keysTable(schema: JsonSchema): string {
  return table(['setting', 'value', 'meaning'], rowsBelow(schema, ''))
}

function rowsBelow({ properties = {}, required = [] }: JsonSchema, path: string): string[][] {
  return Object.entries(properties).flatMap(([key, node]) =>
    rowsOf(node, path === '' ? key : `${path}.${key}`, required.includes(key) ? ' (required)' : ''),
  )
}

function rowsOf(node: JsonSchema, path: string, mark: string): string[][] {
  const own =
    node.description === undefined && node.properties
      ? []
      : [[code(path), valueText(node) + mark, node.description ?? '']]
  return [...own, ...innerObjects(node, path).flatMap(([object, at]) => rowsBelow(object, at))]
}

/** Objects in a node, with their paths. */
function innerObjects(node: JsonSchema, path: string): [JsonSchema, string][] {
  if (node.properties) return [[node, path]]
  if (node.items) return innerObjects(node.items, `${path}[]`)
  if (typeof node.additionalProperties === 'object') return innerObjects(node.additionalProperties, `${path}.<name>`)
  return (node.anyOf ?? []).flatMap((one) => innerObjects(one, path))
}

const WORDS: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'whole number',
  number: 'number',
  boolean: 'true or false',
  object: 'object',
  null: '`null`',
}

function valueText(node: JsonSchema): string {
  if (node.enum) return node.enum.map((value) => code(String(value))).join(', ')
  if (node.const !== undefined) return code(String(node.const))
  if (node.anyOf) return [...new Set(node.anyOf.map(valueText))].join(', or ')
  if (node.type === 'array') return `list of ${node.items ? valueText(node.items) : 'anything'}`
  if (typeof node.additionalProperties === 'object' && !node.properties)
    return `name → ${valueText(node.additionalProperties)}`
  return WORDS[node.type ?? ''] ?? 'anything'
}
