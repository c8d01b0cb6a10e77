import type { HostedCallBlock, HostedResultBlock } from '../../chat/block.ts'
import { isObject, type Json, objects, text } from '../../chat/json.ts'
import { toolInput } from './input.ts'
import { original, whole } from './side.ts'
import { FORMAT } from './wire.ts'

const RESULT = '_tool_result'

/** Headgate's word for a tool of the vendor. */
export function hostedName(name: string): string {
  return name === 'web_search' ? 'web-search' : name
}

/** The vendor's word for a tool. */
export function vendorName(name: string): string {
  return name === 'web-search' ? 'web_search' : name
}

/** The result of a tool of the vendor, or a block that no one but the vendor understands: kept as it came. */
export function readHostedResult(block: Json): HostedResultBlock {
  const type = String(block['type'])
  const found = resultText(block['content'])
  return {
    type: 'hosted-result',
    id: text(block['tool_use_id']) ?? '',
    name: hostedName(type.endsWith(RESULT) ? type.slice(0, -RESULT.length) : type),
    side: whole(block),
    ...(found !== undefined && { text: found }),
  }
}

/** Titles and links of search results, or what code printed. */
function resultText(content: unknown): string | undefined {
  if (isObject(content)) return text(content['stdout'])
  const lines = objects(content).flatMap((result) => {
    const link = text(result['url'])
    return link === undefined ? [] : [`${text(result['title']) ?? ''} ${link}`.trim()]
  })
  return lines.length > 0 ? lines.join('\n') : undefined
}

/** The block in this format, or undefined when another format made it: the vendor's tools are its own. */
export function writeHosted(block: HostedCallBlock | HostedResultBlock): Json | undefined {
  if (block.type === 'hosted-result') return original(block)
  if (block.side?.format !== FORMAT) return undefined
  const type = 'server_name' in block.side.fields ? 'mcp_tool_use' : 'server_tool_use'
  return { type, id: block.id, name: vendorName(block.name), input: toolInput(block.arguments) ?? {}, ...block.side.fields }
}
