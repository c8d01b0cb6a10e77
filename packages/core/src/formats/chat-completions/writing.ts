import type { CacheMark, Node } from '../../chat/block.ts'
import type { Json } from '../../chat/json.ts'
import { dropped, type Loss, under } from '../../chat/loss.ts'
import { fitNames } from '../../chat/names.ts'
import type { ChatRequest } from '../../chat/request.ts'
import type { Target } from '../../chat/target.ts'
import { generationOf } from './models.ts'
import { isOwn } from './side.ts'
import { CALL_ID, TOOL_NAME } from './wire.ts'

/** What the writers of one request's pieces share. */
export interface Writing {
  readonly request: ChatRequest
  readonly target: Target
  readonly losses: Loss[]
  /** The caller speaks this format too: what the vendor may refuse is the caller's own word, so it stays. */
  readonly own: boolean
  /** Tool names as the caller wrote them → as they are sent. */
  readonly names: ReadonlyMap<string, string>
  /** Ids of tool calls, likewise. */
  readonly ids: ReadonlyMap<string, string>
}

export function writing(request: ChatRequest, target: Target, losses: Loss[]): Writing {
  const own = isOwn(request)
  const none: ReadonlyMap<string, string> = new Map()
  return {
    request,
    target,
    losses,
    own,
    names: own ? none : fitNames(toolNames(request), TOOL_NAME),
    ids: own ? none : fitNames(callIds(request), CALL_ID),
  }
}

function* toolNames(request: ChatRequest): Generator<string> {
  for (const tool of request.tools ?? []) if (tool.type !== 'hosted') yield tool.name
  for (const message of request.messages) {
    for (const block of message.blocks) if (block.type === 'tool-call') yield block.name
  }
}

function* callIds(request: ChatRequest): Generator<string> {
  for (const message of request.messages) {
    for (const block of message.blocks) if (block.type === 'tool-call') yield block.id
  }
}

/** Writes the cache mark of a part: the vendor's own where the model knows it, else as servers of Claude take it. */
export function putCache(context: Writing, node: Node & { cache?: CacheMark }, out: Json): void {
  if (!node.cache) return
  const { ttl } = node.cache
  if (generationOf(context.target.model).breakpoints) {
    out['prompt_cache_breakpoint'] = { mode: 'explicit', ...(ttl === '30m' || ttl === '12h' ? { ttl } : {}) }
  } else putCacheControl(context, node, out)
}

/** Writes the cache mark of a node that has no breakpoint of the vendor's own. */
export function putCacheControl(context: Writing, node: Node & { cache?: CacheMark }, out: Json): void {
  if (!node.cache) return
  if (context.own || context.target.signer === 'claude') {
    out['cache_control'] = { type: 'ephemeral', ...(node.cache.ttl === undefined ? {} : { ttl: node.cache.ttl }) }
  } else dropped(context.losses, under(node, 'cache_control'), 'the model has no marks for its cache')
}
