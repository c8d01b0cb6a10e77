import type { CacheMark, Node, ToolCallBlock } from '../../canonical/block.ts'
import type { Json } from '../../canonical/json.ts'
import { changed, dropped, type Loss, under } from '../../canonical/loss.ts'
import { fitNames } from '../../canonical/names.ts'
import { WRAPPER } from '../../canonical/pieces.ts'
import type { ChatRequest } from '../../canonical/request.ts'
import type { Target } from '../../canonical/target.ts'
import { callsOf, fitToolNames } from '../../canonical/tools.ts'
import { isOwn } from '../../canonical/vendor-extensions.ts'
import { HALF_CHARACTER, wellFormedJson } from '../../canonical/well-formed.ts'
import type { WriteState as Shared } from '../../canonical/write-state.ts'
import { type GptGeneration, generationOf, isVendorModel } from './models.ts'
import { needsWrapper } from './schema.ts'
import { CALL_ID, ID, TOOL_NAME } from './wire.ts'

/** State for writing a request. */
export interface ChatWriteState extends Shared {
  readonly model: GptGeneration
  /** True for a caller of this format. Values that the vendor may reject then stay unchanged. */
  readonly own: boolean
  /** Changed ids of tool calls, by the caller's ids. */
  readonly ids: ReadonlyMap<string, string>
  /** Functions (caller's names) whose parameters are wrapped, see `wrapped`. */
  readonly wrapped: ReadonlySet<string>
}

const NONE: ReadonlyMap<string, string> = new Map()

const NO_NAMES: ReadonlySet<string> = new Set()

/** Functions of a request whose parameters the vendor's model would reject. */
export function wrappedFunctions({ tools = [] }: ChatRequest, model: GptGeneration): ReadonlySet<string> {
  if (!isVendorModel(model)) return NO_NAMES
  const names = tools
    .filter((tool) => tool.type === 'function' && tool.schema && needsWrapper(tool.schema))
    .map(({ name }) => name)
  return names.length === 0 ? NO_NAMES : new Set(names)
}

/** Written arguments of a call. */
export function writtenArguments({ own, wrapped, losses }: ChatWriteState, block: ToolCallBlock): string {
  if (own) return block.arguments
  const text = wellFormedJson(block.arguments)
  if (text !== block.arguments) changed(losses, under(block, 'arguments'), HALF_CHARACTER)
  const json = text || '{}'
  return wrapped.has(block.name) ? `{"${WRAPPER}":${json}}` : json
}

export function chatWriteState(request: ChatRequest, target: Target, losses: Loss[]): ChatWriteState {
  const own = isOwn(request, ID)
  const model = generationOf(target)
  return {
    request,
    target,
    losses,
    own,
    model,
    wrapped: own ? NO_NAMES : wrappedFunctions(request, model),
    names: own ? NONE : fitToolNames(request, TOOL_NAME, losses),
    ids: own
      ? NONE
      : fitNames(
          callsOf(request).map((call) => call.id),
          CALL_ID,
        ),
  }
}

/**
 * Writes the cache mark of a part: `prompt_cache_breakpoint` if the model supports it, else `cache_control` for servers
 * of Claude.
 */
export function putCache(context: ChatWriteState, node: Node & { cache?: CacheMark }, out: Json): void {
  if (!node.cache) return
  const { ttl } = node.cache
  if (context.model.breakpoints || (context.own && node.cache.breakpoint)) {
    out['prompt_cache_breakpoint'] = { mode: 'explicit', ...(ttl === '30m' || ttl === '12h' ? { ttl } : {}) }
  } else putCacheControl(context, node.cache, under(node, 'cache_control'), out)
}

/**
 * Writes `cache_control`, where the vendor has no breakpoint.
 * @param path path of the mark in the caller's body.
 */
export function putCacheControl(
  context: ChatWriteState,
  cache: CacheMark | undefined,
  path: string | undefined,
  out: Json,
): void {
  if (!cache) return
  if (context.own || context.target.signer === 'claude') {
    out['cache_control'] = { type: 'ephemeral', ...(cache.ttl === undefined ? {} : { ttl: cache.ttl }) }
  } else dropped(context.losses, path, 'the model does not support cache marks')
}
