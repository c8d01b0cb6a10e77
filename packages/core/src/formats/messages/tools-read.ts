import {
  booleanField,
  integerField,
  listField,
  objectField,
  readObjects,
  requiredName,
  requiredWord,
  stringField,
  stringsField,
} from '../../canonical/fields.ts'
import { compact, type Json } from '../../canonical/json.ts'
import type { FunctionTool, HostedTool, Tool, ToolChoice } from '../../canonical/request.ts'
import { readLocation } from '../../canonical/tools.ts'
import { extensionsOf, ownExtensions, unknownFields } from '../../canonical/vendor-extensions.ts'
import { readCache } from './blocks-read.ts'
import { readClientTool } from './client-tools.ts'
import { hostedName } from './hosted.ts'
import { ID, WEB_SEARCH_TYPE } from './wire.ts'

export function readTools(body: Json): Tool[] | undefined {
  const list = listField(body, 'tools', '')
  return list && readObjects(list, 'tools', readTool)
}

function readTool(item: Json, at: string): Tool {
  const type = stringField(item, 'type', at) ?? 'custom'
  if (type === 'custom') return readFunction(item, at)
  if (type.startsWith('web_search_')) return readWebSearch(item, at)
  const own = readClientTool(item, at)
  const cache = own && readCache(item, at)
  if (own) return cache ? { ...own, cache } : own
  return { type: 'hosted', name: stringField(item, 'name', at) ?? type, at, extensions: ownExtensions(ID, item) }
}

const FUNCTION: ReadonlySet<string> = new Set([
  'type',
  'name',
  'description',
  'input_schema',
  'strict',
  'cache_control',
])

function readFunction(item: Json, at: string): FunctionTool {
  return compact<FunctionTool>({
    type: 'function',
    at,
    name: requiredName(item, 'name', at),
    description: stringField(item, 'description', at),
    schema: objectField(item, 'input_schema', at),
    strict: booleanField(item, 'strict', at),
    cache: readCache(item, at),
    extensions: extensionsOf(ID, unknownFields(item, FUNCTION)),
  })
}

const WEB_SEARCH: ReadonlySet<string> = new Set([
  'name',
  'max_uses',
  'allowed_domains',
  'blocked_domains',
  'user_location',
])
/** Fields of the version that other formats' web search becomes. A newer version is preserved. */
const BASIC_WEB_SEARCH: ReadonlySet<string> = new Set([...WEB_SEARCH, 'type'])

function readWebSearch(item: Json, at: string): HostedTool {
  const known = item['type'] === WEB_SEARCH_TYPE ? BASIC_WEB_SEARCH : WEB_SEARCH
  return compact<HostedTool>({
    type: 'hosted',
    at,
    name: 'web-search',
    maxUses: integerField(item, 'max_uses', at),
    allowedDomains: stringsField(item, 'allowed_domains', at),
    blockedDomains: stringsField(item, 'blocked_domains', at),
    location: readLocation(item, 'user_location', at),
    extensions: extensionsOf(ID, unknownFields(item, known)),
  })
}

const CHOICE = 'tool_choice'

/** Tool choice, and whether several tools can be called in parallel. */
export function readToolChoice(
  body: Json,
  tools: readonly Tool[] = [],
): { choice: ToolChoice; parallel: boolean | undefined } | undefined {
  const found = objectField(body, CHOICE, '')
  if (!found) return undefined
  const type = requiredWord(found, 'type', CHOICE, ['auto', 'any', 'tool', 'none'])
  const disabled = booleanField(found, 'disable_parallel_tool_use', CHOICE)
  const choice: ToolChoice =
    type === 'tool'
      ? { type, name: chosenName(requiredName(found, 'name', CHOICE), tools) }
      : { type: type === 'any' ? 'required' : type }
  return { choice, parallel: disabled === undefined ? undefined : !disabled }
}

/** Name of the caller's tool, or Headgate's name of a hosted tool. */
function chosenName(name: string, tools: readonly Tool[]): string {
  return tools.some((tool) => tool.type !== 'hosted' && tool.name === name) ? name : hostedName(name)
}
