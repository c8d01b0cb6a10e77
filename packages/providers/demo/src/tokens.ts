import type { Block, ChatRequest, Tool } from '@headgate/core/codec'

/** Characters (UTF-16 code units) of one token. */
const TOKEN = 4

/** Tokens of an image, document, sound or film, whatever its size. */
const MEDIA = 256

/** Tokens of a text: one for every four characters that were begun. */
export function countText(text: string): number {
  return Math.ceil(text.length / TOKEN)
}

/**
 * Input tokens of a request: its texts, tool calls and results, and the descriptions of its tools. Roles and ids are
 * free.
 */
export function countRequest({ messages, tools = [] }: ChatRequest): number {
  return sum(messages.flatMap(({ blocks }) => blocks).map(countBlock)) + sum(tools.map(countTool))
}

/** The beginning of a text, of so many tokens at most. A character that takes two code units is not cut in half. */
export function firstTokens(text: string, tokens: number): string {
  if (countText(text) <= tokens) return text
  return text.slice(0, tokens * TOKEN).replace(/[\uD800-\uDBFF]$/, '')
}

function countBlock(block: Block): number {
  switch (block.type) {
    case 'text':
    case 'reasoning':
    case 'refusal':
      return countText(block.text)
    case 'tool-call':
    case 'hosted-call':
      return countText(block.name) + countText(block.arguments)
    case 'tool-result':
      return sum(block.blocks.map(countBlock))
    case 'hosted-result':
      return countText(block.text ?? '')
    case 'media':
      return block.source.type === 'text' ? countText(block.source.text) : MEDIA
  }
}

function countTool(tool: Tool): number {
  if (tool.type === 'hosted') return countText(tool.name)
  const details = tool.type === 'function' ? tool.schema : tool.grammar
  return countText(tool.name) + countText(tool.description ?? '') + (details ? countText(JSON.stringify(details)) : 0)
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0)
}
