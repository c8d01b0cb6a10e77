import { parseArguments } from '../../canonical/arguments.ts'
import {
  type FoundPage,
  type HostedCallBlock,
  type HostedResultBlock,
  isOwnSearch,
  OWN_SEARCH,
  type TextBlock,
} from '../../canonical/block.ts'
import { seal, unseal } from '../../canonical/envelope.ts'
import { compact, isObject, type Json, objects, text } from '../../canonical/json.ts'
import type { Loss } from '../../canonical/loss.ts'
import { pagesAsText, searchAsText } from '../../canonical/search-transcript.ts'
import { original, ownFields, wholeExtensions, writeExtensions } from '../../canonical/vendor-extensions.ts'
import { ID } from './wire.ts'

const RESULT = '_tool_result'

/** Headgate's name for a hosted tool. */
export function hostedName(name: string): string {
  return name === 'web_search' ? 'web-search' : name
}

/** Vendor's name for a hosted tool. */
export function vendorName(name: string): string {
  return name === 'web-search' ? 'web_search' : name
}

/** Result of a hosted tool, or a block that only the vendor understands. The original is preserved. */
export function readHostedResult(block: Json): HostedResultBlock {
  const type = text(block['type']) ?? ''
  return compact<HostedResultBlock>({
    type: 'hosted-result',
    id: text(block['tool_use_id']) ?? '',
    name: hostedName(type.endsWith(RESULT) ? type.slice(0, -RESULT.length) : type),
    extensions: wholeExtensions(ID, block),
    text: resultText(block['content']),
  })
}

/** Titles and links of search results, or output of code. */
function resultText(content: unknown): string | undefined {
  if (isObject(content)) return text(content['stdout'])
  const lines = objects(content).flatMap((result) => {
    const link = text(result['url'])
    return link === undefined ? [] : [`${text(result['title']) ?? ''} ${link}`.trim()]
  })
  return lines.length > 0 ? lines.join('\n') : undefined
}

/** Block in this format. Undefined for a hosted tool of another format. */
export function writeHosted(block: HostedCallBlock | HostedResultBlock, losses: Loss[]): Json | undefined {
  if (isOwnSearch(block)) return writeSearch(block)
  if (block.type === 'hosted-result') return original(block, ID)
  const fields = ownFields(block, ID)
  if (!fields) return undefined
  const type = 'server_name' in fields ? 'mcp_tool_use' : 'server_tool_use'
  const out: Json = { type, id: block.id, name: vendorName(block.name), input: parseArguments(block.arguments) ?? {} }
  writeExtensions(block, ID, out, losses)
  return out
}

/** Signer of gateway search results, which distinguishes them from the vendor's. */
const SEARCH = 'search'
const PREFIX = 'srvtoolu_'

/** Block of a gateway search. The vendor has encrypted pages, so the results are sealed. */
function writeSearch(block: HostedCallBlock | HostedResultBlock): Json {
  const id = `${PREFIX}${block.id}`
  if (block.type === 'hosted-call')
    return { type: 'server_tool_use', id, name: 'web_search', input: parseArguments(block.arguments) ?? {} }
  const { found } = block
  const content = found
    ? found.map(({ url, title, snippet, published }) => ({
        type: 'web_search_result',
        url,
        title: title ?? url,
        encrypted_content: seal({ signer: SEARCH, value: snippet ?? '' }),
        page_age: published ?? null,
      }))
    : { type: 'web_search_tool_result_error', error_code: 'unavailable' }
  return { type: 'web_search_tool_result', tool_use_id: id, content }
}

/** True for a block of a gateway search, which vendors do not support. */
export function isGatewaySearch(block: Json): boolean {
  return (text(block['tool_use_id']) ?? text(block['id']))?.startsWith(PREFIX + OWN_SEARCH) ?? false
}

/** Text for a gateway search that a caller sends back, since vendors reject searches that they did not run. */
export function readGatewaySearch(block: Json, at: string): TextBlock {
  if (block['type'] === 'server_tool_use') {
    const query = isObject(block['input']) ? text(block['input']['query']) : undefined
    return { type: 'text', text: searchAsText(query), at }
  }
  const pages = objects(block['content']).map(({ title, url, encrypted_content: sealed }) =>
    compact<Partial<FoundPage>>({
      title: text(title),
      url: text(url),
      snippet: typeof sealed === 'string' ? unseal(sealed)?.value : undefined,
    }),
  )
  return { type: 'text', text: pagesAsText(Array.isArray(block['content']) ? pages : undefined), at }
}
