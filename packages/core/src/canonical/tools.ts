import { type HeadgateError, invalid } from '../errors.ts'
import { jsonText } from './arguments.ts'
import type { Block, Node, ToolCallBlock, ToolResultBlock } from './block.ts'
import { objectField, stringField } from './fields.ts'
import type { Restore } from './format.ts'
import type { Json } from './json.ts'
import { changed, dropped, type Loss, under } from './loss.ts'
import { fitNames, invert, type NameRule } from './names.ts'
import type { ChatRequest, CustomTool, FunctionTool, HostedTool, Tool } from './request.ts'

/**
 * Tool calls of a conversation.
 * @example const ids = callsOf(request).map(({ id }) => id)
 */
export function callsOf(request: ChatRequest): ToolCallBlock[] {
  const calls: ToolCallBlock[] = []
  for (const { blocks } of request.messages) {
    for (const block of blocks) if (block.type === 'tool-call') calls.push(block)
  }
  return calls
}

/**
 * Valid names of the caller's tools, declared or called, by their original names. Responses have the original names
 * again. Each changed name is declared as changed, since the model sees it.
 * @example const names = fitToolNames(request, { illegal: /[^\w-]/g, max: 64 }, losses)
 */
export function fitToolNames(request: ChatRequest, rule: NameRule, losses: Loss[]): ReadonlyMap<string, string> {
  const named = [...(request.tools ?? []).filter((tool) => tool.type !== 'hosted'), ...callsOf(request)]
  const fitted = fitNames(
    named.map(({ name }) => name),
    rule,
  )
  for (const node of named)
    if (fitted.get(node.name) !== node.name) changed(losses, under(node, 'name'), 'the vendor does not allow this name')
  return fitted
}

/**
 * Rejects a tool choice that names an undeclared tool. The provider would reject it, and without the choice the model
 * could call no tool, or any.
 * @throws HeadgateError of kind `invalid-request` with the tool.
 * @example checkChoice(request)
 */
export function checkChoice({ tools = [], toolChoice: choice, paths }: ChatRequest): void {
  const names = choice?.type === 'tool' ? [choice.name] : choice?.type === 'allowed' ? choice.names : []
  if (names.length === 0) return
  const declared = new Set(tools.map((tool) => tool.name))
  const missing = names.find((name) => !declared.has(name))
  if (missing === undefined) return
  const path = paths.toolChoice ?? 'tool_choice'
  throw invalid(
    path,
    `${path} names the tool ${JSON.stringify(missing)}, which is not declared in the tools. Declare it, or choose another tool.`,
  )
}

/**
 * Tools that the tool choice allows. If it names only the caller's tools, hosted tools stay.
 * @example const tools = permittedTools(request).filter((tool) => tool.type === 'function')
 */
export function permittedTools({ tools = [], toolChoice: choice }: ChatRequest): readonly Tool[] {
  if (choice?.type !== 'allowed') return tools
  const names = new Set(choice.names)
  const namesHosted = tools.some((tool) => tool.type === 'hosted' && names.has(tool.name))
  return tools.filter((tool) => names.has(tool.name) || (tool.type === 'hosted' && !namesHosted))
}

/** Allowed tool names without hosted tools, which most formats cannot name. */
export function callableNames({ tools = [] }: ChatRequest, names: readonly string[]): string[] {
  const hosted = new Set(tools.filter((tool) => tool.type === 'hosted').map((tool) => tool.name))
  return names.filter((name) => !hosted.has(name))
}

/** True if the tool choice is a hosted tool, which most formats do not support. */
export function isHostedChoice({ tools = [], toolChoice: choice }: ChatRequest): boolean {
  return choice?.type === 'tool' && !tools.some((tool) => tool.type !== 'hosted' && tool.name === choice.name)
}

/** Path of the field that requests strict arguments for a tool. */
export function strictPath(tool: FunctionTool): string {
  return tool.strictAt ?? under(tool, 'strict')
}

/**
 * Description of a custom tool including its grammar, for formats that do not enforce grammars. Undefined if the tool
 * has neither.
 * @example const description = customDescription(tool, losses)
 */
