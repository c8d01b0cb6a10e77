import { jsonText, parseArguments } from '../../canonical/arguments.ts'
import {
  type Block,
  type FoundPage,
  type HostedCallBlock,
  type HostedResultBlock,
  isOwnSearch,
  OWN_SEARCH,
  type TextBlock,
} from '../../canonical/block.ts'
import { compact, isObject, type Json, objects, text } from '../../canonical/json.ts'
import { pagesAsText, searchAsText } from '../../canonical/search-transcript.ts'
import { isOwn, original, wholeExtensions } from '../../canonical/vendor-extensions.ts'
import { ID } from './wire.ts'

/** Headgate's names of hosted tools, by the types of tools and of their items. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['web_search', 'web-search'],
  ['web_search_preview', 'web-search'],
  ['code_interpreter', 'code-execution'],
])

const DATED = /_\d{4}_\d{2}_\d{2}$/

/** Headgate's name for the type of a tool, with or without its date. */
export function hostedName(type: string): string {
  const name = type.replace(DATED, '')
  return NAMES.get(name) ?? name
}

/** Vendor's type for a hosted tool. Undefined if it has none. */
export function vendorType(name: string): string | undefined {
  if (name === 'web-search') return 'web_search'
  return name === 'code-execution' ? 'code_interpreter' : undefined
}

/** Matches items with the result of a call, or of the vendor itself. */
const RESULT = /_output$|^mcp_list_tools$|^mcp_approval_response$/

/** Arguments in an item of a hosted tool. */
function argumentsOf(item: Json): unknown {
  if (typeof item['code'] === 'string') return { code: item['code'] }
  const given = item['action'] ?? item['operation'] ?? item['arguments'] ?? item['queries'] ?? {}
  return given
}

/** Block for an item of a hosted tool, or for an item that only this format has. The original is preserved. */
export function readHosted(item: Json, at?: string): HostedCallBlock | HostedResultBlock {
  const type = text(item['type']) ?? ''
  const id = text(item['call_id']) ?? text(item['id']) ?? ''
  const name = hostedName(type.replace(/_call(?:_output)?$|_output$/, ''))
  const node = { id, name, extensions: wholeExtensions(ID, item), ...(at !== undefined && { at }) }
  if (RESULT.test(type))
    return compact<HostedResultBlock>({ type: 'hosted-result', ...node, text: text(item['output']) })
  const given = argumentsOf(item)
  const output = printed(item['outputs'])
  const json = typeof given === 'string' ? given : jsonText(given, at)
  return { type: 'hosted-call', ...node, arguments: json, ...(output !== undefined && { output }) }
}

/** Logs of a code interpreter. Undefined without logs. */
function printed(outputs: unknown): string | undefined {
  const logs = objects(outputs).flatMap((output) => text(output['logs']) ?? [])
  return logs.length > 0 ? logs.join('\n') : undefined
}

/**
 * Item of a hosted tool. For tools that other formats also have, it is built from their data. Undefined for other
 * tools, and for results, which are part of the item of their call.
 * @param result result of the call.
 */
export function writeHosted(
  block: HostedCallBlock | HostedResultBlock,
  id: string,
  result?: HostedResultBlock,
): Json | undefined {
  const own = original(block, ID)
  if (own || block.type === 'hosted-result') return own
  const given = parseArguments(block.arguments) ?? {}
  if (isOwnSearch(block)) return writeSearch(given, block)
  if (block.name === 'web-search') return { id, type: 'web_search_call', status: 'completed', action: searchOf(given) }
  const code = text(given['code'])
  if (block.name !== 'code-execution' || code === undefined) return undefined
  const logs = result?.text ?? block.output
  const outputs = logs === undefined ? null : [{ type: 'logs', logs }]
  return {
    id,
    type: 'code_interpreter_call',
    status: result?.error ? 'failed' : 'completed',
    code,
    container_id: '',
    outputs,
  }
}

/**
 * True for a call of code that another vendor executed. Its result follows as a block, and becomes part of the same
 * item.
 */
export function isForeignCode(block: Block): block is HostedCallBlock {
  return block.type === 'hosted-call' && block.name === 'code-execution' && !isOwn(block, ID)
}

/** Search action for the arguments of Anthropic (`query`) or Google (`queries`). */
function searchOf(given: Json): Json {
  const queries = Array.isArray(given['queries']) ? given['queries'].filter((query) => typeof query === 'string') : []
  const query = text(given['query']) ?? queries[0] ?? ''
  return { type: 'search', query, queries: queries.length > 0 ? queries : [query] }
}

const PREFIX = 'ws_'

/** Item of a gateway search. It also contains the results, so that the caller sends them back. */
function writeSearch(given: Json, { id, found }: HostedCallBlock): Json {
  const sources = found?.map(({ url }) => ({ type: 'url', url }))
  return {
    id: PREFIX + id,
    type: 'web_search_call',
    status: found ? 'completed' : 'failed',
    action: { ...searchOf(given), ...(sources && { sources }) },
    ...(found && { results: found }),
  }
}

/** True for an item of a gateway search, which vendors do not support. Ids of the vendor are hexadecimal. */
export function isGatewaySearch({ type, id }: Json): boolean {
  return type === 'web_search_call' && typeof id === 'string' && id.startsWith(PREFIX + OWN_SEARCH)
}

/** Text for a gateway search that a caller sends back. Clients that discard the results keep the sources. */
export function readGatewaySearch(item: Json, at: string): TextBlock {
  const action = isObject(item['action']) ? item['action'] : {}
  const results = objects(item['results'])
  const pages = (results.length > 0 ? results : objects(action['sources'])).map(({ title, url, snippet }) =>
    compact<Partial<FoundPage>>({ title: text(title), url: text(url), snippet: text(snippet) }),
  )
  return {
    type: 'text',
    text: `${searchAsText(text(action['query']))}\n\n${pagesAsText(item['status'] === 'failed' ? undefined : pages)}`,
    at,
  }
}

/** Number of searches among the items of a response. */
export function searchesIn(items: unknown): number {
  return objects(items).filter(isSearch).length
}

export function isSearch({ type, action }: Json): boolean {
  return (
    type === 'web_search_call' && (!isObject(action) || action['type'] === undefined || action['type'] === 'search')
  )
}
