import {
  booleanField,
  listField,
  objectField,
  readObjects,
  requiredName,
  requiredObject,
  requiredString,
  stringField,
  unknownWord,
  wordField,
  wrong,
} from '../../canonical/fields.ts'
import { isObject, type Json, text } from '../../canonical/json.ts'
import type { CustomTool, FunctionTool, HostedTool, Tool, ToolChoice } from '../../canonical/request.ts'
import { readLocation } from '../../canonical/tools.ts'
import { keepExtensions, ownExtensions, unknownFields } from '../../canonical/vendor-extensions.ts'
import { invalid } from '../../errors.ts'
import { readCache } from './blocks-read.ts'
import { ID } from './wire.ts'

/** Tools of a request, including the vendor's web search. Undefined without tools. */
export function readTools(body: Json): Tool[] | undefined {
  const tools = readObjects(listField(body, 'tools', '') ?? [], 'tools', readTool)
  const functions = readObjects(listField(body, 'functions', '') ?? [], 'functions', (item, at) =>
    readFunction(item, at, {}),
  )
  const search = objectField(body, 'web_search_options', '')
  const all = [...tools, ...functions, ...(search ? [readWebSearch(search, 'web_search_options')] : [])]
  return all.length > 0 ? all : undefined
}

const TOOL_FIELDS: ReadonlySet<string> = new Set(['type', 'function', 'custom', 'cache_control'])
const HOSTED_FIELDS: ReadonlySet<string> = new Set(['type'])

function readTool(item: Json, at: string): Tool {
  const type = item['type'] ?? (isObject(item['function']) ? 'function' : undefined)
  if (typeof type !== 'string') throw wrong(`${at}.type`, '"function" or "custom"', type)
  if (type === 'function') return readFunction(requiredObject(item, 'function', at), `${at}.function`, item, at)
  if (type === 'custom') return readCustom(requiredObject(item, 'custom', at), item, at)
  return { type: 'hosted', at, name: type, extensions: ownExtensions(ID, unknownFields(item, HOSTED_FIELDS)) }
}

const FUNCTION_FIELDS: ReadonlySet<string> = new Set(['name', 'description', 'parameters', 'strict', 'cache_control'])

/** Reads a function's definition at `path`, in the tool `item` at `at`. */
function readFunction(definition: Json, path: string, item: Json, at: string = path): FunctionTool {
  const tool: FunctionTool = { type: 'function', at, name: requiredName(definition, 'name', path) }
  const description = stringField(definition, 'description', path)
  const schema = objectField(definition, 'parameters', path)
  const strict = booleanField(definition, 'strict', path)
  const cache = readCache(item) ?? readCache(definition)
  if (description !== undefined) tool.description = description
  if (schema) tool.schema = schema
  if (strict !== undefined) tool.strict = strict
  if (cache) tool.cache = cache
  const prefix = at === path ? '' : 'function.'
  return keepExtensions(tool, ID, unknownFields(definition, FUNCTION_FIELDS, unknownFields(item, TOOL_FIELDS), prefix))
}

const CUSTOM_FIELDS: ReadonlySet<string> = new Set(['name', 'description', 'format'])

function readCustom(definition: Json, item: Json, at: string): CustomTool {
  const tool: CustomTool = { type: 'custom', at, name: requiredName(definition, 'name', `${at}.custom`) }
  const description = stringField(definition, 'description', `${at}.custom`)
  const grammar = objectField(definition, 'format', `${at}.custom`)
  if (description !== undefined) tool.description = description
  if (grammar) tool.grammar = grammar
  return keepExtensions(tool, ID, unknownFields(definition, CUSTOM_FIELDS, unknownFields(item, TOOL_FIELDS), 'custom.'))
}

const SIZES = ['low', 'medium', 'high'] as const
const SEARCH_FIELDS: ReadonlySet<string> = new Set(['search_context_size', 'user_location'])

function readWebSearch(options: Json, at: string): HostedTool {
  const tool: HostedTool = { type: 'hosted', at, name: 'web-search' }
  const size = wordField(options, 'search_context_size', at, SIZES)
  if (size) tool.contextSize = size
  const place = objectField(options, 'user_location', at)
  if (place) tool.location = readLocation(place, 'approximate', `${at}.user_location`) ?? {}
  return keepExtensions(tool, ID, unknownFields(options, SEARCH_FIELDS))
}

const CHOICES = ['none', 'auto', 'required'] as const

/** Reads `tool_choice`, or the deprecated `function_call`. */
export function readToolChoice(body: Json, key: 'tool_choice' | 'function_call'): ToolChoice | undefined {
  const value = body[key]
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string') {
    const word = CHOICES.find((choice) => choice === value)
    if (!word) throw unknownWord(key, value, CHOICES)
    return { type: word }
  }
  if (!isObject(value)) throw wrong(key, 'a string or an object', value)
  if (key === 'function_call') return { type: 'tool', name: requiredString(value, 'name', key) }
  return readNamedChoice(value)
}

function readNamedChoice(value: Json): ToolChoice {
  const type = value['type'] ?? 'function'
  if (type === 'function' || type === 'custom') {
    return {
      type: 'tool',
      name: requiredString(requiredObject(value, type, 'tool_choice'), 'name', `tool_choice.${type}`),
    }
  }
  if (type !== 'allowed_tools') throw unknownWord('tool_choice.type', type, ['function', 'custom', 'allowed_tools'])
  const allowed = requiredObject(value, 'allowed_tools', 'tool_choice')
  const mode = wordField(allowed, 'mode', 'tool_choice.allowed_tools', ['auto', 'required'])
  const path = 'tool_choice.allowed_tools.tools'
  const names = readObjects(listField(allowed, 'tools', 'tool_choice.allowed_tools') ?? [], path, readAllowed)
  if (names.length === 0) throw invalid(path, `${path} is empty. Name at least one tool.`)
  return { type: 'allowed', names, required: mode === 'required' }
}

function readAllowed(item: Json, at: string): string {
  const inner = [item['function'], item['custom'], item].find(isObject) ?? item
  const name = text(inner['name'])
  if (name === undefined) throw wrong(`${at}.function.name`, 'the name of a tool', undefined)
  return name
}
