import type { Block, MediaBlock, ToolResultBlock } from '../../chat/block.ts'
import type { Json } from '../../chat/json.ts'
import { dropped, type Loss, under } from '../../chat/loss.ts'
import { hasUnsafeNumber, parseObject } from './json-text.ts'

/** Keys in a response that the API takes for references, and refuses. */
const REFERENCE = /"\$(?:ref|defs)"\s*:/

/** What a tool said, as the object that the wire has: `output` for text, `error` for a failure, a JSON object as it is. */
export function writeToolResponse(block: ToolResultBlock, losses: Loss[]): Json {
  const content = textOf(block.blocks, losses)
  if (block.error) return { error: content }
  return asObject(content) ?? { output: content }
}

function textOf(blocks: readonly Block[], losses: Loss[]): string {
  const texts: string[] = []
  for (const block of blocks) {
    if (block.type === 'text' || block.type === 'refusal') texts.push(block.text)
    else if (block.type !== 'media') dropped(losses, block.at, 'a tool result holds text and media')
    if (block.type === 'text' && block.cache) dropped(losses, under(block, 'cache_control'), 'prompts are cached without marks')
  }
  return texts.join('\n')
}

/** The text as an object, unless it would then mean something else. */
function asObject(content: string): Json | undefined {
  if (!content.trimStart().startsWith('{') || REFERENCE.test(content) || hasUnsafeNumber(content)) return undefined
  const value = parseObject(content)
  if (!value) return undefined
  const keys = Object.keys(value)
  const misread = keys.length === 0 || (keys.length === 1 && (keys[0] === 'output' || keys[0] === 'error'))
  return misread ? undefined : value
}

/** Types of media that may stand inside a function response. */
const INSIDE = /^(?:image\/(?:png|jpeg|webp)|application\/pdf|text\/plain)$/

/** The media of a tool result: those that may stand inside the function response, and those that follow it. */
export function mediaOf(block: ToolResultBlock, insideAllowed: boolean): { inside: MediaBlock[]; after: MediaBlock[] } {
  const media = block.blocks.filter((inner) => inner.type === 'media')
  const isInside = (inner: MediaBlock): boolean => insideAllowed && inner.source.type === 'base64' && INSIDE.test(inner.mime ?? '')
  return { inside: media.filter(isInside), after: media.filter((inner) => !isInside(inner)) }
}
