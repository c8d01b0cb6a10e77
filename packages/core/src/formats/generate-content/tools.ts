import { isObject, type Json } from '../../chat/json.ts'
import { changed, dropped, type Loss, under } from '../../chat/loss.ts'
import { fitNames, type NameRule } from '../../chat/names.ts'
import type { ChatRequest, CustomTool, FunctionTool, HostedTool, Tool, ToolChoice } from '../../chat/request.ts'
import { invalid } from '../../errors.ts'
import { writeJsonSchema } from './json-schema.ts'
import type { Traits } from './models.ts'
import { writeOpenApiSchema } from './openapi-schema.ts'
import type { WrittenSchema } from './schema.ts'
import { isOwn, restoreSide } from './side.ts'
import { HOSTED } from './tools-read.ts'

/** @see https://ai.google.dev/api/caching#FunctionDeclaration */
const NAMES: NameRule = { illegal: /[^a-zA-Z0-9_.:-]/g, max: 128, start: /^[a-zA-Z_]/ }

/** Names of functions as the caller wrote them → as they are sent. */
export function fitToolNames(request: ChatRequest): ReadonlyMap<string, string> {
  const names = new Set<string>()
  for (const tool of request.tools ?? []) if (tool.type !== 'hosted') names.add(tool.name)
  for (const message of request.messages) for (const block of message.blocks) if (block.type === 'tool-call') names.add(block.name)
  return fitNames(names, NAMES)
}

/** What tools are written for. */
export interface ToolsTarget {
  readonly traits: Traits
  readonly names: ReadonlyMap<string, string>
  /** The Gemini API wants to be told when its own tools and functions are used together. */
  readonly geminiApi: boolean
}

export interface WrittenTools {
  tools?: Json[]
  toolConfig?: Json
}

/** The request's tools and the choice among them. */
export function writeTools(request: ChatRequest, target: ToolsTarget, losses: Loss[]): WrittenTools {
  const tools = permitted(request.tools ?? [], request.toolChoice)
  const declarations: Json[] = []
  const entries: Json[] = []
  for (const tool of tools) {
    if (tool.type === 'hosted') entries.push(writeHosted(tool, losses))
    else {
      if (declarations.length === 0) entries.push({ functionDeclarations: declarations })
      declarations.push(tool.type === 'custom' ? writeCustom(tool, target, losses) : writeFunction(tool, target, losses))
    }
  }
  if (entries.length === 0) return {}
  const toolConfig: Json = {}
  const calling = declarations.length > 0 ? writeChoice(request, tools, target, losses) : undefined
  if (calling) toolConfig['functionCallingConfig'] = calling
  else if (declarations.length === 0 && request.toolChoice && request.toolChoice.type !== 'auto') {
    dropped(losses, request.paths.toolChoice, 'only functions can be chosen')
  }
  if (target.geminiApi && target.traits.signedCalls && declarations.length > 0 && entries.length > 1)
    toolConfig['includeServerSideToolInvocations'] = true
  return Object.keys(toolConfig).length > 0 ? { tools: entries, toolConfig } : { tools: entries }
}

/** Names can be allowed only together with the demand to call one of them, so others are not declared. */
function permitted(tools: readonly Tool[], choice: ToolChoice | undefined): readonly Tool[] {
  if (choice?.type !== 'allowed' || choice.required) return tools
  return tools.filter((tool) => tool.type === 'hosted' || choice.names.includes(tool.name))
}

function writeFunction(tool: FunctionTool, target: ToolsTarget, losses: Loss[]): Json {
  const out: Json = { name: target.names.get(tool.name) ?? tool.name }
  if (tool.description !== undefined) out['description'] = tool.description
  if (tool.schema) writeParameters(tool.schema, `${tool.at ?? 'tools'}.parameters`, target.traits, out, losses)
  if (tool.cache) dropped(losses, under(tool, 'cache_control'), 'prompts are cached without marks')
  if (tool.strict && !target.traits.validated) dropped(losses, under(tool, 'strict'), 'the model does not check arguments')
  restoreSide(tool, out, losses)
  return out
}

