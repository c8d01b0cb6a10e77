import { described } from '../../chat/described.ts'
import type { Json } from '../../chat/json.ts'
import { changed, dropped } from '../../chat/loss.ts'
import type { ChatRequest, OutputFormat } from '../../chat/request.ts'
import { invalid } from '../../errors.ts'
import type { Draft } from './draft.ts'
import { enforceable, inputSchema, isEnforceable } from './schema.ts'
import type { OutputTool } from './tools-write.ts'

/** How the wished form of the answer is asked for: at most one of these. */
export interface OutputPlan {
  /** `output_config.format`. */
  readonly format?: Json
  readonly tool?: OutputTool
  /** A sentence for the system prompt. */
  readonly hint?: string
}

const JSON_HINT = 'Answer with one valid JSON object and nothing else: no text around it, no code fence.'

/**
 * The plan for `request.output`. A schema goes to the vendor's structured outputs where the model has them and can be held to
 * it, else a tool that must be called takes it as its input.
 */
export function planOutput(request: ChatRequest, draft: Draft): OutputPlan {
  const { output } = request
  if (!output || output.type === 'text') return {}
  const path = request.paths.output ?? 'output_config.format'
  if (output.type === 'json') {
    changed(draft.losses, path, 'JSON without a schema is asked for in the system prompt')
    return { hint: JSON_HINT }
  }
  const fits = draft.model.structured && isEnforceable(output.schema)
  if (fits) return nativeOutput(output, path, draft)
  if (draft.model.forced) return { tool: outputTool(output, request, path, draft) }
  throw invalid(
    path,
    'The model can not be held to this schema. Make it one without recursion, without free keys and with few optional properties.',
  )
}

type SchemaFormat = Extract<OutputFormat, { type: 'schema' }>

function nativeOutput(output: SchemaFormat, path: string, draft: Draft): OutputPlan {
  const { schema, relaxed } = enforceable(described(output, path, draft.losses))
  if (relaxed) changed(draft.losses, path, 'bounds of values are told to the model, but not enforced')
  return { format: { type: 'json_schema', schema } }
}

function outputTool(output: SchemaFormat, request: ChatRequest, path: string, draft: Draft): OutputTool {
  const { schema, relaxed } = inputSchema(output.schema, path)
  if (relaxed) changed(draft.losses, path, 'combined schemas at the root became one object')
  if (output.strict) dropped(draft.losses, `${path}.strict`, 'the schema is told to the model, but not enforced')
  const taken = new Set((request.tools ?? []).map((tool) => draft.names.get(tool.name) ?? tool.name))
  let name = 'json'
  while (taken.has(name)) name += '_'
  return { name, description: output.description ?? 'Takes the answer. Call it once, with the whole answer.', schema }
}
