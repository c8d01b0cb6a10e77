import { type HeadgateError, invalid } from '../errors.ts'
import { jsonText } from './arguments.ts'
import type { Block, Node, ToolCallBlock, ToolResultBlock } from './block.ts'
import { objectField, stringField } from './fields.ts'
import type { Restore } from './format.ts'
import type { Json } from './json.ts'
import { changed, dropped, type Loss, under } from './loss.ts'
import { fitNames, invert, type NameRule } from './names.ts'
import type { ChatRequest, CustomTool, FunctionTool, HostedTool, Tool } from './request.ts'

/** The calls of a conversation. */
export function callsOf(request: ChatRequest): ToolCallBlock[] {
  const calls: ToolCallBlock[] = []
  for (const { blocks } of request.messages) {
    for (const block of blocks) if (block.type === 'tool-call') calls.push(block)
  }
  return calls
}

/**
 * Names of the caller's tools, declared or called, as the caller wrote them → as they are sent. Answers have the
 * caller's own again, but the model is told another one: that is a loss.
 */
export function fitToolNames(request: ChatRequest, rule: NameRule, losses: Loss[]): ReadonlyMap<string, string> {
  const named = [...(request.tools ?? []).filter((tool) => tool.type !== 'hosted'), ...callsOf(request)]
  const fitted = fitNames(
    named.map(({ name }) => name),
    rule,
  )
  for (const node of named)
    if (fitted.get(node.name) !== node.name)
      changed(losses, under(node, 'name'), 'the vendor does not allow such a name')
  return fitted
}

/**
 * Refuses a choice that names a tool which is not declared: sent as it is the provider would refuse it, and left out
 * the model could call nothing, or anything.
 * @throws HeadgateError `invalid-request` that names the tool.
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
    `${path} names the tool ${JSON.stringify(missing)}, which is not among the tools. Declare it, or choose another.`,
  )
}

/**
 * The tools that may be called: all, or those that the choice allows. Where it names only the caller's own, what the
 * provider runs stays.
 */
export function permittedTools({ tools = [], toolChoice: choice }: ChatRequest): readonly Tool[] {
  if (choice?.type !== 'allowed') return tools
  const names = new Set(choice.names)
  const namesHosted = tools.some((tool) => tool.type === 'hosted' && names.has(tool.name))
  return tools.filter((tool) => names.has(tool.name) || (tool.type === 'hosted' && !namesHosted))
}

/**
 * The names that a choice allows, without those of tools that the provider runs, which in most formats can not be
 * named.
 */
export function callableNames({ tools = [] }: ChatRequest, names: readonly string[]): string[] {
  const hosted = new Set(tools.filter((tool) => tool.type === 'hosted').map((tool) => tool.name))
  return names.filter((name) => !hosted.has(name))
}

/** Whether the choice is a tool that the provider runs, which in most formats can not be chosen. */
export function isHostedChoice({ tools = [], toolChoice: choice }: ChatRequest): boolean {
  return choice?.type === 'tool' && !tools.some((tool) => tool.type !== 'hosted' && tool.name === choice.name)
}

/** Where the caller asked for a tool's arguments to follow its schema. */
export function strictPath(tool: FunctionTool): string {
  return tool.strictAt ?? under(tool, 'strict')
}

/**
 * Description of a custom tool with its grammar, for formats that do not enforce grammars: the model reads it there.
 * Undefined if the tool has neither.
 */
export function customDescription(tool: CustomTool, losses: Loss[]): string | undefined {
  const grammar = tool.grammar?.['type'] === 'grammar' ? tool.grammar['grammar'] : undefined
  if (grammar === undefined) return tool.description
  const path = under(tool, 'format')
  changed(losses, path, 'the model reads the grammar in the description, but it is not enforced')
  return `${tool.description ?? ''}\nThe input must match this grammar: ${jsonText(grammar, path)}`.trim()
}

/** Free text travels as the one property of an object, where a format has functions only. */
export const FREE_TEXT: Json = { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] }

/** What was done to a request beside its names. */
interface RestoreOptions extends Omit<Restore, 'names' | 'custom' | 'outputTool'> {
  readonly functionsOnly?: boolean
  readonly outputTool?: string | undefined
}

/**
 * How the answer is bent back: names that were fitted, and, for a format that has functions only, the custom tools
 * among them.
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

/** Where a web search takes place. */
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

/** The error for a call whose result is not where it must be. */
export function unanswered(call: ToolCallBlock): HeadgateError {
  const path = call.at ?? 'messages'
  return invalid(path, `${path}: the tool call "${call.id}" has no result. Send its result in the turn that follows.`)
}

/** The error for a result without its call. */
export function strayResult(block: ToolResultBlock): HeadgateError {
  const path = block.at ?? 'messages'
  return invalid(
    path,
    `${path}: the id "${block.id}" is of no tool call in the turn before. Send the call, or leave the result out.`,
  )
}

/** The first text of a failed result, in a format that has no field to say so. */
export function saidAsError(text: string): string {
  if (text === '') return 'Error'
  return /^error/i.test(text) ? text : `Error: ${text}`
}

/**
 * Leaves out a tool that another provider runs, where it is only offered, and declares that.
 *
 * @throws HeadgateError `invalid-request` where it is to be called.
 */
export function leaveOut(tool: HostedTool, { toolChoice: choice }: ChatRequest, losses: Loss[]): void {
  const isDue = choice?.type === 'required' || (choice?.type === 'tool' && choice.name === tool.name)
  if (isDue || (choice?.type === 'allowed' && choice.required && choice.names.includes(tool.name)))
    throw foreignTool(tool)
  dropped(losses, tool.at ?? 'tools', 'no such tool runs at this provider')
}

/** The error for a tool that another provider runs. */
function foreignTool(tool: HostedTool): HeadgateError {
  const path = tool.at ?? 'tools'
  return invalid(
    path,
    `${path}: the hosted tool "${tool.name}" has no equivalent here. Leave it out, or name a model whose provider has it.`,
  )
}

/** The error for a block that has no place in a turn of its role. */
export function misplaced(block: Block & Node, owner: string): HeadgateError {
  const path = block.at ?? 'A block'
  return invalid(block.at, `${path} is a ${block.type} block, which can not stand in ${owner}.`)
}
