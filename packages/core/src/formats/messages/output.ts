import { described } from '../../canonical/described.ts'
import type { Json } from '../../canonical/json.ts'
import { changed, dropped } from '../../canonical/loss.ts'
import type { OutputFormat } from '../../canonical/request.ts'
import { sentName } from '../../canonical/write-state.ts'
import { invalid } from '../../errors.ts'
import { declareLoose, enforceable, inputSchema, refusal } from './schema.ts'
import type { MessagesOutputTool } from './tools-write.ts'
import type { MessagesWriteState } from './write-state.ts'

/** Implementation of a structured output: at most one of these. */
export interface OutputPlan {
  /** `output_config.format`. */
  readonly format?: Json
  readonly tool?: MessagesOutputTool
  /** Instruction for the system prompt. */
  readonly hint?: string
}

const JSON_HINT = 'Answer with one valid JSON object and nothing else: no text around it, no code fence.'

/**
 * Plan for `request.output`. A schema uses the vendor's structured outputs if the model can enforce it, else the input
 * of a tool that must be called.
 */
export function planOutput(context: MessagesWriteState): OutputPlan {
  const { request, model, losses } = context
  const { output } = request
  if (!output || output.type === 'text') return {}
  const path = request.paths.output ?? 'output_config.format'
  if (output.type === 'json') {
    changed(losses, path, 'JSON without a schema is requested in the system prompt')
    return { hint: JSON_HINT }
  }
  if (model.structured && refusal(output.schema, context.enforced, 0) === undefined)
    return nativeOutput(context, output, path)
  if (model.forced) return { tool: outputTool(context, output, path) }
  throw invalid(
    path,
    'The model cannot enforce this schema. Use a schema without recursion and additional properties, and with few optional properties.',
  )
}

type SchemaFormat = Extract<OutputFormat, { type: 'schema' }>

function nativeOutput({ losses }: MessagesWriteState, output: SchemaFormat, path: string): OutputPlan {
  const written = enforceable(described(output, path, losses), path)
  declareLoose(written, path, losses)
  return { format: { type: 'json_schema', schema: written.schema } }
}

function outputTool(context: MessagesWriteState, output: SchemaFormat, path: string): MessagesOutputTool {
  const { request, losses } = context
  const { schema, relaxed } = inputSchema(output.schema, path)
  if (relaxed) changed(losses, path, 'combined schemas at the root are merged into one object')
  if (output.strict) dropped(losses, `${path}.strict`, 'the schema is sent to the model, but not enforced')
  const taken = new Set((request.tools ?? []).map((tool) => sentName(context, tool.name)))
  let name = 'json'
  while (taken.has(name)) name += '_'
  return { name, description: output.description ?? 'Takes the answer. Call it once, with the whole answer.', schema }
}
