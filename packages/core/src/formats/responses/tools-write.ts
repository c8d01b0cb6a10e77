import { isObject, type Json } from '../../canonical/json.ts'
import { changed, dropped, under } from '../../canonical/loss.ts'
import type { CustomTool, FunctionTool, HostedTool, Tool, ToolChoice } from '../../canonical/request.ts'
import { checkChoice, leaveOut, permittedTools, strictPath } from '../../canonical/tools.ts'
import { original, ownFields, writeExtensions } from '../../canonical/vendor-extensions.ts'
import { sentName } from '../../canonical/write-state.ts'
import { isVendorModel } from '../chat-completions/models.ts'
import { isStrict, writeParameters } from '../chat-completions/schema.ts'
import { splitName } from './blocks-write.ts'
import { vendorType } from './hosted.ts'
import { ID } from './wire.ts'
import { loseCache, type ResponsesWriteState } from './write-state.ts'

/** Writes tools and the tool choice. Without tools, the choice is left out. */
export function writeTools(context: ResponsesWriteState, body: Json): void {
  const { request, own, losses } = context
  const { toolChoice: choice } = request
  const filtered = choice?.type === 'allowed' && !own && !isVendorModel(context.model)
  if (!own || filtered) checkChoice(request)
  const tools = toolsOf(context, (filtered ? permittedTools(request) : request.tools) ?? [])
  if (tools.length === 0) {
    if (request.parallelTools === false) dropped(losses, request.paths.parallelTools, 'the request has no functions')
    return
  }
  body['tools'] = tools
  if (choice) body['tool_choice'] = writeChoice(context, choice, filtered)
  if (request.parallelTools === undefined) return
  if (context.model.noParallelTools && !own)
    dropped(losses, request.paths.parallelTools, 'the model does not support it')
  else body['parallel_tool_calls'] = request.parallelTools
}

/** Written tools. Consecutive tools of one namespace are grouped again. */
function toolsOf(context: ResponsesWriteState, list: readonly Tool[]): Json[] {
  const tools: Json[] = []
  let open: { name: string; tools: Json[] } | undefined
  for (const tool of list) {
    const out = writeTool(context, tool)
    if (!out) continue
    const namespace = tool.type === 'hosted' || !context.own ? undefined : tool.namespace
    if (namespace === undefined || tool.type === 'hosted') {
      open = undefined
      tools.push(out)
      continue
    }
    if (open?.name !== namespace) {
      open = { name: namespace, tools: [] }
      tools.push({ type: 'namespace', name: namespace, ...namespaceFields(out), tools: open.tools })
    }
    const { namespace: _, ...inner } = out
    open.tools.push({ ...inner, name: splitName(tool.name, namespace).name })
  }
  return tools
}

/** Vendor extensions of a namespace, from its first tool. */
function namespaceFields(tool: Json): Json {
  return isObject(tool['namespace']) ? tool['namespace'] : {}
}

/** Written tool. Undefined if it is left out. */
function writeTool(context: ResponsesWriteState, tool: Tool): Json | undefined {
  if (tool.type === 'hosted') return writeHosted(context, tool)
  return tool.type === 'custom' ? writeCustom(context, tool) : writeFunction(context, tool)
}

/**
 * Writes a function. The vendor is strict by default, and makes optional fields required. Other formats are not, so
 * `strict` is always written.
 */
function writeFunction(context: ResponsesWriteState, tool: FunctionTool): Json {
  const out: Json = { type: 'function', name: sentName(context, tool.name) }
  if (tool.description !== undefined) out['description'] = tool.description
  const schema = context.own ? tool.schema : writeParameters(tool.schema, context.wrapped.has(tool.name))
  if (schema) out['parameters'] = schema
  if (context.own) {
    if (tool.strict !== undefined) out['strict'] = tool.strict
  } else {
    out['strict'] = tool.strict === true && isStrict(schema)
    if (tool.strict && !out['strict'])
      changed(context.losses, strictPath(tool), 'the schema has optional fields, which strict mode does not support')
  }
  writeExtensions(tool, ID, out, context.losses)
  loseCache(tool, context.losses)
  return out
}

function writeCustom(context: ResponsesWriteState, tool: CustomTool): Json {
  const out: Json = { type: 'custom', name: sentName(context, tool.name) }
  if (tool.description !== undefined) out['description'] = tool.description
  if (tool.grammar) out['format'] = flatGrammar(tool.grammar)
  writeExtensions(tool, ID, out, context.losses)
  return out
}

/** Converts a grammar from the shape of chat completions, in a nested object. */
function flatGrammar(format: Json): Json {
  const { grammar, ...rest } = format
  return isObject(grammar) ? { ...rest, ...grammar } : format
}

function writeHosted(context: ResponsesWriteState, tool: HostedTool): Json | undefined {
  const own = original(tool, ID)
  if (own) return own
  if (tool.name === 'web-search') return writeWebSearch(context, tool)
  const type = vendorType(tool.name)
  if (type === undefined) {
    leaveOut(tool, context.request, context.losses)
    return undefined
  }
  const out: Json = { type, container: { type: 'auto' } }
  writeExtensions(tool, ID, out, context.losses)
  return out
}

function writeWebSearch({ own, target, losses }: ResponsesWriteState, tool: HostedTool): Json {
  const out: Json = { type: 'web_search' }
  const filters: Json = {}
  if (tool.contextSize) out['search_context_size'] = tool.contextSize
  if (tool.location) out['user_location'] = { type: 'approximate', ...tool.location }
  if (tool.allowedDomains) filters['allowed_domains'] = tool.allowedDomains
  if (tool.blockedDomains) {
    if (own || target.signer === 'grok') filters['excluded_domains'] = tool.blockedDomains
    else dropped(losses, under(tool, 'blocked_domains'), 'web search has no such option in this format')
  }
  if (tool.maxUses !== undefined) {
    if (own) out['max_uses'] = tool.maxUses
    else dropped(losses, under(tool, 'max_uses'), 'web search has no such option in this format')
  }
  if (Object.keys(filters).length > 0) out['filters'] = filters
  writeExtensions(tool, ID, out, losses)
  return out
}

/**
 * Tool choice.
 * @param filtered true if disallowed tools were left out, since servers that imitate the vendor do not support
 * `allowed_tools`.
 */
function writeChoice(context: ResponsesWriteState, choice: ToolChoice, filtered: boolean): unknown {
  switch (choice.type) {
    case 'tool':
      return reference(context, choice.name, byName(context))
    case 'allowed': {
      const mode = choice.required ? 'required' : 'auto'
      if (filtered) return mode
      const tools = byName(context)
      return { type: 'allowed_tools', mode, tools: choice.names.map((name) => reference(context, name, tools)) }
    }
    default:
      return choice.type
  }
}

function byName({ request }: ResponsesWriteState): ReadonlyMap<string, Tool> {
  return new Map((request.tools ?? []).map((tool) => [tool.name, tool]))
}

function reference(context: ResponsesWriteState, name: string, tools: ReadonlyMap<string, Tool>): Json {
  const tool = tools.get(name)
  if (tool?.type === 'hosted') return { type: typeOf(tool) }
  const named = context.own ? splitName(name, tool?.namespace) : { name: sentName(context, name) }
  return { type: tool?.type ?? 'function', ...named }
}

/** Type of a hosted tool for a tool choice, as in its declaration. */
function typeOf(tool: HostedTool): string {
  const declared = original(tool, ID)?.['type'] ?? ownFields(tool, ID)?.['type']
  return typeof declared === 'string' ? declared : (vendorType(tool.name) ?? tool.name)
}