export function customDescription(tool: CustomTool, losses: Loss[]): string | undefined {
  const grammar = tool.grammar?.['type'] === 'grammar' ? tool.grammar['grammar'] : undefined
  if (grammar === undefined) return tool.description
  const path = under(tool, 'format')
  changed(losses, path, 'the model reads the grammar in the description, but it is not enforced')
  return `${tool.description ?? ''}\nThe input must match this grammar: ${jsonText(grammar, path)}`.trim()
}

/** Schema of a custom tool's input, for formats with only functions. */
export const FREE_TEXT: Json = { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] }

/** Changes of a request besides names. */
interface RestoreOptions extends Omit<Restore, 'names' | 'custom' | 'outputTool'> {
  readonly functionsOnly?: boolean
  readonly outputTool?: string | undefined
}

/**
 * Changes of a request for restoring its response: fitted names and, for formats with only functions, custom tools.
 * @example return { body, restore: restoreOf(request, names, { functionsOnly: true }) }
 */
export function restoreOf(
  request: ChatRequest,
  names: ReadonlyMap<string, string>,
  options: RestoreOptions = {},
): Restore | undefined {
  const restore: Restore = {}
  const originals = invert(names)
  if (originals.size > 0) restore.names = originals
  const tools = options.functionsOnly ? (request.tools ?? []) : []
  const custom = tools.filter((tool) => tool.type === 'custom').map((tool) => tool.name)
  if (custom.length > 0) restore.custom = new Set(custom)
  if (options.outputTool !== undefined) restore.outputTool = options.outputTool
  if (options.wrapped && options.wrapped.size > 0) restore.wrapped = options.wrapped
  if (options.wrapsOutput) restore.wrapsOutput = true
  if (options.prefix) restore.prefix = options.prefix
  return Object.keys(restore).length > 0 ? restore : undefined
}

const PLACE = ['city', 'country', 'region', 'timezone'] as const

/** Location of the user of a web search. */
export function readLocation(object: Json, key: string, at: string): HostedTool['location'] {
  const place = objectField(object, key, at)
  if (!place) return undefined
  const location: NonNullable<HostedTool['location']> = {}
  for (const field of PLACE) {
    const value = stringField(place, field, `${at}.${key}`)
    if (value !== undefined) location[field] = value
  }
  return location
}

/**
 * Error for a tool call whose result is missing.
 * @example throw missingResult(call)
 */
export function missingResult(call: ToolCallBlock): HeadgateError {
  const path = call.at ?? 'messages'
  return invalid(path, `${path}: the tool call "${call.id}" has no result. Send its result in the next turn.`)
}

/** Error for a tool result whose call is missing. */
export function strayResult(block: ToolResultBlock): HeadgateError {
  const path = block.at ?? 'messages'
  return invalid(
    path,
    `${path}: the previous turn has no tool call with the id "${block.id}". Send the call, or remove the result.`,
  )
}

/** Text of a failed result, for formats without a field for failures. */
export function saidAsError(text: string): string {
  if (text === '') return 'Error'
  return /^error/i.test(text) ? text : `Error: ${text}`
}

/**
 * Leaves out a hosted tool that the provider does not support, and declares it as lost.
 * @throws HeadgateError of kind `invalid-request` if the tool choice requires the tool.
 * @example if (tool.type === 'hosted') leaveOut(tool, request, losses)
 */
export function leaveOut(tool: HostedTool, { toolChoice: choice }: ChatRequest, losses: Loss[]): void {
  const isDue = choice?.type === 'required' || (choice?.type === 'tool' && choice.name === tool.name)
  if (isDue || (choice?.type === 'allowed' && choice.required && choice.names.includes(tool.name)))
    throw foreignTool(tool)
  dropped(losses, tool.at ?? 'tools', 'this provider does not run this tool')
}

/** Error for a hosted tool that the provider does not support. */
function foreignTool(tool: HostedTool): HeadgateError {
  const path = tool.at ?? 'tools'
  return invalid(
    path,
    `${path}: the hosted tool "${tool.name}" is not supported by this provider. Remove it, or choose a model whose provider supports it.`,
  )
}

/**
 * Error for a block that is not allowed at its position.
 * @example throw misplaced(block, 'a system message')
 */
export function misplaced(block: Block & Node, owner: string): HeadgateError {
  const path = block.at ?? 'A block'
  return invalid(block.at, `${path} is a ${block.type} block, which is not allowed in ${owner}.`)
}
