import type { Block, ChatRequest, CustomTool, FunctionTool, ToolCallBlock } from '@headgate/core/codec'
import { sample } from './sample.ts'

const ASKS_FOR_A_TOOL = /\b(use|using|call|run|invoke)\b[^.?!]{0,200}\b(tools?|functions?)\b/i

/** Maximum number of characters at the end of the text to search for tool names. */
const SEARCHED = 20_000

type CallableTool = FunctionTool | CustomTool

/**
 * Tool calls of the demo: the tools named in the text; otherwise the first tool if the text or the request asks for a
 * call. Arguments are the smallest that the schema allows.
 */
export function toolCalls(request: ChatRequest, text: string): ToolCallBlock[] {
  const offered = callable(request)
  const asked = text.slice(-SEARCHED)
  const named = offered.filter(({ name }) => mentions(asked, name))
  const wanted = named.length > 0 ? named : offered.slice(0, isRequired(request) || ASKS_FOR_A_TOOL.test(asked) ? 1 : 0)
  const before = request.messages.flatMap(({ blocks }) => blocks).filter(isCall).length
  return wanted
    .slice(0, request.parallelTools === false ? 1 : undefined)
    .map((tool, index) => callOf(tool, before + index + 1))
}

function callable({ tools = [], toolChoice }: ChatRequest): CallableTool[] {
  const own = tools.filter((tool) => tool.type !== 'hosted')
  switch (toolChoice?.type) {
    case 'none':
      return []
    case 'tool':
      return own.filter(({ name }) => name === toolChoice.name)
    case 'allowed':
      return own.filter(({ name }) => toolChoice.names.includes(name))
    default:
      return own
  }
}

function isRequired({ toolChoice }: ChatRequest): boolean {
  if (toolChoice?.type === 'allowed') return toolChoice.required
  return toolChoice?.type === 'required' || toolChoice?.type === 'tool'
}

/** Tells if a string contains a name as a separate word. */
function mentions(text: string, name: string): boolean {
  const literal = name.replace(/[^A-Za-z0-9_]/g, '\\$&')
  return new RegExp(`(?<![\\w-])${literal}(?![\\w-])`, 'i').test(text)
}

/** Tool call. Its number makes the id differ from ids of earlier turns. */
function callOf(tool: CallableTool, number: number): ToolCallBlock {
  const call = { type: 'tool-call', id: `call_demo_${number}`, name: tool.name } as const
  if (tool.type === 'custom') return { ...call, arguments: 'demo', custom: true }
  return { ...call, arguments: JSON.stringify(sample({ type: 'object', ...tool.schema })) }
}

function isCall(block: Block): boolean {
  return block.type === 'tool-call'
}
