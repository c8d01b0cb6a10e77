import type { Json } from './json.ts'
import { dropped, type Loss } from './loss.ts'
import type { OutputFormat } from './request.ts'

/**
 * The schema of an output with its description in it, for formats that have no place beside it. What the schema says of
 * itself stays, and so does one that only refers to another. The name of an output is a label, and not missed.
 *
 * @param path of the output in the body that was read
 */
export function described(output: OutputFormat & { type: 'schema' }, path: string, losses: Loss[]): Json {
  const { schema, description } = output
  if (description === undefined || description === schema['description']) return schema
  if (schema['description'] === undefined && schema['$ref'] === undefined) return { description, ...schema }
  dropped(losses, `${path}.description`, 'the schema has its own description, or no place for one')
  return schema
}
