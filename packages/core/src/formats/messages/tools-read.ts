import type { Json } from '../../chat/json.ts'
import type { FunctionTool, HostedTool, Tool, ToolChoice } from '../../chat/request.ts'
import { booleanAt, integerAt, listAt, maybe, objectAt, rest, stringAt, wordAt } from './check.ts'
import { readCache } from './request-blocks.ts'
import { side } from './side.ts'
import { FORMAT, WEB_SEARCH_TYPE } from './wire.ts'

export function readTools(value: unknown, path: string): Tool[] {
  return listAt(value, path).map((item, index) => readTool(item, `${path}[${index}]`))
}

function readTool(value: unknown, at: string): Tool {
  const tool = objectAt(value, at)
  const type = maybe(tool['type'], `${at}.type`, stringAt) ?? 'custom'
  if (type === 'custom') return readFunction(tool, at)
  if (type.startsWith('web_search_')) return readWebSearch(tool, at)
  return { type: 'hosted', name: maybe(tool['name'], `${at}.name`, stringAt) ?? type, at, side: { format: FORMAT, fields: tool } }
}

const FUNCTION = new Set(['type', 'name', 'description', 'input_schema', 'strict', 'cache_control'])

function readFunction(tool: Json, at: string): FunctionTool {
  const description = maybe(tool['description'], `${at}.description`, stringAt)
  const schema = maybe(tool['input_schema'], `${at}.input_schema`, objectAt)
  const strict = maybe(tool['strict'], `${at}.strict`, booleanAt)
  const cache = readCache(tool['cache_control'], `${at}.cache_control`)
  const left = side(rest(tool, FUNCTION))
  return {
    type: 'function',
    name: stringAt(tool['name'], `${at}.name`),
    at,
    ...(description !== undefined && { description }),
    ...(schema && { schema }),
    ...(strict !== undefined && { strict }),
    ...(cache && { cache }),
    ...(left && { side: left }),
  }
}

const WEB_SEARCH = new Set(['name', 'max_uses', 'allowed_domains', 'blocked_domains', 'user_location'])
/** The version that other formats' web search becomes says nothing; a newer one is the caller's wish. */
const BASIC_WEB_SEARCH = new Set([...WEB_SEARCH, 'type'])

function readWebSearch(tool: Json, at: string): HostedTool {
  const maxUses = maybe(tool['max_uses'], `${at}.max_uses`, integerAt)
  const allowedDomains = maybe(tool['allowed_domains'], `${at}.allowed_domains`, domainsAt)
  const blockedDomains = maybe(tool['blocked_domains'], `${at}.blocked_domains`, domainsAt)
  const location = maybe(tool['user_location'], `${at}.user_location`, readLocation)
  const left = rest(tool, tool['type'] === WEB_SEARCH_TYPE ? BASIC_WEB_SEARCH : WEB_SEARCH)
  return {
    type: 'hosted',
    name: 'web-search',
    at,
    ...(left && { side: { format: FORMAT, fields: left } }),
    ...(maxUses !== undefined && { maxUses }),
    ...(allowedDomains && { allowedDomains }),
    ...(blockedDomains && { blockedDomains }),
    ...(location && { location }),
  }
}

function domainsAt(value: unknown, path: string): string[] {
  return listAt(value, path).map((item, index) => stringAt(item, `${path}[${index}]`))
}

function readLocation(value: unknown, path: string): NonNullable<HostedTool['location']> {
  const place = objectAt(value, path)
  const location: NonNullable<HostedTool['location']> = {}
  for (const key of ['city', 'country', 'region', 'timezone'] as const) {
    const name = maybe(place[key], `${path}.${key}`, stringAt)
    if (name !== undefined) location[key] = name
  }
  return location
}

/** The choice, and whether several tools may be called at once. */
export function readToolChoice(value: unknown): { choice: ToolChoice; parallel?: boolean } | undefined {
  const found = maybe(value, 'tool_choice', objectAt)
  if (!found) return undefined
  const type = wordAt(found['type'], ['auto', 'any', 'tool', 'none'], 'tool_choice.type')
  const disabled = maybe(found['disable_parallel_tool_use'], 'tool_choice.disable_parallel_tool_use', booleanAt)
  const choice: ToolChoice =
    type === 'tool' ? { type, name: stringAt(found['name'], 'tool_choice.name') } : { type: type === 'any' ? 'required' : type }
  return { choice, ...(disabled !== undefined && { parallel: !disabled }) }
}
