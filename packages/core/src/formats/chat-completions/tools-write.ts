import type { Json } from '../../canonical/json.ts'
import { changed, dropped, under } from '../../canonical/loss.ts'
import type { CustomTool, FunctionTool, HostedTool, ToolChoice } from '../../canonical/request.ts'
import {
  callableNames,
  checkChoice,
  FREE_TEXT,
  isHostedChoice,
  leaveOut,
  permittedTools,
  strictPath,
} from '../../canonical/tools.ts'
import { isOwn, writeExtensions } from '../../canonical/vendor-extensions.ts'
import { sentName } from '../../canonical/write-state.ts'
import { hasFunctionsOnly, isVendorModel } from './models.ts'
import { isStrict, writeParameters } from './schema.ts'
import { ID } from './wire.ts'
import { type ChatWriteState, putCacheControl } from './write-state.ts'

/** Writes tools and the tool choice. Without tools, the choice is left out. */
export function writeTools(context: ChatWriteState, body: Json): void {
  const { request, own, losses } = context
  const choice = request.toolChoice
  const filtered = choice?.type === 'allowed' && !isVendorModel(context.model)
  if (!own || filtered) checkChoice(request)
  const tools: Json[] = []
  for (const tool of (filtered ? permittedTools(request) : request.tools) ?? []) {
    if (tool.type === 'hosted') writeHosted(context, tool, tools, body)
    else tools.push(tool.type === 'function' ? writeFunction(context, tool) : writeCustom(context, tool))
  }
  const unfit = tools.length === 0 ? request.tools && choice?.type !== 'auto' : !own && isHostedChoice(request)
  if (choice && unfit) dropped(losses, request.paths.toolChoice, 'the tool choice can name only functions')
  if (tools.length === 0) {
    if (request.parallelTools === false) dropped(losses, request.paths.parallelTools, 'the request has no functions')
    return
  }
  body['tools'] = tools
  if (choice && !unfit) body['tool_choice'] = writeChoice(context, choice, filtered)
  if (request.parallelTools === undefined) return
  if (context.model.noParallelTools) dropped(losses, request.paths.parallelTools, 'the model does not support it')
  else body['parallel_tool_calls'] = request.parallelTools
}

function writeFunction(context: ChatWriteState, tool: FunctionTool): Json {
  const definition: Json = { name: sentName(context, tool.name) }
  if (tool.description !== undefined) definition['description'] = tool.description
  const schema = context.own ? tool.schema : writeParameters(tool.schema, context.wrapped.has(tool.name))
  if (schema) definition['parameters'] = schema
  if (tool.strict !== undefined) {
    if (context.own || !tool.strict || isStrict(schema)) definition['strict'] = tool.strict
    else changed(context.losses, strictPath(tool), 'the schema has optional fields, which strict mode does not support')
  }
  const out: Json = { type: 'function', function: definition }
  writeExtensions(tool, ID, out, context.losses)
  putCacheControl(context, tool.cache, under(tool, 'cache_control'), out)
  return out
}

function writeCustom(context: ChatWriteState, tool: CustomTool): Json {
  const definition: Json = { name: sentName(context, tool.name) }
  if (tool.description !== undefined) definition['description'] = tool.description
  if (hasFunctionsOnly(context.target)) {
    if (tool.grammar && tool.grammar['type'] !== 'text')
      dropped(context.losses, under(tool, 'format'), 'the model does not support grammars')
    const out: Json = {
      type: 'function',
      function: { ...definition, parameters: { ...FREE_TEXT, additionalProperties: false } },
    }
    writeExtensions(tool, ID, out, context.losses)
    return out
  }
  if (tool.grammar) definition['format'] = tool.grammar
  const out: Json = { type: 'custom', custom: definition }
  writeExtensions(tool, ID, out, context.losses)
  return out
}

function writeHosted(context: ChatWriteState, tool: HostedTool, tools: Json[], body: Json): void {
  // Servers of this format without web search reject or ignore the field.
  if (tool.name === 'web-search' && (context.own || context.target.facts?.webSearch)) {
    body['web_search_options'] = writeWebSearch(context, tool)
    return
  }
  if (!isOwn(tool, ID)) {
    leaveOut(tool, context.request, context.losses)
    return
  }
  const out: Json = { type: tool.name }
  writeExtensions(tool, ID, out, context.losses)
  tools.push(out)
}

function writeWebSearch({ losses }: ChatWriteState, tool: HostedTool): Json {
  const out: Json = {}
  if (tool.contextSize) out['search_context_size'] = tool.contextSize
  if (tool.location) out['user_location'] = { type: 'approximate', approximate: { ...tool.location } }
  if (tool.maxUses !== undefined)
    dropped(losses, under(tool, 'max_uses'), 'web search has no such option in this format')
  if (tool.allowedDomains)
    dropped(losses, under(tool, 'allowed_domains'), 'web search has no such option in this format')
  if (tool.blockedDomains)
    dropped(losses, under(tool, 'blocked_domains'), 'web search has no such option in this format')
  writeExtensions(tool, ID, out, losses)
  return out
}

/**
 * Tool choice.
 * @param filtered true if disallowed tools were left out, since servers that imitate the vendor do not support
 * `allowed_tools`.
 */
function writeChoice(context: ChatWriteState, choice: ToolChoice, filtered: boolean): unknown {
  const custom = customNames(context)
  switch (choice.type) {
    case 'tool':
      return reference(context, choice.name, custom)
    case 'allowed': {
      const mode = choice.required ? 'required' : 'auto'
      if (filtered) return mode
      const names = callableNames(context.request, choice.names)
      return {
        type: 'allowed_tools',
        allowed_tools: { mode, tools: names.map((name) => reference(context, name, custom)) },
      }
    }
    default:
      return choice.type
  }
}

function customNames({ request, target }: ChatWriteState): ReadonlySet<string> {
  if (hasFunctionsOnly(target)) return new Set()
  return new Set((request.tools ?? []).filter((tool) => tool.type === 'custom').map((tool) => tool.name))
}

function reference(context: ChatWriteState, name: string, custom: ReadonlySet<string>): Json {
  const named = { name: sentName(context, name) }
  return custom.has(name) ? { type: 'custom', custom: named } : { type: 'function', function: named }
}
