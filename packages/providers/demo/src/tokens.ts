import type { Block, ChatRequest, Tool } from '@headgate/core/codec'

/** Characters (UTF-16 code units) per token. */
const TOKEN = 4

/** Tokens of an image, document, audio or video of any size. */
const MEDIA = 256

/** Tokens of a string: one for every four characters, rounded up. */
export function countText(text: string): number {
  return Math.ceil(text.length / TOKEN)
}

/** Input tokens of a request: its text, tool calls and results, and its tool descriptions. Roles and ids are free. */
export function countRequest({ messages, tools = [] }: ChatRequest): number {
  return sum(messages.flatMap(({ blocks }) => blocks).map(countBlock)) + sum(tools.map(countTool))
}

/** Beginning of a string, limited to a number of tokens. Surrogate pairs are not split. */
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
