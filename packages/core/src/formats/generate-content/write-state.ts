import type { CacheMark, Node } from '../../canonical/block.ts'
import { dropped, type Loss, under } from '../../canonical/loss.ts'
import type { ChatRequest } from '../../canonical/request.ts'
import type { Target } from '../../canonical/target.ts'
import { fitToolNames } from '../../canonical/tools.ts'
import type { WriteState as Shared } from '../../canonical/write-state.ts'
import { type GeminiGeneration, generationOf } from './models.ts'
import { SIGNER, TOOL_NAME } from './wire.ts'

/** State for writing a request. */
export interface ContentWriteState extends Shared {
  readonly model: GeminiGeneration
  /** True for the Gemini API, false for Vertex AI, which has other fields. */
  readonly geminiApi: boolean
  /** True if calls and results have ids. */
  readonly callIds: boolean
}

export function contentWriteState(request: ChatRequest, target: Target, losses: Loss[]): ContentWriteState {
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
