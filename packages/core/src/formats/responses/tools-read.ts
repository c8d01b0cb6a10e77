import {
  booleanField,
  integerField,
  listField,
  objectField,
  readObjects,
  requiredName,
  requiredString,
  stringField,
  stringsField,
  unknownWord,
  wordField,
  wrong,
} from '../../canonical/fields.ts'
import { isObject, type Json, objects, text } from '../../canonical/json.ts'
import type { CustomTool, FunctionTool, HostedTool, Tool, ToolChoice } from '../../canonical/request.ts'
import { readLocation } from '../../canonical/tools.ts'
import { keepExtensions, unknownFields, wholeExtensions } from '../../canonical/vendor-extensions.ts'
import { invalid } from '../../errors.ts'
import { flatName } from './calls-read.ts'
import { hostedName } from './hosted.ts'
import { ID } from './wire.ts'

/** Tools of a request, including the tools of namespaces. Undefined without tools. */
export function readTools(body: Json): Tool[] | undefined {
  const tools = readObjects(listField(body, 'tools', '') ?? [], 'tools', readTool).flat()
  return tools.length > 0 ? tools : undefined
}

function readTool(item: Json, at: string): Tool[] {
  const type = item['type']
  if (typeof type !== 'string') throw wrong(`${at}.type`, '"function" or the type of another tool', type)
  if (type === 'function') return [readFunction(item, at)]
  if (type === 'custom') return [readCustom(item, at)]
  if (type === 'namespace') return readNamespace(item, at)
  return [hostedName(type) === 'web-search' ? readWebSearch(item, at, type) : readHostedTool(item, at, type)]
}

const NAMESPACE_FIELDS: ReadonlySet<string> = new Set(['type', 'name', 'tools'])

/** Reads the tools of a namespace. Its vendor extensions belong to the first tool, under `namespace`. */
function readNamespace(item: Json, at: string): Tool[] {
  const name = requiredName(item, 'name', at)
  const list = listField(item, 'tools', at) ?? []
  const own = unknownFields(item, NAMESPACE_FIELDS, undefined, 'namespace.')
  return readObjects(list, `${at}.tools`, (inner, path, index) => {
    const type = inner['type'] ?? 'function'
    if (type !== 'function' && type !== 'custom') throw unknownWord(`${path}.type`, type, ['function', 'custom'])
    const tool = type === 'custom' ? readCustom(inner, path, name) : readFunction(inner, path, name)
    if (index > 0 || !own) return tool
    return keepExtensions(tool, ID, { ...tool.extensions?.fields, ...own })
  })
}

const FUNCTION_FIELDS: ReadonlySet<string> = new Set(['type', 'name', 'description', 'parameters', 'strict'])

function readFunction(item: Json, at: string, namespace?: string): FunctionTool {
  const tool: FunctionTool = { type: 'function', at, name: flatName(namespace, requiredName(item, 'name', at)) }
  if (namespace !== undefined) tool.namespace = namespace
  const description = stringField(item, 'description', at)
  const schema = objectField(item, 'parameters', at)
  const strict = booleanField(item, 'strict', at)
  if (description !== undefined) tool.description = description
  if (schema) tool.schema = schema
  if (strict !== undefined) tool.strict = strict
  return keepExtensions(tool, ID, unknownFields(item, FUNCTION_FIELDS))
}

const CUSTOM_FIELDS: ReadonlySet<string> = new Set(['type', 'name', 'description', 'format'])

function readCustom(item: Json, at: string, namespace?: string): CustomTool {
  const tool: CustomTool = { type: 'custom', at, name: flatName(namespace, requiredName(item, 'name', at)) }
  if (namespace !== undefined) tool.namespace = namespace
  const description = stringField(item, 'description', at)
  const format = objectField(item, 'format', at)
  if (description !== undefined) tool.description = description
  if (format) tool.grammar = nestedGrammar(format)
  return keepExtensions(tool, ID, unknownFields(item, CUSTOM_FIELDS))
}