function writeParameters(schema: Json, at: string, traits: Traits, out: Json, losses: Loss[]): void {
  const written = traits.jsonSchema ? writeJsonSchema(rooted(schema), at) : writeOpenApiSchema(rooted(schema), at)
  declare(written, at, losses)
  if (isEmpty(written.schema)) return
  out[traits.jsonSchema ? 'parametersJsonSchema' : 'parameters'] = written.schema
}

/** Names the keywords that had no place. */
export function declare(written: WrittenSchema, at: string | undefined, losses: Loss[]): void {
  if (written.lost.length > 0) changed(losses, at, `Gemini's schemas do not have ${written.lost.join(', ')}`)
}

function rooted(schema: Json): Json {
  return schema['type'] === undefined && schema['$ref'] === undefined ? { type: 'object', ...schema } : schema
}

/** An object without properties is refused as parameters; a function without parameters is not. */
function isEmpty(schema: Json): boolean {
  const { type, properties } = schema
  if (typeof type !== 'string' || type.toLowerCase() !== 'object') return false
  if (isObject(properties) ? Object.keys(properties).length > 0 : properties !== undefined) return false
  return !Object.keys(schema).some((key) => key === 'anyOf' || key === 'oneOf' || (key === 'additionalProperties' && schema[key] !== false))
}

const FREE_TEXT: Json = { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] }

/** A tool that takes free text is sent as a function of one string. */
function writeCustom(tool: CustomTool, target: ToolsTarget, losses: Loss[]): Json {
  const out: Json = { name: target.names.get(tool.name) ?? tool.name }
  if (tool.description !== undefined) out['description'] = tool.description
  if (tool.grammar) dropped(losses, under(tool, 'format'), 'the model does not follow grammars')
  writeParameters(FREE_TEXT, under(tool, 'parameters'), target.traits, out, losses)
  restoreSide(tool, out, losses)
  return out
}

const FIELDS: Readonly<Record<string, string>> = Object.fromEntries(Object.entries(HOSTED).map(([field, name]) => [name, field]))

function writeHosted(tool: HostedTool, losses: Loss[]): Json {
  const out: Json = {}
  const field = FIELDS[tool.name]
  if (!field && !isOwn(tool)) {
    throw invalid(
      tool.at,
      `${tool.at ?? 'The request'} asks for the tool "${tool.name}", which Gemini does not run. Leave it out, or send the request to a provider that has it.`,
    )
  }
  if (field) out[field] = isOwn(tool) && tool.blockedDomains ? { excludeDomains: tool.blockedDomains } : {}
  restoreSide(tool, out, losses)
  if (isOwn(tool)) return out
  if (tool.location) dropped(losses, under(tool, 'user_location'), 'the search takes no place')
  if (tool.contextSize) dropped(losses, under(tool, 'search_context_size'), 'the search takes no context size')
  if (tool.maxUses !== undefined) dropped(losses, under(tool, 'max_uses'), 'the number of searches can not be limited')
  if (tool.allowedDomains) dropped(losses, under(tool, 'allowed_domains'), 'the search can not be limited to domains')
  if (tool.blockedDomains) dropped(losses, under(tool, 'blocked_domains'), 'the search can not leave out domains')
  return out
}

function writeChoice(request: ChatRequest, tools: readonly Tool[], target: ToolsTarget, losses: Loss[]): Json | undefined {
  const sent = (name: string): string => target.names.get(name) ?? name
  const choice = request.toolChoice
  if (request.parallelTools === false) dropped(losses, request.paths.parallelTools, 'the model decides how many tools it calls at once')
  switch (choice?.type) {
    case 'none':
      return { mode: 'NONE' }
    case 'required':
      return { mode: 'ANY' }
    case 'tool':
      return { mode: 'ANY', allowedFunctionNames: [sent(choice.name)] }
    case 'allowed':
      if (choice.required) return { mode: 'ANY', allowedFunctionNames: choice.names.map(sent) }
  }
  if (target.traits.validated && tools.some((tool) => tool.type === 'function' && tool.strict)) return { mode: 'VALIDATED' }
  return choice ? { mode: 'AUTO' } : undefined
}
