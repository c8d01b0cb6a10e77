import { argumentsText } from '../../canonical/arguments.ts'
import type { ToolCallBlock } from '../../canonical/block.ts'
import { type Json, text } from '../../canonical/json.ts'
import { keepExtensions, unknownFields } from '../../canonical/vendor-extensions.ts'
import { generatedId } from '../chat-completions/response-read.ts'
import { ID, NAMESPACE_JOINT } from './wire.ts'

const FIELDS: ReadonlySet<string> = new Set([
  'type',
  'id',
  'call_id',
  'name',
  'namespace',
  'arguments',
  'input',
  'status',
])

/**
 * Name of a tool for formats without namespaces. For a tool outside of namespaces, the vendor repeats the tool's name
 * as namespace.
 */
export function flatName(namespace: string | undefined, name: string): string {
  return namespace && namespace !== name ? `${namespace}${NAMESPACE_JOINT}${name}` : name
}

export function isCall(item: Json): boolean {
  return item['type'] === 'function_call' || item['type'] === 'custom_tool_call'
}

/**
 * Reads a call of a caller's tool.
 * @param seed source of an id for a call without one.
 */
export function readCall(item: Json, at: string, seed: string): ToolCallBlock {
  const custom = item['type'] === 'custom_tool_call'
  const ref = text(item['id']) || undefined
  const namespace = text(item['namespace']) || undefined
  const block: ToolCallBlock = {
    type: 'tool-call',
    at,
    id: text(item['call_id']) || ref || generatedId(seed),
    name: flatName(namespace, text(item['name']) ?? ''),
    arguments: argumentsText(item[custom ? 'input' : 'arguments']),
  }
  if (custom) block.custom = true
  if (namespace !== undefined) block.namespace = namespace
  if (ref !== undefined) block.ref = ref
  return keepExtensions(block, ID, unknownFields(item, FIELDS))
}
