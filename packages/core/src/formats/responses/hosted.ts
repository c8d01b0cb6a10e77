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
import { isOwn, original, wholeSide } from '../../canonical/side.ts'
import { toldPages, toldSearch } from '../../canonical/told-search.ts'
import { ID } from './wire.ts'

/** Headgate's words for tools that the vendor runs, by the types of tools and by those of their items. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['web_search', 'web-search'],
  ['web_search_preview', 'web-search'],
  ['code_interpreter', 'code-execution'],
])

const DATED = /_\d{4}_\d{2}_\d{2}$/

/** Headgate's word for the type of a tool, with or without its date. */
export function hostedName(type: string): string {
  const name = type.replace(DATED, '')
  return NAMES.get(name) ?? name
}

/** The vendor's type for a tool of Headgate's, where it has it. */
export function vendorType(name: string): string | undefined {
  if (name === 'web-search') return 'web_search'
  return name === 'code-execution' ? 'code_interpreter' : undefined
}

/** Items that answer a call, or that the vendor alone made. */
const RESULT = /_output$|^mcp_list_tools$|^mcp_approval_response$/

/** What of an item says what the tool is to do. */
function argumentsOf(item: Json): unknown {
  if (typeof item['code'] === 'string') return { code: item['code'] }
  const given = item['action'] ?? item['operation'] ?? item['arguments'] ?? item['queries'] ?? {}
  return given
}

/** An item of a tool that the vendor runs, or that only the format knows, as it came. */
export function readHosted(item: Json, at?: string): HostedCallBlock | HostedResultBlock {
  const type = text(item['type']) ?? ''
  const id = text(item['call_id']) ?? text(item['id']) ?? ''
  const name = hostedName(type.replace(/_call(?:_output)?$|_output$/, ''))
  const node = { id, name, side: wholeSide(ID, item), ...(at !== undefined && { at }) }
  if (RESULT.test(type))
    return compact<HostedResultBlock>({ type: 'hosted-result', ...node, text: text(item['output']) })
  const given = argumentsOf(item)
  const output = printed(item['outputs'])
  const json = typeof given === 'string' ? given : jsonText(given, at)
  return { type: 'hosted-call', ...node, arguments: json, ...(output !== undefined && { output }) }
}

/** Logs of a code interpreter; undefined if it has none. */
function printed(outputs: unknown): string | undefined {
  const logs = objects(outputs).flatMap((output) => text(output['logs']) ?? [])
  return logs.length > 0 ? logs.join('\n') : undefined
}

/**
 * The item of a tool of the vendor. Of tools that others run as well it is made of what their formats say; undefined
 * for the rest, and for results, which stand in the item of their call. `result`: that of the call.
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

/** Whether a call is code that another vendor ran, whose result follows as a block and stands in the same item. */
export function isForeignCode(block: Block): block is HostedCallBlock {
  return block.type === 'hosted-call' && block.name === 'code-execution' && !isOwn(block, ID)
}

/** A search, in the words of Anthropic (`query`) or of Google (`queries`). */
function searchOf(given: Json): Json {
  const queries = Array.isArray(given['queries']) ? given['queries'].filter((query) => typeof query === 'string') : []
  const query = text(given['query']) ?? queries[0] ?? ''
  return { type: 'search', query, queries: queries.length > 0 ? queries : [query] }
}

const PREFIX = 'ws_'

/** A search of the gateway's. Its item is the only place where its results can stand, and come back from. */
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

/** Whether an item is a search of the gateway's own, which no vendor knows: the vendor's ids are hexadecimal. */
export function isGatewaySearch({ type, id }: Json): boolean {
  return type === 'web_search_call' && typeof id === 'string' && id.startsWith(PREFIX + OWN_SEARCH)
}

/** A search of the gateway that a caller sends back. Clients that drop the results keep the sources. */
export function readGatewaySearch(item: Json, at: string): TextBlock {
  const action = isObject(item['action']) ? item['action'] : {}
  const results = objects(item['results'])
  const pages = (results.length > 0 ? results : objects(action['sources'])).map(({ title, url, snippet }) =>
    compact<Partial<FoundPage>>({ title: text(title), url: text(url), snippet: text(snippet) }),
  )
  return {
    type: 'text',
    text: `${toldSearch(text(action['query']))}\n\n${toldPages(item['status'] === 'failed' ? undefined : pages)}`,
    at,
  }
}

/** How many searches the items of an answer are. */
export function searchesIn(items: unknown): number {
  return objects(items).filter(isSearch).length
}

export function isSearch({ type, action }: Json): boolean {
  return (
    type === 'web_search_call' && (!isObject(action) || action['type'] === undefined || action['type'] === 'search')
  )
}
