import type { CacheMark, Node } from '../../canonical/block.ts'
import { dropped, type Loss, under } from '../../canonical/loss.ts'
import type { ChatRequest } from '../../canonical/request.ts'
import type { Target } from '../../canonical/target.ts'
import { fitToolNames } from '../../canonical/tools.ts'
import type { Writing as Shared } from '../../canonical/writing.ts'
import { type Generation, generationOf } from './models.ts'
import { SIGNER, TOOL_NAME } from './wire.ts'

/** State for writing a request. */
export interface Writing extends Shared {
  readonly model: Generation
  /** True for the Gemini API, false for Vertex AI, which has other fields. */
  readonly geminiApi: boolean
  /** True if calls and results have ids. */
  readonly callIds: boolean
}

export function writing(request: ChatRequest, target: Target, losses: Loss[]): Writing {
  const geminiApi = target.facts?.toolCallIds !== false
  return {
    request,
    target,
    losses,
    model: generationOf(target),
    names: fitToolNames(request, TOOL_NAME, losses),
    geminiApi,
    callIds: geminiApi && target.signer === SIGNER,
  }
}

/** Declares the loss of a node's cache mark. */
export function loseCache(node: Node & { cache?: CacheMark }, losses: Loss[]): void {
  if (node.cache) dropped(losses, under(node, 'cache_control'), 'prompts are cached without cache marks')
}