/** Converts a grammar to the shape of chat completions, in a nested object. */
function nestedGrammar(format: Json): Json {
  const { type, ...grammar } = format
  return type === 'grammar' ? { type, grammar } : format
}

const SIZES = ['low', 'medium', 'high'] as const
const SEARCH_FIELDS: ReadonlySet<string> = new Set([
  'type',
  'search_context_size',
  'user_location',
  'filters',
  'max_uses',
])
const FILTER_FIELDS: ReadonlySet<string> = new Set(['allowed_domains', 'excluded_domains', 'blocked_domains'])

/**
 * Reads a web search tool.
 * @see https://docs.x.ai/docs/guides/tools/search-tools for `excluded_domains`
 */
function readWebSearch(item: Json, at: string, type: string): HostedTool {
  const tool: HostedTool = { type: 'hosted', at, name: 'web-search' }
  const size = wordField(item, 'search_context_size', at, SIZES)
  const filters = objectField(item, 'filters', at) ?? {}
  const allowed = stringsField(filters, 'allowed_domains', `${at}.filters`)
  const blocked =
    stringsField(filters, 'excluded_domains', `${at}.filters`) ??
    stringsField(filters, 'blocked_domains', `${at}.filters`)
  const location = readLocation(item, 'user_location', at)
  const most = integerField(item, 'max_uses', at)
  if (size) tool.contextSize = size
  if (location) tool.location = location
  if (allowed) tool.allowedDomains = allowed
  if (blocked) tool.blockedDomains = blocked
  if (most !== undefined) tool.maxUses = most
  const fields = type === 'web_search' ? undefined : { type }
  return keepExtensions(
    tool,
    ID,
    unknownFields(item, SEARCH_FIELDS, unknownFields(filters, FILTER_FIELDS, fields, 'filters.')),
  )
}

/** Hosted tool, or a tool whose calls only this format has. The original is preserved. */
function readHostedTool(item: Json, at: string, type: string): HostedTool {
  return { type: 'hosted', at, name: hostedName(type), extensions: wholeExtensions(ID, item) }
}

const CHOICES = ['none', 'auto', 'required'] as const

export function readToolChoice(body: Json): ToolChoice | undefined {
  const value = body['tool_choice']
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string') {
    const word = CHOICES.find((choice) => choice === value)
    if (!word) throw unknownWord('tool_choice', value, CHOICES)
    return { type: word }
  }
  if (!isObject(value)) throw wrong('tool_choice', 'a string or an object', value)
  const type = requiredString(value, 'type', 'tool_choice')
  if (type === 'allowed_tools') return readAllowed(value)
  return { type: 'tool', name: chosenName(value, 'tool_choice') }
}

function readAllowed(value: Json): ToolChoice {
  const mode = wordField(value, 'mode', 'tool_choice', ['auto', 'required'])
  const path = 'tool_choice.tools'
  const names = readObjects(listField(value, 'tools', 'tool_choice') ?? [], path, chosenName)
  if (names.length === 0) throw invalid(path, `${path} is empty. Name at least one tool.`)
  return { type: 'allowed', names, required: mode === 'required' }
}

/** Name of a chosen tool, or for a hosted tool Headgate's name for its type. */
function chosenName(value: Json, at: string): string {
  const type = text(value['type']) ?? 'function'
  if (type !== 'function' && type !== 'custom') return hostedName(type)
  return flatName(text(value['namespace']), requiredString(value, 'name', at))
}

const CHOICE_FIELDS: ReadonlySet<string> = new Set(['type', 'name', 'namespace', 'mode', 'tools'])

/** Adds vendor extensions of a tool choice, such as the server of `mcp`. */
export function choiceFields(body: Json, fields: Json): Json {
  const choice = body['tool_choice']
  if (!isObject(choice)) return fields
  const { tools } = choice
  if (objects(tools).some((tool) => unknownFields(tool, CHOICE_FIELDS))) fields['tool_choice.tools'] = tools
  return unknownFields(choice, CHOICE_FIELDS, fields, 'tool_choice.') ?? fields
}
