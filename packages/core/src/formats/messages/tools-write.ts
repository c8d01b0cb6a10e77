import type { Json } from '../../canonical/json.ts'
import { changed, dropped, under } from '../../canonical/loss.ts'
import type { CustomTool, FunctionTool, HostedTool, Tool, ToolChoice } from '../../canonical/request.ts'
import {
  callsOf,
  checkChoice,
  customDescription,
  FREE_TEXT,
  leaveOut,
  permittedTools,
  strictPath,
} from '../../canonical/tools.ts'
import { ownFields, writeExtensions } from '../../canonical/vendor-extensions.ts'
import { sentName } from '../../canonical/write-state.ts'
import { invalid } from '../../errors.ts'
import { vendorName } from './hosted.ts'
import { declareLoose, enforceable, inputSchema, refusal, withRoot } from './schema.ts'
import { ID, WEB_SEARCH_TYPE } from './wire.ts'
import { type MessagesWriteState, putCache } from './write-state.ts'

export interface WrittenMessagesTools {
  readonly tools: Json[]
  readonly choice?: Json
  /** True if a call is forced, which cannot be combined with thinking. */
  readonly forced: boolean
}

/** Tool that represents a structured output, for models without native support. */
export interface MessagesOutputTool {
  readonly name: string
  readonly description: string
  readonly schema: Json
}

/** Tools and tool choice of a request. */
export function writeTools(context: MessagesWriteState, output: MessagesOutputTool | undefined): WrittenMessagesTools {
  checkChoice(context.request)
  const tools = permittedTools(context.request)
    .map((tool) => writeTool(context, tool))
    .filter((tool) => tool !== undefined)
  if (output) return withOutput(output, tools, context.request.toolChoice)
  if (tools.length === 0) {
    const { parallelTools, paths } = context.request
    if (parallelTools === false) dropped(context.losses, paths.parallelTools, 'the request has no tools')
    return placeholders(context)
  }
  const choice = writeChoice(context, tools)
  return { tools, ...(choice && { choice }), forced: choice?.['type'] === 'any' || choice?.['type'] === 'tool' }
}

/**
 * Tools with an output tool. Every response is then a call of the output tool, or of a caller's tool if one is allowed.
 */
function withOutput(output: MessagesOutputTool, tools: Json[], wanted: ToolChoice | undefined): WrittenMessagesTools {
  const free = tools.length > 0 && wanted?.type !== 'none'
  const choice = free ? { type: 'any' } : { type: 'tool', name: output.name }
  const tool = { name: output.name, description: output.description, input_schema: output.schema }
  return { tools: [...tools, tool], choice: { ...choice, disable_parallel_tool_use: true }, forced: true }
}

/** Placeholder tools, since a conversation with calls must declare tools, even if none can be called. */
function placeholders(context: MessagesWriteState): WrittenMessagesTools {
  const names = new Set<string>()
  for (const call of callsOf(context.request)) names.add(sentName(context, call.name))
  if (names.size === 0) return { tools: [], forced: false }
  const tools = [...names].map((name) => ({ name, input_schema: { type: 'object' } }))
  return { tools, choice: { type: 'none' }, forced: false }
}

/** Written tool. Undefined if it is left out. */
function writeTool(context: MessagesWriteState, tool: Tool): Json | undefined {
  if (tool.type === 'hosted') return writeHostedTool(context, tool)
  return tool.type === 'custom' ? writeCustom(context, tool) : writeFunction(context, tool)
}

function writeFunction(context: MessagesWriteState, tool: FunctionTool): Json {
  const { losses } = context
  if (tool.vendors) return writeVendors(context, tool, tool.vendors)
  const { schema, relaxed } = inputSchema(tool.schema, tool.at)
  if (relaxed) changed(losses, under(tool, 'parameters'), 'combined schemas at the root are merged into one object')
  const out: Json = { name: sentName(context, tool.name) }
  if (tool.description !== undefined) out['description'] = tool.description
  out['input_schema'] = schema
  if (tool.strict) putStrict(context, tool, withRoot(schema), out)
  writeExtensions(tool, ID, out, losses)
  putCache(context, tool, out)
  return out
}

