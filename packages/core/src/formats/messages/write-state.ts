import type { CacheMark, Node } from '../../canonical/block.ts'
import type { Json } from '../../canonical/json.ts'
import { changed, dropped, type Loss, under } from '../../canonical/loss.ts'
import type { ChatRequest } from '../../canonical/request.ts'
import type { Target } from '../../canonical/target.ts'
import { fitToolNames } from '../../canonical/tools.ts'
import type { WriteState as Shared } from '../../canonical/write-state.ts'
import { type ClaudeGeneration, generationOf } from './models.ts'
import { type Allowance, allowance } from './schema.ts'
import { TOOL_NAME } from './wire.ts'

/** Written node with a cache mark. */
interface Marked {
  readonly out: Json
  readonly path: string
}

/** State for writing a request. */
export interface MessagesWriteState extends Shared {
  readonly model: ClaudeGeneration
  /** Cache marks in the order of the prompt: tools, system, messages. */
  readonly marks: Marked[]
  /** Remaining limits for enforcing schemas of tools and of the output. */
  readonly enforced: Allowance
}

export function messagesWriteState(request: ChatRequest, target: Target, losses: Loss[]): MessagesWriteState {
  const names = fitToolNames(request, TOOL_NAME, losses)
  return { request, target, losses, model: generationOf(target), names, marks: [], enforced: allowance() }
}

/** Maximum cache marks; the vendor rejects more. */
const MOST_MARKS = 4

const LIFETIMES: ReadonlySet<string> = new Set(['5m', '1h'])

/** Writes a node's cache mark. */
export function putCache(context: MessagesWriteState, node: Node & { cache?: CacheMark }, out: Json): void {
  const path = under(node, 'cache_control')
  putCacheControl(context, node.cache, path, out)
  if (out['cache_control']) context.marks.push({ out, path })
}

/**
 * Writes a cache mark.
 * @param path path in the caller's body.
 */
export function putCacheControl(
  { losses }: MessagesWriteState,
  cache: CacheMark | undefined,
  path: string,
  out: Json,
): void {
  if (!cache) return
  const known = cache.ttl === undefined || LIFETIMES.has(cache.ttl)
  if (!known) changed(losses, `${path}.ttl`, 'only the lifetimes 5m and 1h are supported, so the default is used')
  out['cache_control'] = { type: 'ephemeral', ...(known && cache.ttl !== undefined && { ttl: cache.ttl }) }
}

/**
 * Removes marks until four are left. The first stays, for conversations with the same start, and the last ones, for
 * the next turn of this one.
 * @param others number of marks outside of the list.
 */
export function limitMarks({ marks, losses }: MessagesWriteState, others: number): void {
  const most = MOST_MARKS - others
  if (marks.length <= most) return
  for (const { out, path } of marks.slice(1, marks.length - most + 1)) {
    delete out['cache_control']
    dropped(losses, path, 'at most four cache breakpoints are allowed')
  }
}
