import type { HostedCallBlock, HostedResultBlock } from '../../chat/block.ts'
import { isObject, type Json, text } from '../../chat/json.ts'
import type { CallBook } from './call-book.ts'
import { jsonText } from './json-text.ts'
import { ID } from './wire.ts'

/** Parts in which the model calls a tool that the provider runs, or is told its result. */
export type HostedKind = 'executableCode' | 'codeExecutionResult' | 'toolCall' | 'toolResponse'

/** Headgate's words for tools that Google runs. */
const TOOLS: Readonly<Record<string, string>> = { GOOGLE_SEARCH_WEB: 'web-search', URL_CONTEXT: 'url-context' }

/** The block of such a part; the part itself is its side-channel, since it must come back as it was. */
export function readHosted(
  part: Json,
  kind: HostedKind,
  fallback: string,
  book: CallBook,
  at?: string,
): HostedCallBlock | HostedResultBlock {
  const message = isObject(part[kind]) ? part[kind] : {}
  const type = text(message['toolType']) ?? 'tool'
  const name = kind === 'executableCode' || kind === 'codeExecutionResult' ? 'code-execution' : (TOOLS[type] ?? type)
  const isCall = kind === 'executableCode' || kind === 'toolCall'
  const id = book.hosted(isCall ? 'call' : 'result', text(message['id']), fallback)
  const node = { id, name, side: { format: ID, fields: part } }
  if (isCall) {
    const args = kind === 'toolCall' ? (message['args'] ?? {}) : { language: message['language'], code: message['code'] }
    return { type: 'hosted-call', ...node, arguments: jsonText(args, at) }
  }
  const output = text(message['output'])
  return { type: 'hosted-result', ...node, ...(output !== undefined && { text: output }) }
}