/** Tool that the vendor defines, as its caller declared it. */
function writeVendors(context: MessagesWriteState, tool: FunctionTool, item: Json): Json {
  const out = { ...item }
  putCache(context, tool, out)
  return out
}

function putStrict({ model, losses, enforced }: MessagesWriteState, tool: FunctionTool, schema: Json, out: Json): void {
  const why = model.structured ? refusal(schema, enforced, 1) : 'the model cannot enforce a schema'
  if (why !== undefined) {
    dropped(losses, strictPath(tool), why)
    return
  }
  const written = enforceable(schema, tool.at)
  declareLoose(written, under(tool, 'parameters'), losses)
  out['strict'] = true
  out['input_schema'] = written.schema
}

function writeCustom(context: MessagesWriteState, tool: CustomTool): Json {
  const out: Json = {
    name: sentName(context, tool.name),
    description: customDescription(tool, context.losses)?.trim() || 'Takes free text.',
    input_schema: { ...FREE_TEXT, additionalProperties: false },
  }
  writeExtensions(tool, ID, out, context.losses)
  return out
}

function writeHostedTool(context: MessagesWriteState, tool: HostedTool): Json | undefined {
  if (tool.name === 'web-search') return writeWebSearch(context, tool)
  const own = ownFields(tool, ID)
  if (!own) {
    leaveOut(tool, context.request, context.losses)
    return undefined
  }
  const out = { ...own }
  putCache(context, tool, out)
  return out
}

function writeWebSearch(context: MessagesWriteState, tool: HostedTool): Json {
  const out: Json = { type: WEB_SEARCH_TYPE, name: 'web_search' }
  if (tool.maxUses !== undefined) out['max_uses'] = tool.maxUses
  if (tool.allowedDomains) out['allowed_domains'] = tool.allowedDomains
  if (tool.blockedDomains) out['blocked_domains'] = tool.blockedDomains
  if (tool.location) out['user_location'] = { type: 'approximate', ...tool.location }
  if (tool.contextSize !== undefined)
    dropped(context.losses, under(tool, 'search_context_size'), 'web search has no context size option')
  writeExtensions(tool, ID, out, context.losses)
  putCache(context, tool, out)
  return out
}

function writeChoice(context: MessagesWriteState, tools: Json[]): Json | undefined {
  const { request, model, losses } = context
  const wanted = request.toolChoice
  if (wanted?.type === 'none') return { type: 'none' }
  const single = request.parallelTools === false ? { disable_parallel_tool_use: true } : undefined
  if (!wanted) return single && { type: 'auto', ...single }
  const name = wanted.type === 'tool' ? calledName(context, wanted.name, tools) : undefined
  const forced = name !== undefined || wanted.type === 'required' || (wanted.type === 'allowed' && wanted.required)
  if (!forced) return { type: 'auto', ...single }
  if (model.forced) return name === undefined ? { type: 'any', ...single } : { type: 'tool', name, ...single }
  changed(
    losses,
    request.paths.toolChoice ?? 'tool_choice',
    'the model does not support forced calls, so calls are optional',
  )
  if (name !== undefined) keepOnly(tools, name)
  return { type: 'auto', ...single }
}

/** Removes all tools except the requested one. */
function keepOnly(tools: Json[], name: string): void {
  const kept = tools.find((tool) => tool['name'] === name)
  tools.length = 0
  if (kept) tools.push(kept)
}

function calledName(context: MessagesWriteState, wanted: string, tools: readonly Json[]): string {
  const name = context.names.get(wanted) ?? vendorName(wanted)
  if (tools.some((tool) => tool['name'] === name)) return name
  const path = context.request.paths.toolChoice ?? 'tool_choice'
  throw invalid(
    path,
    `${path} names the tool ${JSON.stringify(wanted)}, which is not declared in the tools. Declare it, or choose another tool.`,
  )
}
