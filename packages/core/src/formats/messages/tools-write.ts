import type { Json } from '../../chat/json.ts'
import { changed, dropped, under, writeSide } from '../../chat/loss.ts'
import { fitNames } from '../../chat/names.ts'
import type { ChatRequest, CustomTool, FunctionTool, HostedTool, Tool, ToolChoice } from '../../chat/request.ts'
import { invalid } from '../../errors.ts'
import { type Draft, mark } from './draft.ts'
import { enforceable, inputSchema, isEnforceable } from './schema.ts'
import { FORMAT, WEB_SEARCH_TYPE } from './wire.ts'

/** Names of tools that the request holds → names that the vendor allows. */
export function toolNames(request: ChatRequest): ReadonlyMap<string, string> {
  const names = new Set<string>()
  for (const tool of request.tools ?? []) if (tool.type !== 'hosted') names.add(tool.name)
  for (const name of calledTools(request)) names.add(name)
  return fitNames(names, { illegal: /[^a-zA-Z0-9_-]/g, max: 128 })
}

function calledTools(request: ChatRequest): Set<string> {
  const names = new Set<string>()
  for (const message of request.messages) for (const block of message.blocks) if (block.type === 'tool-call') names.add(block.name)
  return names
}

export interface WrittenTools {
  readonly tools: Json[]
  readonly choice?: Json
  /** Whether a call is forced, which thinking does not go with. */
  readonly forced: boolean
}

/** A tool that stands for the structured output, where the model has none of its own. */
export interface OutputTool {
  readonly name: string
  readonly description: string
  readonly schema: Json
}

/** Tools and the choice among them. */
export function writeTools(request: ChatRequest, output: OutputTool | undefined, draft: Draft): WrittenTools {
  const wanted = request.toolChoice
  const tools = usable(request).map((tool) => writeTool(tool, draft))
  if (output) return withOutput(output, tools, wanted)
  if (tools.length === 0 && wanted?.type !== 'tool') return placeholders(request, draft)
  const choice = writeChoice(request, tools, draft)
  return { tools, ...(choice && { choice }), forced: choice?.['type'] === 'any' || choice?.['type'] === 'tool' }
}

/** The tools that may be called: all, or those that the choice allows. */
function usable(request: ChatRequest): readonly Tool[] {
  const { tools = [], toolChoice: choice } = request
  if (choice?.type !== 'allowed') return tools
  const allowed = tools.filter((tool) => choice.names.includes(tool.name))
  if (allowed.length > 0) return allowed
  const path = request.paths.toolChoice ?? 'tool_choice'
  throw invalid(path, `${path} allows none of the tools. Name tools that are declared.`)
}

/** Every answer is then a call: of the output's tool, or, where the caller has tools that may be called, of one of them. */
function withOutput(output: OutputTool, tools: Json[], wanted: ToolChoice | undefined): WrittenTools {
  const free = tools.length > 0 && wanted?.type !== 'none'
  const choice = free ? { type: 'any' } : { type: 'tool', name: output.name }
  const tool = { name: output.name, description: output.description, input_schema: output.schema }
  return { tools: [...tools, tool], choice: { ...choice, disable_parallel_tool_use: true }, forced: true }
}

/** A conversation that holds calls must declare tools, even when none may be called any more. */
function placeholders(request: ChatRequest, draft: Draft): WrittenTools {
  const names = [...calledTools(request)]
  if (names.length === 0) return { tools: [], forced: false }
  const tools = names.map((name) => ({ name: draft.names.get(name) ?? name, input_schema: { type: 'object' } }))
  return { tools, choice: { type: 'none' }, forced: false }
}

function writeTool(tool: Tool, draft: Draft): Json {
  if (tool.type === 'hosted') return writeHostedTool(tool, draft)
  return tool.type === 'custom' ? writeCustom(tool, draft) : writeFunction(tool, draft)
}

