import { isObject, type Json } from '../../canonical/json.ts'
import { changed, dropped, type Loss, under } from '../../canonical/loss.ts'
import type { ChatRequest, CustomTool, FunctionTool, HostedTool, Tool } from '../../canonical/request.ts'
import {
  callableNames,
  checkChoice,
  customDescription,
  FREE_TEXT,
  isHostedChoice,
  leaveOut,
  permittedTools,
  strictPath,
} from '../../canonical/tools.ts'
import { isOwn, writeExtensions } from '../../canonical/vendor-extensions.ts'
import { sentName } from '../../canonical/write-state.ts'
import { vendorField } from './hosted.ts'
import { writeSchema } from './schema-write.ts'
import { ID } from './wire.ts'
import { type ContentWriteState, loseCache } from './write-state.ts'

export interface WrittenContentTools {
  tools?: Json[]
  toolConfig?: Json
}

const ONLY_FUNCTIONS = 'the tool choice can name only functions'

/** Tools and tool choice of a request. */
export function writeTools(context: ContentWriteState): WrittenContentTools {
  const { request, model, geminiApi, losses } = context
  checkChoice(request)
  const tools = declared(request)
  const declarations: Json[] = []
  const entries: Json[] = []
  for (const tool of tools) {
    if (tool.type === 'hosted') writeHosted(context, tool, entries)
    else {
      if (declarations.length === 0) entries.push({ functionDeclarations: declarations })
      declarations.push(tool.type === 'custom' ? writeCustom(context, tool) : writeFunction(context, tool))
    }
  }
  if (declarations.length === 0 && request.parallelTools === false)
    dropped(losses, request.paths.parallelTools, ONLY_FUNCTIONS)
  if (entries.length === 0) return {}
  const toolConfig: Json = {}
  const calling = declarations.length > 0 ? writeChoice(context, tools) : undefined
  if (calling) toolConfig['functionCallingConfig'] = calling
  else if (declarations.length === 0 && request.toolChoice && request.toolChoice.type !== 'auto') {
    dropped(losses, request.paths.toolChoice, ONLY_FUNCTIONS)
  }
  if (geminiApi && model.signedCalls && declarations.length > 0 && entries.length > 1)
    toolConfig['includeServerSideToolInvocations'] = true
  return Object.keys(toolConfig).length > 0 ? { tools: entries, toolConfig } : { tools: entries }
}

/** Tools to declare. Allowed names require a call, so for optional calls, other tools are left out. */
function declared(request: ChatRequest): readonly Tool[] {
  const { tools = [], toolChoice: choice } = request
  return choice?.type === 'allowed' && choice.required ? tools : permittedTools(request)
}

function writeFunction(context: ContentWriteState, tool: FunctionTool): Json {
  const { model, losses } = context
  const out: Json = { name: sentName(context, tool.name) }
  if (tool.description !== undefined) out['description'] = tool.description
  if (tool.schema) putParameters(context, tool.schema, `${tool.at ?? 'tools'}.parameters`, out)
  loseCache(tool, losses)
  if (tool.strict && !model.validated) dropped(losses, strictPath(tool), 'the model does not validate arguments')
  writeExtensions(tool, ID, out, losses)
  return out
}

function putParameters({ model, losses }: ContentWriteState, schema: Json, at: string, out: Json): void {
  const written = writeSchema(rooted(schema), at, model.jsonSchema)
  declare(written.lost, at, losses)
  if (!isEmpty(written.schema)) out[model.jsonSchema ? 'parametersJsonSchema' : 'parameters'] = written.schema
}

/** Declares unsupported keywords. */
export function declare(lost: readonly string[], at: string | undefined, losses: Loss[]): void {
  if (lost.length > 0) changed(losses, at, `Gemini's schemas do not support ${lost.join(', ')}`)
}

function rooted(schema: Json): Json {
  return schema['type'] === undefined && schema['$ref'] === undefined ? { type: 'object', ...schema } : schema
}

/** True for an object schema without properties, which is rejected as parameters. Omitted parameters are accepted. */
function isEmpty(schema: Json): boolean {
  const { type, properties } = schema
  if (typeof type !== 'string' || type.toLowerCase() !== 'object') return false
  if (isObject(properties) ? Object.keys(properties).length > 0 : properties !== undefined) return false
  return !Object.keys(schema).some(
    (key) => key === 'anyOf' || key === 'oneOf' || (key === 'additionalProperties' && schema[key] !== false),
  )
}

/** Function with one string parameter for a free-text tool. */
function writeCustom(context: ContentWriteState, tool: CustomTool): Json {
  const { losses } = context
  const out: Json = { name: sentName(context, tool.name) }
  const description = customDescription(tool, losses)
  if (description !== undefined) out['description'] = description
  putParameters(context, FREE_TEXT, under(tool, 'parameters'), out)
  writeExtensions(tool, ID, out, losses)
  return out
}

function writeHosted({ request, losses }: ContentWriteState, tool: HostedTool, entries: Json[]): void {
  const out: Json = {}
  const field = vendorField(tool.name)
  const own = isOwn(tool, ID)
  if (!field && !own) {
    leaveOut(tool, request, losses)
    return
  }
  entries.push(out)
  if (field) out[field] = own && tool.blockedDomains ? { excludeDomains: tool.blockedDomains } : {}
  writeExtensions(tool, ID, out, losses)
  if (own) return
  if (tool.location) dropped(losses, under(tool, 'user_location'), 'web search has no location option')
  if (tool.contextSize) dropped(losses, under(tool, 'search_context_size'), 'web search has no context size option')
  if (tool.maxUses !== undefined) dropped(losses, under(tool, 'max_uses'), 'the number of searches cannot be limited')
  if (tool.allowedDomains) dropped(losses, under(tool, 'allowed_domains'), 'web search cannot be limited to domains')
  if (tool.blockedDomains) dropped(losses, under(tool, 'blocked_domains'), 'web search cannot exclude domains')
}

function writeChoice(context: ContentWriteState, tools: readonly Tool[]): Json | undefined {
  const { request, model, losses } = context
  const sent = (name: string): string => sentName(context, name)
  const choice = request.toolChoice
  if (request.parallelTools === false)
    dropped(losses, request.paths.parallelTools, 'the model decides how many tools it calls in parallel')
  switch (choice?.type) {
    case 'none':
      return { mode: 'NONE' }
    case 'required':
      return { mode: 'ANY' }
    case 'tool':
      if (!isHostedChoice(request)) return { mode: 'ANY', allowedFunctionNames: [sent(choice.name)] }
      dropped(losses, request.paths.toolChoice, ONLY_FUNCTIONS)
      break
    case 'allowed':
      if (choice.required) return { mode: 'ANY', allowedFunctionNames: callableNames(request, choice.names).map(sent) }
  }
  if (model.validated && tools.some((tool) => tool.type === 'function' && tool.strict)) return { mode: 'VALIDATED' }
  return choice ? { mode: 'AUTO' } : undefined
}
