import type { CacheMark, Node, ToolCallBlock } from '../../canonical/block.ts'
import type { Json } from '../../canonical/json.ts'
import { changed, dropped, type Loss, under } from '../../canonical/loss.ts'
import { fitNames } from '../../canonical/names.ts'
import { WRAPPER } from '../../canonical/pieces.ts'
import type { ChatRequest } from '../../canonical/request.ts'
import { isOwn } from '../../canonical/side.ts'
import type { Target } from '../../canonical/target.ts'
import { callsOf, fitToolNames } from '../../canonical/tools.ts'
import { HALF_CHARACTER, wellFormedJson } from '../../canonical/well-formed.ts'
import type { Writing as Shared } from '../../canonical/writing.ts'
import { type Generation, generationOf, isVendorModel } from './models.ts'
import { needsWrapper } from './schema.ts'
import { CALL_ID, ID, TOOL_NAME } from './wire.ts'

/** What the writers of one request's pieces share. */
export interface Writing extends Shared {
  readonly model: Generation
  /** The caller speaks this format too: what the vendor may refuse is the caller's own word, so it stays. */
  readonly own: boolean
  /** Ids of tool calls as the caller wrote them → as they are sent, where they differ. */
  readonly ids: ReadonlyMap<string, string>
  /** Functions (caller's names) whose parameters are sent within a wrapper, see `wrapped`. */
  readonly wrapped: ReadonlySet<string>
}

const NONE: ReadonlyMap<string, string> = new Map()

const NO_NAMES: ReadonlySet<string> = new Set()

/** The functions of a request whose parameters the vendor's model would refuse. */
export function wrappedFunctions({ tools = [] }: ChatRequest, model: Generation): ReadonlySet<string> {
  if (!isVendorModel(model)) return NO_NAMES
  const names = tools
    .filter((tool) => tool.type === 'function' && tool.schema && needsWrapper(tool.schema))
    .map(({ name }) => name)
  return names.length === 0 ? NO_NAMES : new Set(names)
}

/** The arguments of a call as the model has written them. */
export function writtenArguments({ own, wrapped, losses }: Writing, block: ToolCallBlock): string {
  if (own) return block.arguments
  const text = wellFormedJson(block.arguments)
  if (text !== block.arguments) changed(losses, under(block, 'arguments'), HALF_CHARACTER)
  const json = text || '{}'
  return wrapped.has(block.name) ? `{"${WRAPPER}":${json}}` : json
}

export function writing(request: ChatRequest, target: Target, losses: Loss[]): Writing {
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

/** Writes the cache mark of a part: the vendor's own where the model knows it, else as servers of Claude take it. */
export function putCache(context: Writing, node: Node & { cache?: CacheMark }, out: Json): void {
  if (!node.cache) return
  const { ttl } = node.cache
  if (context.model.breakpoints || (context.own && node.cache.breakpoint)) {
    out['prompt_cache_breakpoint'] = { mode: 'explicit', ...(ttl === '30m' || ttl === '12h' ? { ttl } : {}) }
  } else putCacheControl(context, node.cache, under(node, 'cache_control'), out)
}

/** Writes a cache mark where the vendor has no breakpoint of its own. `path` is where the caller put it. */
export function putCacheControl(
  context: Writing,
  cache: CacheMark | undefined,
  path: string | undefined,
  out: Json,
): void {
  if (!cache) return
  if (context.own || context.target.signer === 'claude') {
    out['cache_control'] = { type: 'ephemeral', ...(cache.ttl === undefined ? {} : { ttl: cache.ttl }) }
  } else dropped(context.losses, path, 'the model has no marks for its cache')
}
