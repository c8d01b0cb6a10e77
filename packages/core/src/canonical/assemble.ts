import type { Block } from './block.ts'
import type { Delta, Part } from './part.ts'
import type { ChatResponse, Choice } from './response.ts'
import { failure } from './stream-failure.ts'

/** Adds a delta to a block that this module created. */
function extend(block: Block, delta: Delta): void {
  if (delta.text !== undefined && 'text' in block) block.text = (block.text ?? '') + delta.text
  if (delta.arguments !== undefined && 'arguments' in block) block.arguments += delta.arguments
  if (
    delta.signature &&
    (block.type === 'text' || block.type === 'reasoning' || block.type === 'tool-call' || block.type === 'media')
  ) {
    block.signature = delta.signature
  }
  if (delta.citations && block.type === 'text') {
    block.citations ??= []
    for (const citation of delta.citations) block.citations.push(citation)
  }
}

/**
 * Whole response for a stream of parts.
 * @throws HeadgateError if the parts contain an `error`.
 */
export function assemble(parts: Iterable<Part>): ChatResponse {
  const response: ChatResponse = { choices: [] }
  const choices = new Map<number, Choice>()
  const blocks = new Map<string, Block>()
  const choice = (number = 0): Choice => {
    const known = choices.get(number)
    if (known) return known
    const made: Choice = { blocks: [], finish: { reason: 'stop' } }
    choices.set(number, made)
    return made
  }
  for (const part of parts) {
    switch (part.type) {
      case 'start':
        if (part.id !== undefined) response.id = part.id
        if (part.model !== undefined) response.model = part.model
        if (part.created !== undefined) response.created = part.created
        if (part.extensions) response.extensions = part.extensions
        break
      case 'block-start': {
        const block = { ...part.block }
        if (block.type === 'text' && block.citations) block.citations = [...block.citations]
        blocks.set(`${part.choice ?? 0}/${part.index}`, block)
        choice(part.choice).blocks.push(block)
        break
      }
      case 'block-delta': {
        const block = blocks.get(`${part.choice ?? 0}/${part.index}`)
        if (block) extend(block, part.delta)
        break
      }
      case 'block-end':
        blocks.delete(`${part.choice ?? 0}/${part.index}`)
        break
      case 'logprobs': {
        const target = choice(part.choice)
        target.logprobs ??= []
        for (const token of part.tokens) target.logprobs.push(token)
        break
      }
      case 'usage':
        response.usage = part.usage
        break
      case 'rest':
        response.extensions = {
          ...part.extensions,
          fields: { ...response.extensions?.fields, ...part.extensions.fields },
        }
        break
      case 'finish': {
        const target = choice(part.choice)
        target.finish = part.finish
        if (part.extensions) target.extensions = part.extensions
        break
      }
      case 'error':
        throw failure(part.error)
    }
  }
  const numbers = [...choices.keys()].sort((a, b) => a - b)
  response.choices = numbers.map((n) => choices.get(n) ?? choice(n))
  if (response.choices.length === 0) response.choices = [choice()]
  return response
}

/** Stream of parts for a whole response. */
export function partsOf(response: ChatResponse): Part[] {
  const parts: Part[] = [
    {
      type: 'start',
      ...(response.id !== undefined && { id: response.id }),
      ...(response.model !== undefined && { model: response.model }),
      ...(response.created !== undefined && { created: response.created }),
      ...(response.extensions && { extensions: response.extensions }),
    },
  ]
  response.choices.forEach((choice, number) => {
    choice.blocks.forEach((block, index) => {
      parts.push({ type: 'block-start', index, block, choice: number }, { type: 'block-end', index, choice: number })
    })
    if (choice.logprobs) parts.push({ type: 'logprobs', tokens: choice.logprobs, choice: number })
  })
  if (response.usage) parts.push({ type: 'usage', usage: response.usage })
  response.choices.forEach((choice, number) => {
    parts.push({
      type: 'finish',
      finish: choice.finish,
      choice: number,
      ...(choice.extensions && { extensions: choice.extensions }),
    })
  })
  return parts
}
