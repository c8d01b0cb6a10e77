import type { Json } from './json.ts'
import { dropped, type Loss } from './loss.ts'
import type { OutputFormat } from './request.ts'

/**
 * Schema of an output with the description of the output, for formats without a field for it. A description in the
 * schema and a schema that is only a reference stay unchanged. The name of an output is a label, so leaving it out is
 * not a loss.
 * @param path path of the output in the body that was read.
 * @example described({ type: 'schema', schema, description: 'A person' }, 'response_format', losses)
 */
export function described(output: OutputFormat & { type: 'schema' }, path: string, losses: Loss[]): Json {
  const { schema, description } = output
  if (description === undefined || description === schema['description']) return schema
  if (schema['description'] === undefined && schema['$ref'] === undefined) return { description, ...schema }
  dropped(losses, `${path}.description`, 'the schema has its own description, or no place for one')
  return schema
}