function writeFunction(tool: FunctionTool, draft: Draft): Json {
  const { schema, relaxed } = inputSchema(tool.schema, tool.at)
  if (relaxed) changed(draft.losses, under(tool, 'parameters'), 'combined schemas at the root became one object')
  const out: Json = { name: draft.names.get(tool.name) ?? tool.name }
  if (tool.description !== undefined) out['description'] = tool.description
  out['input_schema'] = schema
  if (tool.strict && draft.model.structured && isEnforceable(schema)) {
    out['strict'] = true
    out['input_schema'] = enforceable(schema).schema
  } else if (tool.strict) dropped(draft.losses, under(tool, 'strict'), 'the model can not be held to this schema')
  writeSide(tool, FORMAT, out, draft.losses)
  mark(tool, out, draft)
  return out
}

/** Free text travels as the one property of an object. */
function writeCustom(tool: CustomTool, draft: Draft): Json {
  const grammar = tool.grammar?.['type'] === 'grammar' ? tool.grammar['grammar'] : undefined
  const rule = grammar === undefined ? '' : `\nThe input must match this grammar: ${JSON.stringify(grammar)}`
  if (grammar !== undefined) changed(draft.losses, under(tool, 'format'), 'the grammar is told to the model, but not enforced')
  const out: Json = {
    name: draft.names.get(tool.name) ?? tool.name,
    description: `${tool.description ?? ''}${rule}`.trim() || 'Takes free text.',
    input_schema: { type: 'object', properties: { input: { type: 'string' } }, required: ['input'], additionalProperties: false },
  }
  writeSide(tool, FORMAT, out, draft.losses)
  return out
}

function writeHostedTool(tool: HostedTool, draft: Draft): Json {
  if (tool.name === 'web-search') return writeWebSearch(tool, draft)
  if (tool.side?.format !== FORMAT) {
    throw invalid(
      tool.at ?? 'tools',
      `The tool ${tool.name} runs at another provider, and this one has no equivalent. Leave it out, or send the request to a provider that has it.`,
    )
  }
  const out = { ...tool.side.fields }
  mark(tool, out, draft)
  return out
}

function writeWebSearch(tool: HostedTool, draft: Draft): Json {
  const out: Json = { type: WEB_SEARCH_TYPE, name: 'web_search' }
  if (tool.maxUses !== undefined) out['max_uses'] = tool.maxUses
  if (tool.allowedDomains) out['allowed_domains'] = tool.allowedDomains
  if (tool.blockedDomains) out['blocked_domains'] = tool.blockedDomains
  if (tool.location) out['user_location'] = { type: 'approximate', ...tool.location }
  if (tool.contextSize !== undefined) dropped(draft.losses, under(tool, 'search_context_size'), 'the web search has no size of context')
  writeSide(tool, FORMAT, out, draft.losses)
  mark(tool, out, draft)
  return out
}

function writeChoice(request: ChatRequest, tools: Json[], draft: Draft): Json | undefined {
  const wanted = request.toolChoice
  if (wanted?.type === 'none') return { type: 'none' }
  const single = request.parallelTools === false ? { disable_parallel_tool_use: true } : undefined
  if (!wanted) return single && { type: 'auto', ...single }
  const name = wanted.type === 'tool' ? calledName(wanted.name, request, tools, draft) : undefined
  const forced = name !== undefined || wanted.type === 'required' || (wanted.type === 'allowed' && wanted.required)
  if (!forced) return { type: 'auto', ...single }
  if (draft.model.forced) return name === undefined ? { type: 'any', ...single } : { type: 'tool', name, ...single }
  changed(draft.losses, request.paths.toolChoice ?? 'tool_choice', 'the model refuses to be forced to a call: it may choose')
  if (name !== undefined) tools.splice(0, tools.length, ...tools.filter((tool) => tool['name'] === name))
  return { type: 'auto', ...single }
}

function calledName(wanted: string, request: ChatRequest, tools: readonly Json[], draft: Draft): string {
  const name = draft.names.get(wanted) ?? (wanted === 'web-search' ? 'web_search' : wanted)
  if (tools.some((tool) => tool['name'] === name)) return name
  const path = request.paths.toolChoice ?? 'tool_choice'
  throw invalid(path, `${path} names the tool ${JSON.stringify(wanted)}, which is not among the tools. Declare it, or choose another.`)
}
