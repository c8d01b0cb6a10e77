import { parseArguments } from '../../canonical/arguments.ts'
import type { HostedCallBlock, HostedResultBlock } from '../../canonical/block.ts'
import { compact, isObject, type Json, objects, text } from '../../canonical/json.ts'
import type { Loss } from '../../canonical/loss.ts'
import { original, ownFields, wholeSide, writeSide } from '../../canonical/side.ts'
import { ID } from './wire.ts'

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
  const type = text(block['type']) ?? ''
  return compact<HostedResultBlock>({
    type: 'hosted-result',
    id: text(block['tool_use_id']) ?? '',
    name: hostedName(type.endsWith(RESULT) ? type.slice(0, -RESULT.length) : type),
    side: wholeSide(ID, block),
    text: resultText(block['content']),
  })
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
export function writeHosted(block: HostedCallBlock | HostedResultBlock, losses: Loss[]): Json | undefined {
  if (block.type === 'hosted-result') return original(block, ID)
  const fields = ownFields(block, ID)
  if (!fields) return undefined
  const type = 'server_name' in fields ? 'mcp_tool_use' : 'server_tool_use'
  const out: Json = { type, id: block.id, name: vendorName(block.name), input: parseArguments(block.arguments) ?? {} }
  writeSide(block, ID, out, losses)
  return out
}
