import { invalid } from '../errors.ts'
import type { Block } from './block.ts'
import type { ChatRequest } from './request.ts'
import type { ModelFacts } from './target.ts'

function inputOf(block: Block): 'image' | 'pdf' | 'audio' | 'video' | undefined {
  if (block.type !== 'media') return undefined
  if (block.kind !== 'document') return block.kind
  return block.mime === undefined || block.mime === 'application/pdf' ? 'pdf' : undefined
}

/**
 * Rejects inputs that the model is known not to support, since the model would not see them.
 * @throws HeadgateError of kind `invalid-request` with the block.
 */
export function checkInputs(request: ChatRequest, facts: ModelFacts | undefined): void {
  const inputs = facts?.inputs
  const check = (block: Block): void => {
    if (block.type === 'tool-result') block.blocks.forEach(check)
    const kind = inputOf(block)
    if (kind && inputs && !inputs.includes(kind)) {
      throw invalid(
        block.at,
        `Model ${facts.id} does not support ${kind} input. Choose a model that does, or remove the ${kind}.`,
      )
    }
  }
  if (inputs) for (const message of request.messages) message.blocks.forEach(check)
  if (facts?.tools === false && request.tools?.length) {
    throw invalid(
      request.paths.tools ?? 'tools',
      `Model ${facts.id} does not support tools. Choose a model that does, or remove the tools.`,
    )
  }
}
