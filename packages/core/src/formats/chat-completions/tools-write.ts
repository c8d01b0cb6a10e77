import { isObject, type Json, objects } from '../../chat/json.ts'
import { changed, dropped, under } from '../../chat/loss.ts'
import type { CustomTool, FunctionTool, HostedTool, Tool, ToolChoice } from '../../chat/request.ts'
import { invalid } from '../../errors.ts'
import { generationOf, isVendorModel } from './models.ts'
import { isOwn, putSide } from './side.ts'
import { putCacheControl, type Writing } from './writing.ts'

/** Writes tools and what is said about their choice. Without tools nothing of it is sent. */
export function writeTools(context: Writing, body: Json): void {
  const { request, losses } = context
  const choice = request.toolChoice
  const only = choice?.type === 'allowed' && !isVendorModel(context.target.model) ? new Set(choice.names) : undefined
  const tools: Json[] = []
  for (const tool of request.tools ?? []) {
    if (tool.type === 'hosted') writeHosted(context, tool, tools, body)
    else if (!only || only.has(tool.name)) tools.push(tool.type === 'function' ? writeFunction(context, tool) : writeCustom(context, tool))
  }
  if (tools.length === 0) return
  body['tools'] = tools
  if (choice) body['tool_choice'] = writeChoice(context, choice, only !== undefined)
  if (request.parallelTools === undefined) return
  if (generationOf(context.target.model).noParallelTools) dropped(losses, request.paths.parallelTools, 'the model does not take it')
  else body['parallel_tool_calls'] = request.parallelTools
}

function writeFunction(context: Writing, tool: FunctionTool): Json {
  const definition: Json = { name: context.names.get(tool.name) ?? tool.name }
  if (tool.description !== undefined) definition['description'] = tool.description
  const schema = context.own ? tool.schema : objectSchema(tool.schema)
  if (schema) definition['parameters'] = schema
  if (tool.strict !== undefined) {
    if (context.own || !tool.strict || isStrict(schema)) definition['strict'] = tool.strict
    else changed(context.losses, under(tool, 'strict'), 'the schema has optional fields, which strict mode does not take')
  }
  const out: Json = { type: 'function', function: definition }
  putSide(tool, out, context.losses)
  putCacheControl(context, tool, out)
  return out
}

/** The vendor wants an object at the root. */
function objectSchema(schema: Json | undefined): Json {
  if (!schema) return { type: 'object', properties: {} }
  if (schema['type'] !== undefined && schema['type'] !== 'object') return schema
  if (schema['type'] === 'object' && schema['properties'] !== undefined) return schema
  return { type: 'object', properties: {}, ...schema }
}

/**
 * Whether a schema already is what strict mode wants: every object closed, every property required.
 *
 * @see https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
 */
export function isStrict(schema: unknown, depth = 0): boolean {
  if (!isObject(schema) || depth > 100) return depth <= 100
  if (isObject(schema['properties']) || schema['type'] === 'object') {
    const properties = isObject(schema['properties']) ? schema['properties'] : {}
    const required = new Set(Array.isArray(schema['required']) ? schema['required'] : [])
    if (schema['additionalProperties'] !== false) return false
    if (!Object.keys(properties).every((key) => required.has(key))) return false
  }
  const named = [schema['properties'], schema['$defs'], schema['definitions']].filter(isObject).flatMap((group) => Object.values(group))
  const listed = [...objects(schema['anyOf']), ...objects(schema['oneOf']), ...objects(schema['allOf']), schema['items']]
  return [...named, ...listed].every((inner) => isStrict(inner, depth + 1))
}

function writeCustom(context: Writing, tool: CustomTool): Json {
  const definition: Json = { name: context.names.get(tool.name) ?? tool.name }
  if (tool.description !== undefined) definition['description'] = tool.description
  if (tool.grammar) definition['format'] = tool.grammar
  const out: Json = { type: 'custom', custom: definition }
  putSide(tool, out, context.losses)
  return out
}

function writeHosted(context: Writing, tool: HostedTool, tools: Json[], body: Json): void {
  if (tool.name === 'web-search') {
    body['web_search_options'] = writeWebSearch(context, tool)
    return
  }
  if (!isOwn(tool)) {
    throw invalid(
      tool.at,
      `${tool.at ?? 'tools'}: the hosted tool "${tool.name}" has no equivalent here. Leave it out, or name a model whose provider has it.`,
    )
  }
  const out: Json = { type: tool.name }
  putSide(tool, out, context.losses)
  tools.push(out)
}

function writeWebSearch({ losses }: Writing, tool: HostedTool): Json {
  const out: Json = {}
  if (tool.contextSize) out['search_context_size'] = tool.contextSize
  if (tool.location) out['user_location'] = { type: 'approximate', approximate: { ...tool.location } }
  if (tool.maxUses !== undefined) dropped(losses, under(tool, 'max_uses'), 'web search has no such option here')
  if (tool.allowedDomains) dropped(losses, under(tool, 'allowed_domains'), 'web search has no such option here')
  if (tool.blockedDomains) dropped(losses, under(tool, 'blocked_domains'), 'web search has no such option here')
  putSide(tool, out, losses)
  return out
}

/** `filtered`: the tools that are not allowed were left out instead of being named, as imitators do not know `allowed_tools`. */
function writeChoice(context: Writing, choice: ToolChoice, filtered: boolean): unknown {
  switch (choice.type) {
    case 'tool':
      return reference(context, choice.name)
    case 'allowed': {
      const mode = choice.required ? 'required' : 'auto'
      if (filtered) return mode
      return { type: 'allowed_tools', allowed_tools: { mode, tools: choice.names.map((name) => reference(context, name)) } }
    }
    default:
      return choice.type
  }
}

function reference({ request, names }: Writing, name: string): Json {
  const tool: Tool | undefined = request.tools?.find((candidate) => candidate.type !== 'hosted' && candidate.name === name)
  const named = { name: names.get(name) ?? name }
  return tool?.type === 'custom' ? { type: 'custom', custom: named } : { type: 'function', function: named }
}
