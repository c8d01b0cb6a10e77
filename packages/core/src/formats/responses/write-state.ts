import type { CacheMark, Node } from '../../canonical/block.ts'
import type { Json } from '../../canonical/json.ts'
import { dropped, type Loss, under } from '../../canonical/loss.ts'
import { fitNames } from '../../canonical/names.ts'
import type { ChatRequest } from '../../canonical/request.ts'
import type { Target } from '../../canonical/target.ts'
import { callsOf, fitToolNames } from '../../canonical/tools.ts'
import { isOwn } from '../../canonical/vendor-extensions.ts'
import { generationOf } from '../chat-completions/models.ts'
import { TOOL_NAME } from '../chat-completions/wire.ts'
import { type ChatWriteState as ChatWriting, wrappedFunctions } from '../chat-completions/write-state.ts'
import { CALL_ID, ID, SIGNER } from './wire.ts'

/** State for writing a request. The model generations are the same as in chat completions. */
export interface ResponsesWriteState extends ChatWriting {
  /** Ids of calls of custom tools, as the caller wrote them. */
  readonly customCalls: ReadonlySet<string>
}

const NONE: ReadonlyMap<string, string> = new Map()
const NO_NAMES: ReadonlySet<string> = new Set()

export function responsesWriteState(request: ChatRequest, target: Target, losses: Loss[]): ResponsesWriteState {
  const own = isOwn(request, ID)
  const calls = callsOf(request)
  const model = generationOf(target)
  return {
    request,
    target: own && target.signer === undefined ? { ...target, signer: SIGNER } : target,
    losses,
    own,
    model,
    wrapped: own ? NO_NAMES : wrappedFunctions(request, model),
    names: own ? NONE : fitToolNames(request, TOOL_NAME, losses),
    ids: own
      ? NONE
      : fitNames(
          calls.map((call) => call.id),
          CALL_ID,
        ),
    customCalls: new Set(calls.filter((call) => call.custom).map((call) => call.id)),
  }
}

const LIFETIMES: ReadonlySet<string> = new Set(['30m', '12h'])

/** Writes the cache mark of a part, if the model supports it. */
export function putCache(
  { own, model, losses }: ResponsesWriteState,
  node: Node & { cache?: CacheMark },
  out: Json,
): void {
  if (!node.cache) return
  const { ttl } = node.cache
  if (own || model.breakpoints) {
    out['prompt_cache_breakpoint'] = { mode: 'explicit', ...(ttl !== undefined && LIFETIMES.has(ttl) && { ttl }) }
  } else loseCache(node, losses)
}

/** Declares the loss of a node's cache mark. */
export function loseCache(node: Node & { cache?: CacheMark }, losses: Loss[]): void {
  if (node.cache) dropped(losses, under(node, 'cache_control'), 'the model does not support cache marks')
}
